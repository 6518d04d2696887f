// The service worker: stores the pages of this browser with their files, so that they start without a network.

const CACHE = "croupier";
/** How long a stored page waits for the network before it is shown. */
const PATIENCE_MS = 3000;
const PAGE = /^(?:terminal|dealer|pit|cashier|board|auditor|live_table|notice)$/;
/** Files whose address has a hash: they never change. */
const IMMUTABLE = /^(?:static|felt)\//;
/** The files that a page names in its document. */
const FILES = /\b(?:src|href)="(static\/[^"]+)"/g;

// There are no types here for the global scope of a service worker.
const worker = /** @type {any} */ (self);

/** The address of a request below the scope of this worker. @param {string} url */
const pathOf = (url) =>
  url.startsWith(worker.registration.scope)
    ? new URL(url).pathname.slice(new URL(worker.registration.scope).pathname.length)
    : "";

/** A page is stored without its parameters. @param {string} path */
const addressOf = (path) => new URL(path, worker.registration.scope).href;

/** Store a page and its files, and delete the files that no stored page names. @param {string} path @param {Response} page */
async function store(path, page) {
  const cache = await caches.open(CACHE);
  await cache.addAll(await missing(cache, await filesOf(page.clone())));
  await cache.put(addressOf(path), page);
  const pages = (await cache.keys()).filter(({ url }) => PAGE.test(pathOf(url)));
  const stored = await Promise.all(pages.map(async (each) => (await cache.match(each)) ?? page));
  const named = new Set((await Promise.all(stored.map(filesOf))).flat().map(addressOf));
  const versions = new Set([...named].map((file) => pathOf(file).split("/")[1]));
  for (const { url } of await cache.keys()) {
    const [folder, version] = pathOf(url).split("/");
    if (folder === "static" && !versions.has(version)) await cache.delete(url);
  }
}

/** @param {Response} page @returns {Promise<string[]>} */
const filesOf = async (page) => [...(await page.text()).matchAll(FILES)].map(([, file]) => file);

/** @param {Cache} cache @param {string[]} files @returns {Promise<string[]>} */
async function missing(cache, files) {
  const there = await Promise.all(files.map((file) => cache.match(addressOf(file))));
  return files.filter((_, place) => !there[place]).map(addressOf);
}

/** A page comes from the network, or else as it was stored. @param {FetchEvent} event @param {string} path */
async function fetchPage(event, path) {
  const stored = await caches.match(addressOf(path));
  const fresh = fetch(event.request).then((page) => {
    if (page.ok) event.waitUntil(store(path, page.clone()));
    return page;
  });
  if (!stored) return fresh;
  const late = new Promise((done) => setTimeout(() => done(stored), PATIENCE_MS));
  return Promise.race([fresh.catch(() => stored), late]);
}

/** A file that never changes is fetched once. @param {Request} request */
async function fetchFile(request) {
  const stored = await caches.match(request);
  if (stored) return stored;
  const file = await fetch(request);
  if (file.ok) await (await caches.open(CACHE)).put(request, file.clone());
  return file;
}

/** @typedef {{request: Request, respondWith: (response: Promise<any>) => void, waitUntil: (done: Promise<any>) => void}} FetchEvent */

worker.addEventListener("fetch", (/** @type {FetchEvent} */ event) => {
  const { request } = event;
  const path = pathOf(request.url);
  if (request.method !== "GET" || new URL(request.url).search) return;
  if (request.mode === "navigate" && PAGE.test(path)) event.respondWith(fetchPage(event, path));
  else if (IMMUTABLE.test(path)) event.respondWith(fetchFile(request));
});

/** Store the pages that are open, as they were loaded before there was a worker. */
async function storeOpenPages() {
  const open = await worker.clients.matchAll({ type: "window", includeUncontrolled: true });
  const paths = new Set(open.map((/** @type {{url: string}} */ { url }) => pathOf(url)));
  for (const path of /** @type {Set<string>} */ (paths)) {
    if (PAGE.test(path)) await store(path, await fetch(addressOf(path)));
  }
}

worker.addEventListener("install", (/** @type {any} */ event) => {
  worker.skipWaiting();
  event.waitUntil(storeOpenPages());
});
worker.addEventListener("activate", (/** @type {any} */ event) => event.waitUntil(worker.clients.claim()));
