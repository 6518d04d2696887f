// Runs every check in this browser, and sends what came of them to the test that waits for it.

import { rest } from "./bench.js";
import { connectionChecks } from "./connection.js";
import { wordsChecks } from "./words.js";
import { signOnChecks } from "./sign_on.js";
import { consoleChecks } from "./console.js";

const version = new URL(import.meta.url).searchParams.get("v");
const load = (path) => import(`/static/${version}/${path}`);
const samples = await (await fetch(new URL("samples.json", import.meta.url))).json();
const outcome = {};

async function run(group, checks) {
  outcome[group] = {};
  for (const [name, check] of Object.entries(checks)) {
    try {
      await check();
      outcome[group][name] = "passed";
    } catch (error) {
      outcome[group][name] = `${error.stack ?? error}`;
    }
    rest();
  }
}

addEventListener("error", (event) => (outcome.page = { error: String(event.message) }));
addEventListener(
  "unhandledrejection",
  (event) => (outcome.page = { error: String(event.reason?.stack ?? event.reason) }),
);
addEventListener(
  "securitypolicyviolation",
  (event) => (outcome.page = { error: `policy: ${event.violatedDirective} ${event.blockedURI}` }),
);
await run("words", wordsChecks(await load("shared/text.js")));
await run("connection", connectionChecks(await load("shared/connection.js")));
await run("sign-on", signOnChecks(await load("terminal/sign_on.js"), await load("shared/session.js"), samples));
await run(
  "console",
  consoleChecks(
    await load("console/console.js"),
    await load("console/client.js"),
    await load("shared/session.js"),
    samples,
  ),
);
outcome.page ??= { error: "passed" };
await fetch(new URL("outcome", import.meta.url), { method: "POST", body: JSON.stringify(outcome) });
