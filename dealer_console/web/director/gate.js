// The gate: who has not been let in is told how.

import { el, put, show } from "./parts.js";

/** Make the gate; it shows a code that another director or the hub's own console can approve. */
export function gateView(app, host) {
  const title = el("h1");
  const code = el("p", "code");
  const how = el("ol", "how", el("li"), el("li"));
  const note = el("p", "note");
  host.replaceChildren(el("section", "", title, code, how, note));
  return function paint() {
    const { room } = app;
    const open = !room.mayWork;
    show(host, open);
    if (!open) return;
    const { session, welcome } = room;
    const shown = session.code?.code ?? "";
    const dealer = welcome?.role === "dealer";
    put(title, dealer ? "This is a dealer's tablet" : "For the director and the floor");
    put(code, shown ? `${shown.slice(0, 3)} ${shown.slice(3)}` : "");
    show(code, shown !== "");
    put(how.children[0], "Open the link that the hub printed when it was started: it lets one director in, once.");
    put(how.children[1], dealer
      ? `It works table ${welcome.table}. Open /dealer to go on, or let a director give it another role.`
      : shown ? "Or let a director approve this code: Screens and devices, Approve." : "Or let a director approve the code that is shown here in a moment.");
    put(note, [room.closed, room.problem, welcome === null && "Waiting for the hub to answer."].filter(Boolean).join(" · "));
  };
}
