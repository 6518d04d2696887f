// Checks of device sign-on: a terminal connects with its stored device, at a chosen table, or with a key.

import { after, memory, same, wires } from "./bench.js";

export function signOnChecks({ signOn }, { Session }, samples) {
  const tables = ["A", "B"].map((table) => ({ table, rulebook: "x", title: "x" }));
  const pageData = { screen: "terminal", venue: "SkyCity Adelaide", mode: "demo", tables: tables.slice(0, 1) };

  /** A page that sits down, with what it was told to remember. */
  async function seated(more = {}, known = null) {
    const [storage, Wire, host] = [memory(), wires(), document.createElement("main")];
    document.body.append(host);
    if (known) storage.setItem("croupier:terminal", JSON.stringify(known));
    signOn(new Session({ pageData: { ...pageData, ...more }, storage, Socket: Wire }), host);
    await after(10);
    const fill = async (values) => {
      for (const [name, value] of Object.entries(values)) host.querySelector(`[name=${name}]`).value = value;
      host.querySelector("form.enrol button").click();
      await after(10);
    };
    return { storage, Wire, fill, host };
  }

  return {
    "a device that is known comes in by its key": async () => {
      const { Wire, host } = await seated({ mode: "real" }, { device: "A-1", key: "k" });
      same(Wire.last.words, [{ t: "hello", screen: "terminal", protocol: 1, device: "A-1", key: "k", table: "" }]);
      same(host.childElementCount, 0);
    },
    "a demonstration sits down, and keeps the key it is given": async () => {
      const { Wire, storage } = await seated();
      same(Wire.last.words[0], { t: "hello", screen: "terminal", protocol: 1, join: "", table: "A" });
      Wire.last.tell(samples.enrolled);
      const { device, key } = samples.enrolled;
      same(JSON.parse(storage.getItem("croupier:terminal")), { device, key });
    },
    "where there are several tables it asks for one first": async () => {
      const { Wire, fill } = await seated({ tables });
      same(Wire.last, null);
      await fill({ table: "B" });
      same(Wire.last.words[0], { t: "hello", screen: "terminal", protocol: 1, join: "", table: "B" });
    },
    "where money is real it asks for a device and its key": async () => {
      const { Wire, fill, storage } = await seated({ mode: "real", tables });
      await fill({ device: "A-3 ", key: " secret" });
      same(Wire.last.words[0], { t: "hello", screen: "terminal", protocol: 1, device: "A-3", key: "secret", table: "" });
      same(JSON.parse(storage.getItem("croupier:terminal")), { device: "A-3", key: "secret" });
    },
  };
}
