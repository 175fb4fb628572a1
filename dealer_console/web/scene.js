// The scene at a table: in which of its states the play is, and what the big button does in it.
//
// The twin of dealer_console/scene.py. The big button is what comes next, as the hub says it.

import { remaining } from "/web/clock.js";

import { blindsWords, counted, HELD_BY_RULES, OUTCOMES, SECOND } from "./phrases.js";
import { countWords, lastToAct, onward, over, posts, roundScene } from "./rounds.js";
import { big, made } from "./sight.js";

function closed(sight) {
  const { clock } = sight.event;
  if (clock.status === "finished") return made("finished", { word: "FINISHED", big: big("FINISHED") });
  if (clock.status !== "waiting" && clock.status !== "suspended") return null;
  const waiting = clock.status === "waiting";
  const at = waiting ? clock.starts_at : clock.resumes_at;
  const left = at === null ? null : Math.max(0, at - sight.look.now);
  return made(clock.status, {
    word: waiting ? "NOT STARTED" : "SUSPENDED",
    detail: at === null ? "" : "play begins in",
    left,
    stands: !left,
    big: big("WAIT", "the director starts the clock"),
  });
}

function paused(sight) {
  const { event: { clock }, table, look } = sight;
  let found;
  if (table.paused !== null) {
    found = { state: "paused", word: "TABLE PAUSED", detail: table.paused === "paused" ? "" : table.paused };
  } else if (clock.status === "paused" && !HELD_BY_RULES.includes(clock.reason)) {
    found = { state: "room_paused", word: "ROOM PAUSED", detail: clock.reason ?? "" };
  } else return null;
  const shown = table.action.remaining_ms !== null ? table.action : table.called;
  const resumes = found.state === "paused" && look.role !== "dealer";
  return made(found.state, {
    ...found,
    seat: shown.seat,
    left: shown.remaining_ms,
    span: sight.base(shown.seat) ?? 0,
    big: resumes ? big("GO ON", "table resumes", sight.to("table.resume")) : big("PAUSED", "the floor resumes play"),
  });
}

function called(sight) {
  const clock = sight.table.called;
  if (clock.status === "off") return null;
  if (clock.status === "expired") return ranOut(sight, "called", clock.seat, clock.outcome);
  const counting = clock.status === "countdown";
  return made(counting ? "called_countdown" : "called", {
    seat: clock.seat,
    word: counting ? "COUNT DOWN" : "CLOCK CALLED",
    left: remaining(clock, sight.look.now),
    stands: clock.ends_at === null,
    span: sight.event.called_clock.seconds * SECOND,
    big: big("PLAYER ACTED", sight.name(clock.seat), sight.to("called.stop")),
  });
}

function action(sight) {
  const clock = sight.table.action;
  if (clock.status === "idle") return null;
  if (clock.status === "expired") return ranOut(sight, "expired", clock.seat, clock.outcome);
  // A bet that nobody can answer: the round is over.
  if (clock.status === "held" && clock.acted && sight.comes !== null && sight.comes !== "act") return null;
  return clock.status === "held" ? held(sight, clock) : running(sight, clock);
}

const restart = (sight) => big("RESTART", "full time for the next player", sight.to("action.start", { seat: null }));

function running(sight, clock) {
  const { look, event } = sight;
  const { seat } = clock;
  const left = remaining(clock, look.now) ?? 0;
  const onBank = clock.on_bank > 0;
  let span = sight.base(seat) ?? 0;
  if (onBank && event.action_clock !== null) span = clock.on_bank * event.action_clock.chip_seconds * SECOND;
  let [state, word, detail] = onBank ? ["on_bank", "TIME BANK", ""] : ["running", "", ""];
  if (left === 0 || clock.status === "expiring") {
    [state, word] = ["expiring", "TIME"];
    detail = look.freshness === "fresh" ? "" : "the hub rules when it is back";
  }
  const following = sight.after(seat);
  let button = big("NEXT PLAYER", sight.name(following), sight.to("action.next"));
  if (look.simple) button = restart(sight);
  else if (following === null && sight.comes === "act" && seat !== null) button = lastToAct(sight);
  else if (following === null) {
    const note = seat === null ? "tap the seat that is next" : "nobody is left to act";
    button = big("DONE", note, sight.to("action.next"));
  }
  return made(state, { seat, word, detail, left, stands: clock.ends_at === null, span, big: button });
}

function held(sight, clock) {
  const { seat } = clock;
  const found = made("held", { seat, word: "COUNTING", left: clock.remaining_ms, span: sight.base(seat) ?? 0 });
  if (clock.acted) {
    const button = big("NEXT PLAYER", `full time for ${sight.name(seat)}`, sight.to("action.next"));
    return { ...found, detail: countWords(sight, seat), big: button };
  }
  found.big = big("GO ON", sight.name(seat), sight.to("action.release"));
  if (!clock.interrupted) return { ...found, state: "clock_held", word: "CLOCK HELD" };
  return { ...found, state: "interrupted", word: "INTERRUPTED", detail: "the link was lost: nobody lost time" };
}

