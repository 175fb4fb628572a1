// The betting round: what comes after the last player, in words; the twin of dealer_console/rounds.py.

import { joined } from "./phrases.js";
import { big, made } from "./sight.js";

/** The big button that ends the hand. */
export function over(sight, note = "") {
  return sight.h4h ? big("HAND DONE", note, sight.to("h4h.done")) : big("HAND OVER", note, sight.to("hand.end"));
}

/** The big button while the last one of a round thinks. */
export function lastToAct(sight) {
  let follows = `then the ${sight.nextStreet}`;
  if (sight.nextStreet === "") follows = "then the showdown";
  else if (sight.asked().length <= 1) follows = "then run the board";
  return big("LAST TO ACT", follows, sight.to("action.next"));
}

/** The big button that is what comes next; null where no round is known. */
export function onward(sight) {
  const { comes } = sight;
  if (comes === null) return null;
  if (comes === "act") return big("NEXT PLAYER", sight.name(sight.toAct[0] ?? null), sight.to("action.next"));
  if (comes === "run_out" && sight.h4h === "playing") {
    return big("ALL-IN", "tell the floor: cards face down", sight.to("h4h.all_in"));
  }
  if (comes === "run_out") return big("RUN THE BOARD", "all of it, then tap", sight.to("street.next", { street: "river" }));
  if (comes === "showdown") return over(sight, "as the pot is pushed");
  if (comes === "over") return over(sight, sight.inHand.length > 0 ? `pot to seat ${sight.inHand[0]}` : "");
  const opener = sight.leftOf(sight.hand.button);
  const begins = opener === null ? "" : `: seat ${opener}'s time begins`;
  return big(comes.toUpperCase(), `deal it, then tap${begins}`, sight.to("street.next", { start: true }));
}

/** Nobody is left to act in this round: what comes next. */
export function roundScene(sight) {
  const { comes } = sight;
  if (comes === null || comes === "act") return null;
  const ends = (state, word, detail) => made(state, { word, detail, big: onward(sight) });
  const none = "nobody can act any more";
  if (comes === "over") return ends("hand_ends", "HAND OVER", "one player is left");
  if (comes === "run_out") {
    return ends("run_out", "ALL-IN", sight.h4h === "playing" ? "cards stay face down, no more cards" : none);
  }
  if (comes === "showdown") return ends("showdown", "SHOWDOWN", sight.asked().length <= 1 ? none : "everybody has acted");
  return ends("round_over", "ROUND OVER", "everybody has acted");
}

/** Whose bet is counted, and who is next; nothing where the hub does not say whose. */
export function countWords(sight, following) {
  const bettor = sight.hand.bettor ?? null;
  if (bettor === null) return "";
  return joined(`counting seat ${bettor}'s bet`, following === null ? "" : `seat ${following} is next`);
}

/** What is unusual about the button and the blinds, before anybody has acted (DB). */
export function posts(sight) {
  if (!sight.untouched) return "";
  const { button, blinds, straddle } = sight.hand;
  const dead = button !== null && !(button in sight.table.seats);
  return joined(
    dead ? `dead button, seat ${button}` : "",
    blinds.small === null && blinds.big !== null ? "dead small blind" : "",
    straddle === null ? "" : `seat ${straddle} straddles`,
  );
}
