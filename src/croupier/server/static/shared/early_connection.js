// Begins to connect a terminal, and to fetch its felt, while its script is loaded. It is part of the document.

{
  const data = globalThis.document?.getElementById("place")?.textContent;
  if (data) {
    const { screen, mode, tables } = JSON.parse(data);
    const parameters = new URLSearchParams(location.hash.slice(1) || location.search);
    const table = parameters.get("table") ?? (tables.length === 1 ? tables[0].table : null);
    const { felt } = tables.find((/** @type {{table: string}} */ one) => one.table === table) ?? {};
    if (felt) {
      const href = `felt/${felt}.json`;
      const link = document.createElement("link");
      document.head.append(Object.assign(link, { rel: "preload", as: "fetch", crossOrigin: "anonymous", href }));
    }
    // As sign_on.js and session.js do: a terminal that has to ask for something first does not connect yet.
    const seat = parameters.get("seat");
    const isEnrolled = localStorage.getItem(seat ? `croupier:${screen}:${seat}` : `croupier:${screen}`) !== null;
    if (isEnrolled || (mode === "demo" && table !== null)) {
      const url = new URL("wire", document.baseURI);
      url.protocol = url.protocol === "https:" ? "wss:" : "ws:";
      url.search = url.hash = "";
      /** @type {any} */ (globalThis).earlySocket = new WebSocket(url);
    }
  }
}
