// A screen that nobody has given anything to show yet: its code, huge, and what to do with it.
//
// Meanwhile it is not useless: the clocks of the room are below, as far as anybody may see them.

import { digits, nextFlip, remaining } from "./clock.js";
import { phase } from "./brief.js";
import { el, fit, put, show } from "./scenes/parts.js";

const MOST = 3;

/** Put up the scene; `session` has the code, `trouble()` what the hub said against it. */
export function pairingScene(host, { session, address, trouble }) {
  const badge = el("span", "badge");
  const code = el("p", "code");
  const say = el("p", "say");
  const where = el("p", "where");
  const left = el("p", "left-over");
  const rows = el("div", "rooms");
  const head = el("div", "head", el("span", "name", "New screen"), badge);
  host.append(el("section", "pairing", head, el("div", "middle", code, say, where, left), rows));
  let made = [];

  return {
    topics: ["events"],
    badge,
    more: ({ read }) => chosen(read).map(({ id }) => `t/${id}`),
    paint({ read, now }) {
      const shown = session().connected ? session().code : null; // a code goes with its connection
      fit(code, shown ? `${shown.code.slice(0, 3)} ${shown.code.slice(3)}` : "··· ···");
      put(say, trouble() || "Type this code at the director's console, under Screens");
      put(where, address);
      const until = shown && now !== null ? Math.max(0, shown.until - now) : null;
      put(left, until === null ? "" : `A new code comes by itself in ${digits(until)}`);
      const flips = until === null ? [] : [nextFlip(until)];
      const listed = chosen(read);
      if (String(made.map(({ id }) => id)) !== String(listed.map(({ id }) => id))) {
        made = listed.map(({ id }) => ({ id, name: el("span", "name"), what: el("span", "what"), time: el("span", "time") }));
        rows.replaceChildren(...made.map(({ name, what, time }) => el("div", "room", name, what, time)));
      }
      for (const { id, name, what, time } of made) {
        const doc = read(`t/${id}`);
        show(name.parentElement, doc !== null);
        if (doc === null) continue;
        // Until the hub's time is known, a running clock has no digits that could be true.
        const ms = now === null && doc.clock.ends_at !== null ? null : remaining(doc.clock, now);
        put(name, doc.name);
        put(what, phase(doc.clock));
        put(time, ms === null ? "–:––" : digits(ms));
        if (ms !== null && doc.clock.ends_at !== null) flips.push(nextFlip(ms));
      }
      const soon = flips.filter((flip) => flip !== null);
      return soon.length > 0 ? Math.min(...soon) : null;
    },
  };
}

/** The first events that are not over. */
function chosen(read) {
  return (read("events")?.events ?? []).filter(({ status }) => status !== "finished").slice(0, MOST);
}