function ranOut(sight, kind, seat, outcome) {
  const [word, detail] = OUTCOMES[outcome];
  const state = outcome === "needs_ruling" ? "needs_ruling" : `${kind}_${outcome}`;
  let button;
  if (state === "needs_ruling") {
    const floor = sight.table.floor === null ? sight.to("floor.call") : null;
    button = big(floor === null ? "FLOOR CALLED" : "CALL FLOOR", "the floor must rule", floor);
  } else if (sight.look.simple) button = restart(sight);
  else button = onward(sight) ?? goesOn(sight, kind, seat);
  return made(state, { seat, word, detail, left: 0, big: button });
}

/** The big button after a player's time ran out in a hand that knows no round. */
function goesOn(sight, kind, seat) {
  if (kind === "called") return big("GO ON", "the hand goes on", sight.to("called.stop"));
  return big("NEXT PLAYER", sight.name(sight.after(seat)), sight.to("action.next"));
}

/** What hand-for-hand asks; where a clock is in play, it goes on (SB-47k). */
function handForHand(sight) {
  const { h4h: status, event: { h4h, clock } } = sight;
  const { unit } = h4h;
  if (status === "") return null;
  if (status === "all_in") {
    const wait = big("WAIT", "cards face down, no more cards");
    return made("h4h_all_in", { word: "ALL-IN", detail: "cards stay face down until told", big: wait });
  }
  if (status === "runout") {
    return made("h4h_runout", { word: "RUN THE BOARD", detail: "then report the hand", big: over(sight) });
  }
  if (status === "playing" || status === "ahead") return released(sight);
  if (clock.phase === "break") return null;
  if (status === "done" && h4h.soft && h4h.status === "playing") {
    const button = big("NEW HAND", "may lead by one hand", sight.to("hand.start"));
    return made("h4h_done", { word: "HAND DONE", detail: "one more hand may be dealt", big: button });
  }
  if (h4h.status === "holding") {
    return made("h4h_hold", { word: "HOLD", detail: "every table is done", big: big("HOLD", `wait for the next ${unit}`) });
  }
  const others = counted(h4h.pending, "table plays", "tables play");
  return made("h4h_done", { word: "HAND DONE", detail: `${others} on`, big: big("HOLD", "wait for the other tables") });
}

/** What a table does whose hand is released: it deals, plays as ever, and reports. */
function released(sight) {
  const { event: { h4h }, hand, look } = sight;
  if (!hand.in_progress) {
    const note = hand.misdealt ? REPLAYED : `${h4h.unit} ${h4h.hand} is released`;
    return made("h4h_deal", { word: "DEAL", detail: note, big: big("NEW HAND", note, sight.to("hand.start")) });
  }
  if (sight.base(hand.turn) !== null && (hand.turn !== null || look.simple)) return null;
  if (sight.comes !== null) return roundScene(sight);
  return made("h4h_playing", { detail: "report when the hand is over", big: over(sight) });
}

function inHand(sight) {
  const { look, hand, event } = sight;
  const idle = event.clock.phase === "break" && !hand.in_progress;
  if (look.simple && sight.base(null) !== null && !idle) {
    return made("to_start", { big: big("START", "time for whoever is to act", sight.to("action.start", { seat: null })) });
  }
  if (!hand.in_progress) return null;
  const base = sight.base(hand.turn);
  if (hand.turn !== null && base !== null) {
    const button = big("START", sight.name(hand.turn), sight.to("action.next"));
    return made("to_start", { seat: hand.turn, word: "TO ACT", detail: posts(sight), left: base, span: 1, big: button });
  }
  const ended = roundScene(sight);
  if (ended !== null) return ended;
  const detail = event.action_clock === null ? "" : "tap the seat that is to act";
  return made("idle", { word: "HAND IN PLAY", detail, big: over(sight) });
}

function onBreak(sight) {
  const { clock } = sight.event;
  if (clock.reason === "hard_stop" && clock.status === "paused") {
    const button = big("NO NEW HAND", "play has ended for tonight");
    return made("hard_stop", { word: "TIME IS UP", detail: "no new hand tonight", big: button });
  }
  if (clock.phase !== "break") return null;
  const left = remaining(clock, sight.look.now);
  return made("break", {
    word: "BREAK",
    detail: left === null ? "the director calls you back" : "play goes on in",
    left,
    stands: clock.ends_at === null,
    span: clock.length_ms ?? 0,
    big: big("BREAK", "no new hand"),
  });
}

/** What the next hand is after a misdeal (AP-35C). */
const REPLAYED = "replay: same button, same level";

function betweenHands(sight) {
  const { table, hand } = sight;
  const start = sight.to("hand.start");
  if (hand.misdealt) {
    return made("replay", { word: "MISDEAL", detail: REPLAYED, big: big("REPLAY HAND", blindsWords(table), start) });
  }
  const button = big("NEW HAND", blindsWords(table.next_hand ?? table), start);
  return made("between_hands", { word: "BETWEEN HANDS", detail: "tap as the hand begins", big: button });
}

const SCENES = [closed, paused, called, action, handForHand, inHand, onBreak, betweenHands];

/** Say which scene it is: the first that fits. */
export function sceneOf(look, sight) {
  if (sight === null) {
    const away = look.freshness !== "fresh";
    const word = away ? "NO HUB" : "NO TABLE";
    const shut = look.was_open ? "is closed" : "is not open yet";
    const detail = away ? "looking for the hub" : `table ${look.number} ${shut}`;
    return made("no_table", { word, detail, big: big(word) });
  }
  for (const find of SCENES) {
    const found = find(sight);
    if (found !== null) return found;
  }
  return null;
}
