// Checks of what all consoles share: signing in, refusals, answers, and what takes a fresh signature.

import { after, drawn, holds, memory, press, same, until, wires } from "./bench.js";

export function consoleChecks({ staffConsole }, { ConsoleClient }, { Session }, samples) {
  const welcome = { ...samples.welcome, staff: true };
  const snap = { ...samples.snap, fixture: undefined, seat: undefined, floor: samples.floors };

  async function arrived() {
    sessionStorage.clear();
    const host = document.createElement("main");
    document.body.append(host);
    const Wire = wires();
    const pageData = { screen: "pit", venue: "SkyCity Adelaide", mode: "demo", tables: [] };
    const client = new ConsoleClient(new Session({ pageData, storage: memory(), Socket: Wire }));
    const inner = { node: document.createElement("p"), update: ({ tables }) => void (inner.node.textContent = Object.keys(tables).join()) };
    staffConsole(host, client, { title: () => "Pit", pills: () => [{ says: "calm" }], parts: [inner] });
    const wire = Wire.last;
    await after(10);
    wire.tell(samples.enrolled, welcome);
    await drawn();
    return { host, wire, Wire, client };
  }
  const fill = (form, values) => {
    for (const [name, value] of Object.entries(values)) form.querySelector(`[name=${name}]`).value = value;
    form.requestSubmit();
  };
  async function signedIn() {
    const all = await arrived();
    all.wire.tell(samples.signed_in, snap);
    await until(() => all.host.querySelector(".inside p")?.textContent === "A", "the floor");
    return all;
  }
  const touched = async (client) => {
    const answer = await client.sendCommand({ type: "OpenBets", table: "A" });
    client.showRefusal(answer.refusal);
    return answer;
  };
  const refused = (id, code = "out_of_turn") => ({
    t: "ack",
    id,
    refusal: { id, code, clause: "9(c)", says: "Not now." },
  });

  return {
    "nobody sees the floor before signing in": async () => {
      const { host, wire } = await arrived();
      holds(host.querySelector(".inside").hidden, "hidden");
      fill(host.querySelector(".signin form"), { person: "ruth", secret: "s" });
      same(wire.words.at(-1), { t: "sign_in", person: "ruth", secret: "s" });
      wire.tell({ t: "refused", refusal: { code: "sign_in_refused", says: "Not right." } });
      await drawn();
      same(host.querySelector(".signin .notice").textContent, "Not right.");
      wire.tell(samples.signed_in, snap);
      await drawn();
      holds(!host.querySelector(".inside").hidden, "shown");
    },
    "a code that is good once is exchanged for a secret": async () => {
      const { host, wire } = await arrived();
      const first = host.querySelector(".signin form");
      fill(first, { person: "ruth", secret: "CODE" });
      wire.tell(samples.must_choose);
      await drawn();
      const choose = host.querySelector(".signin form");
      same([first.isConnected, choose === first], [false, false]);
      fill(choose, { secret: "one", again: "another" });
      same(wire.words.at(-1).t, "sign_in");
      fill(choose, { secret: "mine", again: "mine" });
      same(wire.words.at(-1), { t: "new_secret", person: "ruth", code: "CODE", secret: "mine" });
    },
    "after a lost line it goes on with the same sign-in": async () => {
      const { host, wire, Wire } = await signedIn();
      wire.close();
      const second = await until(() => (Wire.last !== wire ? Wire.last : null), "a new socket");
      await after(10);
      second.tell(welcome);
      same(second.words.at(-1), { t: "resume", token: samples.signed_in.token });
      holds(!host.querySelector(".inside").hidden, "all is left as it was");
    },
    "a house that was started again knows nobody": async () => {
      const { host, wire, Wire, client } = await signedIn();
      wire.close();
      const second = await until(() => (Wire.last !== wire ? Wire.last : null), "a new socket");
      await after(10);
      second.tell({ ...welcome, epoch: snap.epoch + 1 });
      second.tell({ t: "refused", refusal: { code: "signed_out", says: "Sign in first." } });
      await drawn();
      same([host.querySelector(".inside").hidden, sessionStorage.length, client.who], [true, 0, null]);
      same(host.querySelector(".signin .notice").textContent, "sign-in.restarted");
      same([host.querySelectorAll(".pill").length, host.querySelectorAll(".refusals li").length], [0, 0]);
    },
    "a secret is forgotten with its answer, and checked once": async () => {
      const { host, wire } = await arrived();
      const [first] = host.querySelectorAll(".signin form");
      fill(first, { person: "ruth", secret: "wrong" });
      const [secret, go] = [first.querySelector("[name=secret]"), first.querySelector("button")];
      await drawn();
      holds(go.disabled, "being checked");
      wire.tell({ t: "refused", refusal: { code: "sign_in_refused", says: "Not right." } });
      await drawn();
      same([secret.value, go.disabled], ["", false]);
    },
    "signed out, nothing of the floor is left": async () => {
      const { host, wire, client } = await signedIn();
      press(host, "console.sign-out");
      same(wire.words.at(-1), { t: "sign_out" });
      wire.tell(samples.signed_out);
      await drawn();
      same([host.querySelector(".inside").hidden, sessionStorage.length, client.who], [true, 0, null]);
    },
    "what is refused is told to whoever sent, and is not said twice": async () => {
      const { host, wire, client } = await signedIn();
      const sent = client.sendCommand({ type: "OpenBets", table: "A" });
      wire.tell(refused(wire.words.at(-1).id));
      same((await sent).refusal.code, "out_of_turn");
      await drawn();
      holds(host.querySelector(".refusals").hidden, "said nowhere else");
    },
    "what is refused at a touch is told above everything, with its clause, and not to the next": async () => {
      const { host, wire, client } = await signedIn();
      const sent = touched(client);
      wire.tell(refused(wire.words.at(-1).id));
      same((await sent).refusal.code, "out_of_turn");
      await until(() => host.querySelector(".refusals li"), "the refusal");
      holds(host.querySelector(".refusals li").textContent.startsWith("Not now."), "what was refused");
      holds(!host.querySelector(".refusals .clause-info").hidden, "its clause");
      press(host, "console.dismiss");
      await drawn();
      holds(host.querySelector(".refusals").hidden, "dismissed");
      void touched(client);
      wire.tell(refused(wire.words.at(-1).id));
      await until(() => !host.querySelector(".refusals").hidden, "told again");
      wire.tell({ ...samples.signed_in, person: "somebody else" });
      await drawn();
      holds(host.querySelector(".refusals").hidden, "not for the next");
    },
    "a question has its own answer": async () => {
      const { wire, client } = await signedIn();
      const [first, second] = [client.query("staff"), client.query("meters", { terminal: "T1" })];
      await until(() => wire.words.at(-1).t === "staff", "the first question");
      wire.tell({ t: "staff", q: wire.words.at(-1).q, people: [], more: 0 });
      await until(() => wire.words.at(-1).t === "meters", "the second, in its turn");
      wire.tell({ t: "refused", q: wire.words.at(-1).q, refusal: { code: "unknown_terminal", says: "None." } });
      same([(await first).t, (await second).refusal.says], ["staff", "None."]);
    },
    "a house that is busy is sent again": async () => {
      const { wire, client } = await signedIn();
      const enquired = client.query("staff");
      const sent = () => wire.words.filter(({ t }) => t === "staff");
      await until(() => sent().length === 1, "the question");
      wire.tell({ t: "refused", q: sent()[0].q, refusal: { code: "busy", says: "Try again." } });
      await until(() => sent().length === 2, "the question again");
      wire.tell({ t: "staff", q: sent()[1].q, people: [], more: 0 });
      same((await enquired).t, "staff");
    },
    "what was sent before a restart is answered by nobody, and questions are sent again": async () => {
      const { wire, Wire, client } = await signedIn();
      const [sent, enquired] = [client.sendCommand({ type: "OpenBets", table: "A" }), client.query("staff")];
      await until(() => wire.words.at(-1).t === "staff", "the question");
      wire.close();
      const second = await until(() => (Wire.last !== wire ? Wire.last : null), "a new socket");
      await after(10);
      second.tell(welcome, samples.signed_in, { ...snap, epoch: snap.epoch + 1 });
      same((await sent).refusal.code, "line_lost");
      const { t, q } = second.words.at(-1);
      same(t, "staff");
      second.tell({ t: "staff", q, people: [], more: 0 });
      same((await enquired).t, "staff");
    },
    "a second signature takes the secret again, and is then sent for again": async () => {
      const { host, wire, client } = await signedIn();
      const sent = client.sendCommand({ type: "Approve", proposal: 2 });
      const { id, command } = wire.words.at(-1);
      wire.tell(refused(id, "step_up_needed"));
      const dialog = await until(() => document.querySelector("dialog[open]"), "the question");
      fill(dialog.querySelector("form"), { secret: "mine" });
      await until(() => wire.words.at(-1).t === "step_up", "the secret");
      same(wire.words.at(-1), { t: "step_up", secret: "mine" });
      wire.tell(samples.stepped_up);
      await until(() => wire.words.at(-1).id === id + 1, "the same again");
      same([wire.words.at(-1).command, dialog.open], [command, false]);
      wire.tell({ t: "ack", id: id + 1 });
      same((await sent).refusal, null);
      same(host.querySelectorAll(".refusals li").length, 0);
    },
    "who does not sign again has sent for nothing": async () => {
      const { wire, client } = await signedIn();
      const sent = client.sendCommand({ type: "Approve", proposal: 2 });
      wire.tell(refused(wire.words.at(-1).id, "step_up_needed"));
      const dialog = await until(() => document.querySelector("dialog[open]"), "the question");
      press(dialog, "form.leave");
      same((await sent).refusal.code, "step_up_needed");
    },
  };
}
