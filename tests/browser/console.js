// Checks of the consoles: signing in, the steps of a round, and what takes two signatures.

import { after, drawn, holds, memory, press, same, until, wires } from "./bench.js";

export function consoleChecks({ dealer }, { pit }, { Session }, samples) {
  const welcome = { ...samples.welcome, staff: true };
  const snap = { ...samples.snap, fixture: undefined, seat: undefined, floor: samples.floors };

  async function arrived(door, make) {
    sessionStorage.clear();
    const host = document.createElement("main");
    document.body.append(host);
    const Wire = wires();
    const place = { door, venue: "SkyCity Adelaide", mode: "demo", tables: [] };
    make(host, new Session({ place, storage: memory(), Socket: Wire }));
    const wire = Wire.last;
    await after(10);
    wire.tell(samples.enrolled, welcome);
    await drawn();
    return { host, wire, Wire };
  }
  const fill = (form, values) => {
    for (const [name, value] of Object.entries(values)) form.querySelector(`[name=${name}]`).value = value;
    form.querySelector("button").click();
  };
  async function signedIn(door, make) {
    const { host, wire, Wire } = await arrived(door, make);
    wire.tell(samples.signed_in, snap);
    await until(() => host.querySelector(".game h2")?.textContent.startsWith("Table A"), "the floor");
    return { host, wire, Wire };
  }

  return {
    "nobody sees the floor before signing in": async () => {
      const { host, wire } = await arrived("dealer", dealer);
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
      const { host, wire } = await arrived("pit", pit);
      const [first, choose] = host.querySelectorAll(".signin form");
      fill(first, { person: "ruth", secret: "CODE" });
      wire.tell(samples.must_choose);
      await drawn();
      same([first.hidden, choose.hidden], [true, false]);
      fill(choose, { secret: "one", again: "another" });
      same(wire.words.at(-1).t, "sign_in");
      fill(choose, { secret: "mine", again: "mine" });
      same(wire.words.at(-1), { t: "new_secret", person: "ruth", code: "CODE", secret: "mine" });
    },
    "after a lost line it goes on with the same sign-in": async () => {
      const { wire, Wire } = await signedIn("pit", pit);
      wire.close();
      const second = await until(() => (Wire.last !== wire ? Wire.last : null), "a new socket");
      await after(10);
      second.tell(welcome);
      same(second.words.at(-1), { t: "resume", token: samples.signed_in.token });
    },
    "signed out, nothing of the floor is left": async () => {
      const { host, wire } = await signedIn("pit", pit);
      press(host, "Sign out");
      same(wire.words.at(-1), { t: "sign_out" });
      wire.tell(samples.signed_out);
      await drawn();
      same([host.querySelector(".inside").hidden, sessionStorage.length], [true, 0]);
    },
    "the steps of a round are asked for by name": async () => {
      const { host, wire } = await signedIn("dealer", dealer);
      for (const words of ["Open bets", "Finish betting", "No more bets", "Spin the ball", "Reset the terminals"])
        press(host, words);
      same(
        wire.words.slice(-5).map(({ command }) => command),
        ["OpenBets", "FinishBetting", "CloseBets", "SpinBall", "ResetTerminals"].map((type) => ({ type, table: "A" })),
      );
    },
    "the number that the wheel reports is chosen beforehand, and confirmed for this round": async () => {
      const { host, wire } = await signedIn("dealer", dealer);
      await until(() => host.querySelector("select[name=pocket]").value === "17", "the number");
      press(host, "Confirm the number");
      same(wire.words.at(-1).command, { type: "ConfirmResult", table: "A", round: 12, spin: 1, pocket: "17" });
    },
    "a spin is called off for a reason of the rules": async () => {
      const { host, wire } = await signedIn("dealer", dealer);
      const reason = await until(() => host.querySelector("select[name=reason] option")?.parentElement, "the reasons");
      reason.value = "foreign_object";
      press(host, "No spin");
      const { type, reason: told, before_rest, ball_removed } = wire.words.at(-1).command;
      same([type, told, before_rest, ball_removed], ["CallNoSpin", "foreign_object", true, false]);
    },
    "a refusal is told with its clause": async () => {
      const { host, wire } = await signedIn("dealer", dealer);
      press(host, "Open bets");
      wire.tell({
        t: "ack",
        id: wire.words.at(-1).id,
        refusal: { id: 41, code: "out_of_turn", clause: "9(c)", says: "Not now." },
      });
      await drawn();
      same(host.querySelector(".refusals").textContent, "Not now. Clause 9(c).");
    },
    "an incident is seen to": async () => {
      const { host, wire } = await signedIn("pit", pit);
      press(host, "Seen to");
      same(wire.words.at(-1).command, { type: "ClearIncident", incident: 4 });
    },
    "a second signature takes the secret again, and is then asked for again": async () => {
      const { host, wire } = await signedIn("pit", pit);
      press(host, "Approve");
      const { id, command } = wire.words.at(-1);
      same(command, { type: "Approve", proposal: 2 });
      wire.tell({ t: "ack", id, refusal: { id, code: "step_up_needed", says: "Again." } });
      const dialog = await until(() => host.querySelector("dialog[open]"), "the question");
      fill(dialog, { secret: "mine" });
      same(wire.words.at(-1), { t: "step_up", secret: "mine" });
      wire.tell(samples.stepped_up);
      await drawn();
      same([wire.words.at(-1).command, wire.words.at(-1).id, dialog.open], [command, id + 1, false]);
      same(host.querySelectorAll(".refusals li").length, 0);
    },
    "anything can be asked for by hand": async () => {
      const { host, wire } = await signedIn("pit", pit);
      const box = host.querySelector("textarea");
      box.value = "no JSON";
      press(host, "Ask");
      holds(!box.closest("form").querySelector(".notice").hidden, "it says so");
      box.value = '{"type": "SendMessage", "terminals": [], "words": "Hello."}';
      press(host, "Ask");
      same(wire.words.at(-1).command, { type: "SendMessage", terminals: [], words: "Hello." });
    },
  };
}
