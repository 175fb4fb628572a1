// The scenes `clock` and `break`: one event's clock on the whole screen.

import { eventWords } from "../words.js";
import { face } from "./face.js";

/** Show an event's clock; on `break`, the time to the next break is the largest thing. */
export function clockScene(host, { event, scene }) {
  const made = face(host);
  return {
    topics: [`t/${event}`],
    badge: made.root.querySelector(".badge"),
    sounds: { event: `t/${event}` },
    more: ({ read }) => lastTable(read, event),
    paint({ read, now, zone, away, time }) {
      const doc = read(`t/${event}`);
      if (!doc) return null;
      const words = eventWords(doc, now, { zone, away, last: lastName(read, event) });
      made.paint(scene === "break" ? towardsBreak(words) : words, time);
      return words.flip;
    },
  };
}

/** When all is over, look for the one who is left: the winner is not among those who went out. */
function lastTable(read, event) {
  const doc = read(`t/${event}`);
  if (doc?.clock.status !== "finished" || doc.field.left !== 1) return [];
  const board = Object.entries(read(`t/${event}/tables`)?.tables ?? {}).filter(([, row]) => row.players > 0);
  const alone = board.length === 1 && board[0][1].players === 1;
  return [`t/${event}/tables`, ...(alone ? [`t/${event}/table/${board[0][0]}`] : [])];
}

function lastName(read, event) {
  const [, topic] = lastTable(read, event);
  const [seat, ...others] = topic ? Object.values(read(topic)?.seats ?? {}) : [];
  return seat && others.length === 0 ? seat.name || seat.player : null;
}

/** Turn the words of a level towards the break that is coming; all other states speak first. */
function towardsBreak(words) {
  const coming = words.left.find(({ label }) => label === "break in");
  if (!coming || !["playing", "last-minute"].includes(words.state)) return words;
  const left = words.left.map((each) => (each === coming ? { label: "level ends in", value: words.digits, note: "" } : each));
  return { ...words, caption: "break in", digits: coming.value, left, progress: null };
}
