// The scenes `clock` and `break`: one event's clock on the whole screen.

import { wallWords } from "../scenes.js";
import { fact } from "../words.js";
import { face } from "./face.js";

/** Show an event's clock; on `break`, the time to the next break is the largest thing. */
export function clockScene(host, { event, scene }) {
  const made = face(host, { event });
  return {
    topics: [`t/${event}`],
    badge: made.root.querySelector(".badge"),
    sounds: { event: `t/${event}` },
    paint({ read, now, zone, away }) {
      const doc = read(`t/${event}`);
      if (!doc) return null;
      const words = wallWords(doc, now, { zone, away });
      made.paint(scene === "break" ? towardsBreak(words) : words);
      return words.repaint_in;
    },
  };
}

/** Turn the words of a level towards the break that is coming; all other states speak first. */
export function towardsBreak(words) {
  if (words.break_in === null || !["playing", "last-minute"].includes(words.state)) return words;
  const rest = fact("level ends in", words.digits);
  return { ...words, caption: "break in", hero: words.break_in.value, break_in: rest, progress: null };
}
