// The dealer's console: from documents and an instant to everything that a dealer sees and can tap.
//
// The twin of dealer_console/face.py, scene.py and phrases.py, held to the same vectors
// (tests/vectors/dealer.json). Nothing here reads a clock or touches a page, and nothing decides
// anything: the hub does. A look is
//   { number, table, event, lease, now, freshness, away, me, role, simple }
// `table`, `event` and `lease` are documents or null, `now` is hub time, `away` for how long the hub
// has not been heard (or null), `me` the hub's name for this device (welcome.device).

import { digits, nextFlip, remaining } from "/web/clock.js";

const SECOND = 1_000;
const TEN = 10_000;
const FIVE = 5_000;
const NOT_HEARD = 2_000;
const SLOWEST = 60_000;

const COUNTS = ["running", "on_bank", "expiring", "called", "called_countdown"];
const CLOSED = ["no_table", "waiting", "suspended", "finished"];
const BANKS = [
  "running", "on_bank", "expiring", "held", "clock_held", "interrupted", "expired_dead", "expired_check", "expired_time",
];
const STREETS = ["preflop", "flop", "turn", "river"];
const HELD_BY_RULES = ["hand_for_hand", "break_waits", "hard_stop"];
const BADGES = { fresh: "live", coasting: "hub away", stale: "NOT LIVE" };

const DEEDS = {
  "action.all_in": "all-in",
  "action.bank": "time bank",
  "action.fold": "fold",
  "action.hold": "count",
  "action.next": "next player",
  "action.release": "go on",
  "action.start": "start",
  "action.stop": "stop",
  "called.stop": "player acted",
  "collect.done": "collected",
  "dealer.push": "push",
  "floor.call": "call floor",
  "h4h.all_in": "all-in",
  "h4h.done": "hand done",
  "hand.end": "hand over",
  "hand.start": "new hand",
  "street.next": "street",
  "table.pause": "pause table",
};

const NOTICES = {
  hold_push: "HOLD THE PUSH",
  prepare_decks: "PREPARE YOUR DECKS",
  last_level: "LAST LEVEL",
  last_level_over: "TIME IS UP: IT GOES ON WITHOUT END",
  hard_stop: "PLAY ENDS SOON",
};

const OUTCOMES = {
  dead: ["DEAD HAND", "time ran out facing a bet"],
  check: ["CHECK", "time ran out, no bet to face"],
  time: ["TIME", "dead if facing a bet, else check; a chip: tap the seat"],
  needs_ruling: ["FLOOR RULES", "time ran out while this table could not be heard"],
};

// ── words ───────────────────────────────────────────────────────────────────────────────────────

const grouped = (number) => String(number).replace(/\B(?=(\d{3})+$)/g, ",");
const counted = (number, one, many) => `${grouped(number)} ${number === 1 ? one : many}`;
const joined = (...parts) => parts.filter((part) => part !== "").join(" · ");
const ago = (ms) => `${digits(Math.floor(Math.max(0, ms) / SECOND) * SECOND)} ago`;

function blindsWords(level) {
  if (level.small === null) return "";
  const ante = level.ante ? ` (${grouped(level.ante)})` : "";
  return `${grouped(level.small)} / ${grouped(level.big)}${ante}`;
}

function seatWords(number, seats) {
  const taken = seats[number];
  return taken === undefined ? `seat ${number}` : `seat ${number} · ${taken.name}`;
}

function undoWords(undo) {
  if (undo === null) return ["UNDO", ""];
  const deed = DEEDS[undo.do] ?? undo.do;
  const many = undo.do === "action.bank" ? ` +${undo.chips ?? 1}` : "";
  const whose = undo.seat === null ? "" : `, seat ${undo.seat}`;
  return [undo.again ? "REDO" : "UNDO", `${deed}${many}${whose}`];
}

function handForHandWords({ h4h }) {
  if (h4h.status === "off") return "";
  const { unit } = h4h;
  const total = Object.keys(h4h.tables).length;
  const name = `${unit} for ${unit}`.toUpperCase();
  if (h4h.status === "announced") return joined(name, "finish this hand, then hold");
  const done = `${total - h4h.pending} of ${counted(total, "table", "tables")} done`;
  return joined(name, h4h.hand ? `${unit} ${h4h.hand}` : "", done);
}

// ── what every part of the console reads ────────────────────────────────────────────────────────

const tap = (id, label, note = "", command = null) => ({ id, label, note, command });
const big = (label, note = "", command = null) => tap("big", label, note, command);

const SCENE = { seat: null, word: "", detail: "", left: null, stands: true, span: 0, big: big("") };
const made = (state, rest) => ({ ...SCENE, state, ...rest });

/** A look at an open table of a known event. */
class Sight {
  constructor(look) {
    this.look = look;
    this.table = look.table;
    this.event = look.event;
    this.hand = look.table.hand;
    this.h4h = look.table.h4h ?? "";
    const dealt = this.hand.in_progress;
    this.inHand = Object.entries(look.table.seats)
      .filter(([, seat]) => seat.in_hand || !dealt)
      .map(([number]) => Number(number));
  }

  /** Make a command to this table. */
  to(name, args = {}) {
    return { do: name, args: { table: this.look.number, ...args }, to: "event" };
  }

  /** List the seats that can still be asked to act. */
  asked() {
    return this.inHand.filter((seat) => !this.hand.all_in.includes(seat));
  }

  /** Find the next seat to be asked. */
  after(seat) {
    if (seat === null) return null;
    const others = this.asked().filter((other) => other !== seat);
    const order = (other) => (other < seat ? 1_000 : 0) + other;
    return others.sort((one, two) => order(one) - order(two))[0] ?? null;
  }

  /** Say how long a seat has; null where no clock is in play for it. */
  base(seat) {
    const limit = (seat === null ? undefined : this.table.seats[seat])?.limit_s ?? null;
    const times = [limit, this.event.action_clock?.seconds ?? null].filter((time) => time !== null);
    return times.length > 0 ? Math.min(...times) * SECOND : null;
  }

  /** Name a seat; nothing where there is none. */
  name(seat) {
    return seat === null ? "" : seatWords(seat, this.table.seats);
  }

  title(seat) {
    return seat === null ? "" : `SEAT${seatWords(seat, this.table.seats).slice(4)}`;
  }
}

// ── scenes: the first that fits ─────────────────────────────────────────────────────────────────

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
    big: resumes ? big("GO ON", "table resumes", sight.to("table.resume")) : big("PAUSED", "the floor lets it go on"),
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
    return { ...found, big: big("NEXT PLAYER", `full time for ${sight.name(seat)}`, sight.to("action.next")) };
  }
  found.big = big("GO ON", sight.name(seat), sight.to("action.release"));
  if (!clock.interrupted) return { ...found, state: "clock_held", word: "CLOCK HELD" };
  return { ...found, state: "interrupted", word: "INTERRUPTED", detail: "the hub was away: nobody lost time" };
}

function ranOut(sight, kind, seat, outcome) {
  const [word, detail] = OUTCOMES[outcome];
  const state = outcome === "needs_ruling" ? "needs_ruling" : `${kind}_${outcome}`;
  let button = big("NEXT PLAYER", sight.name(sight.after(seat)), sight.to("action.next"));
  if (state === "needs_ruling") {
    const floor = sight.table.floor === null ? sight.to("floor.call") : null;
    button = big(floor === null ? "FLOOR CALLED" : "CALL FLOOR", "the floor must rule", floor);
  } else if (sight.look.simple) button = restart(sight);
  else if (sight.inHand.length <= 1 && sight.hand.in_progress) button = over(sight);
  else if (kind === "called") button = big("GO ON", "the hand goes on", sight.to("called.stop"));
  return made(state, { seat, word, detail, left: 0, big: button });
}

function over(sight) {
  return sight.h4h ? big("HAND DONE", "", sight.to("h4h.done")) : big("HAND OVER", "", sight.to("hand.end"));
}

/** What hand-for-hand asks; where a clock is in play, it goes on (SB-47k). */
function handForHand(sight) {
  const { h4h: status, event: { h4h, clock }, hand, look } = sight;
  const { unit } = h4h;
  if (status === "") return null;
  if (status === "all_in") {
    const wait = big("WAIT", "cards face down, no more cards");
    return made("h4h_all_in", { word: "ALL-IN", detail: "cards stay face down until told", big: wait });
  }
  if (status === "runout") {
    return made("h4h_runout", { word: "RUN THE BOARD", detail: "then report the hand", big: over(sight) });
  }
  if (status === "playing" || status === "ahead") {
    if (!hand.in_progress) {
      const note = `${unit} ${h4h.hand} is released`;
      return made("h4h_deal", { word: "DEAL", detail: note, big: big("NEW HAND", note, sight.to("hand.start")) });
    }
    if (sight.base(hand.turn) !== null && (hand.turn !== null || look.simple)) return null;
    return made("h4h_playing", { detail: "report when the hand is over", big: over(sight) });
  }
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
    return made("to_start", { seat: hand.turn, word: "TO ACT", left: base, span: 1, big: button });
  }
  if (sight.inHand.length <= 1) {
    return made("hand_ends", { word: "HAND OVER?", detail: "one player is left", big: over(sight) });
  }
  if (hand.all_in.length > 0 && sight.asked().length <= 1) {
    const street = STREETS[STREETS.indexOf(hand.street) + 1];
    if (street === undefined) return made("runout", { word: "ALL-IN", detail: "show the hands", big: over(sight) });
    const button = big("STREET", street, sight.to("street.next"));
    return made("runout", { word: "ALL-IN", detail: "run the board", big: button });
  }
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

function betweenHands(sight) {
  const following = blindsWords(sight.table.next_hand ?? sight.table);
  const button = big("NEW HAND", following, sight.to("hand.start"));
  return made("between_hands", { word: "BETWEEN HANDS", detail: "tap as the hand begins", big: button });
}

const SCENES = [closed, paused, called, action, handForHand, inHand, onBreak, betweenHands];

function sceneOf(look, sight) {
  if (sight === null) {
    const away = look.freshness !== "fresh";
    const word = away ? "NO HUB" : "NO TABLE";
    const detail = away ? "looking for the hub" : `table ${look.number} is not open yet`;
    return made("no_table", { word, detail, big: big(word) });
  }
  for (const find of SCENES) {
    const found = find(sight);
    if (found !== null) return found;
  }
  return null;
}

// ── who works the table ─────────────────────────────────────────────────────────────────────────

function takenWords({ role, lease, me, number }) {
  if (role !== "dealer" || lease === null || me === "" || lease.device === me) return "";
  return `${joined(lease.name, lease.dealer)} works table ${number}`;
}

function askButton({ lease, me }) {
  if (lease.waiting.some((other) => other.device === me && other.asks)) return big("ASKED", "the floor decides");
  return big("ASK FOR THE TABLE", "the floor decides", { do: "lease.ask", args: {}, to: "hub" });
}

function askedWords({ lease, me }) {
  if (lease === null || lease.device !== me) return "";
  const asks = lease.waiting.find((other) => other.asks);
  return asks === undefined ? "" : `${asks.name} asks for this table`;
}

// ── words beside the clock ──────────────────────────────────────────────────────────────────────

function handBlinds(sight) {
  const { table, hand } = sight;
  const following = table.next_hand;
  if (!hand.in_progress) return ["", blindsWords(following ?? table), following !== null];
  return [blindsWords(table), following === null ? "" : blindsWords(following), following !== null];
}

function nudgeWords(sight, found) {
  const at = sight.table.nudge_at;
  if (found.state !== "to_start" || at === null) return ["", null];
  const left = at - sight.look.now;
  return left > 0 ? ["", left] : ["START THE CLOCK", null];
}

function floorWords(sight) {
  const { floor } = sight.table;
  if (floor === null) return ["", null];
  const passed = Math.max(0, sight.look.now - floor.since);
  return [joined(`floor called ${ago(passed)}`, floor.reason ?? ""), SECOND - (passed % SECOND)];
}

function linkWords({ freshness, away }, found) {
  if (freshness === "fresh") return "";
  if (freshness === "stale") return "NO HUB · do not trust this clock";
  if (!COUNTS.includes(found.state) || (away ?? 0) < NOT_HEARD) return "";
  return "HUB NOT HEARD · the clock goes on here, taps are kept";
}

function alarmOf({ state, left, stands }) {
  if (["expired", "called_dead", "called_check", "needs_ruling"].some((name) => state.startsWith(name))) return "zero";
  if (!COUNTS.includes(state) || left === null || stands || left > TEN) return "none";
  if (left === 0) return "zero";
  return left <= FIVE ? "five" : "ten";
}

function nextSeat(sight, found) {
  return found.state === "to_start" || found.state === "held" ? found.seat : sight.after(found.seat);
}

// ── buttons ─────────────────────────────────────────────────────────────────────────────────────

const WHOSE = ["running", "on_bank", "expiring", "held", "clock_held", "interrupted", "to_start"];

function allButtons(sight, found) {
  const { look, table, hand, h4h } = sight;
  const { state } = found;
  const given = (is, name, args) => (is ? sight.to(name, args) : null);
  const whose = WHOSE.includes(state) && !look.simple ? found.seat : null;
  const acts = whose !== null;
  const seat = acts ? `seat ${whose}` : "";
  const rules = state === "needs_ruling";
  const playing = hand.in_progress && !rules && h4h !== "all_in";
  const street = playing ? (STREETS[STREETS.indexOf(hand.street) + 1] ?? "") : "";
  const counting = state === "held";
  const inH4h = ["playing", "runout", "all_in"].includes(h4h);
  const reports = ["playing", "runout", "ahead"].includes(h4h) && !rules;
  const [undo, undone] = undoWords(table.undo);
  const passes = state === "clock_held" || state === "interrupted";
  const stops = passes || counting || state === "running" || state === "on_bank";
  return [
    tap("fold", "FOLD", seat, given(acts, "action.fold")),
    tap("count", "COUNT", counting ? "the next tap goes on" : "holds the clock", given(acts && !counting, "action.hold")),
    bankButton(sight, found),
    floorButton(sight),
    tap("street", "STREET", street, given(street !== "", "street.next")),
    inH4h
      ? tap("all_in", "ALL-IN", "cards face down", given(h4h === "playing", "h4h.all_in"))
      : tap("all_in", "ALL-IN", seat, given(acts, "action.all_in")),
    h4h
      ? tap("over", "HAND DONE", "", given(reports, "h4h.done"))
      : tap("over", "HAND OVER", "", given(playing, "hand.end")),
    newHand(sight, found),
    tap("push", "PUSH", "new dealer", sight.to("dealer.push")),
    tap("undo", undo, undone, given(table.undo !== null, "undo")),
    tap("hold", "HOLD CLOCK", "same player goes on after", given(state === "running" || state === "on_bank", "action.hold", { acted: false })),
    tap("next", "NEXT PLAYER", passes ? sight.name(sight.after(found.seat)) : "", given(passes, "action.next")),
    tap("stop", "STOP", "nobody's time runs", given(stops, "action.stop")),
    table.paused === null
      ? tap("pause", "PAUSE TABLE", "the floor lets it go on", sight.to("table.pause"))
      : tap("pause", "TABLE PAUSED", table.paused, given(look.role !== "dealer", "table.resume")),
  ];
}

function bankButton(sight, found) {
  const { table, event } = sight;
  const { seat, status, outcome } = table.action;
  const label = "TIME BANK +1";
  if (event.action_clock === null || status === "idle" || outcome === "needs_ruling") return tap("bank", label);
  if (seat === null) return tap("bank", label, "tap the seat");
  const taken = table.seats[seat];
  if (taken === undefined || taken.limit_s !== null) return tap("bank", label, "limited: no time bank");
  const chips = taken.bank;
  if (chips === 0 || !BANKS.includes(found.state)) return tap("bank", label, chips === 0 ? "no chips" : "");
  const note = chips > 1 ? `${chips} left · hold for more` : "last chip";
  return tap("bank", label, note, sight.to("action.bank", { seat, chips: 1 }));
}

function floorButton(sight) {
  const { floor } = sight.table;
  if (floor === null) return tap("floor", "CALL FLOOR", "", sight.to("floor.call"));
  if (sight.look.role !== "dealer") return tap("floor", "FLOOR IS HERE", "", sight.to("floor.clear"));
  return tap("floor", "FLOOR CALLED", ago(sight.look.now - floor.since));
}

const NO_NEW_HAND = ["paused", "room_paused", "break", "hard_stop", "needs_ruling", "h4h_hold", "h4h_all_in"];

function newHand(sight, found) {
  const waits = sight.h4h !== "" && found.big.label !== "NEW HAND";
  if (NO_NEW_HAND.includes(found.state) || waits) return tap("new", "NEW HAND");
  return tap("new", "NEW HAND", sight.hand.in_progress ? "ends this hand" : "as the hand begins", sight.to("hand.start"));
}

function rulings(sight, found) {
  if (sight.look.role === "dealer" || alarmOf(found) !== "zero" || COUNTS.includes(found.state)) return [];
  const rule = (outcome, label, note = "") => tap(outcome, label, note, sight.to("action.ruling", { outcome }));
  return [rule("dead", "DEAD HAND"), rule("check", "CHECK"), rule("void", "VOID", "the player's time is given back")];
}

// ── seats ───────────────────────────────────────────────────────────────────────────────────────

/** What a tap on a seat means: it is to act, or between hands it has the button. */
function seatTap(sight, dealing, number) {
  return dealing ? sight.to("hand.start", { button: number }) : sight.to("action.start", { seat: number });
}

function seatFace(sight, found, number, mine) {
  const { table, hand, event, look } = sight;
  const taken = table.seats[number];
  const empty = {
    seat: number, name: "", chips: 0, spent: 0, owes: 0, button: hand.button === number, turn: "", folded: false, all_in: false,
    burning: false, limit: "", tap: null, bank: null, most: 0,
  };
  if (taken === undefined) return empty;
  const rule = event.action_clock;
  const chips = taken.bank;
  const now = found.seat === number && found.state !== "to_start" && found.state !== "held";
  const allIn = hand.all_in.includes(number);
  const stuck = CLOSED.includes(found.state) || ["paused", "room_paused", "needs_ruling"].includes(found.state);
  const may = mine && !stuck;
  const asked = (taken.in_hand || !hand.in_progress) && !allIn && !now;
  const dealing = found.state === "between_hands" || found.state === "h4h_deal";
  const clocked = (sight.base(number) !== null && !look.simple) || dealing;
  const spends = BANKS.includes(found.state) && (table.action.seat === null || table.action.seat === number);
  const banks = may && spends && chips > 0 && taken.limit_s === null && rule !== null;
  return {
    ...empty,
    name: taken.name,
    chips,
    spent: rule === null ? 0 : Math.max(0, rule.chips - chips),
    owes: table.collect.filter((owed) => owed.seat === number).reduce((sum, owed) => sum + owed.chips, 0),
    turn: now ? "now" : nextSeat(sight, found) === number ? "next" : "",
    folded: hand.in_progress && !taken.in_hand,
    all_in: allIn,
    burning: table.action.seat === number && table.action.on_bank > 0,
    limit: taken.limit_s === null ? "" : `${taken.limit_s} s`,
    tap: may && asked && clocked ? seatTap(sight, dealing, number) : null,
    bank: banks ? sight.to("action.bank", { seat: number, chips: 1 }) : null,
    most: banks ? chips : 0,
  };
}

// ── all of it ───────────────────────────────────────────────────────────────────────────────────

const LOOK = { table: null, event: null, lease: null, freshness: "fresh", away: null, me: "", role: "dealer", simple: false };

/** Say what a dealer's console shows at an instant. */
export function face(given) {
  const look = { ...LOOK, ...given };
  const sight = look.table === null || look.event === null ? null : new Sight(look);
  const found = sceneOf(look, sight);
  const taken = takenWords(look);
  const mine = taken === "";
  if (!mine) found.big = askButton(look);
  const { left } = found;
  const none = ["", null];
  const [thisHand, next, changes] = sight === null ? ["", "", false] : handBlinds(sight);
  const [nudge, nudgeIn] = sight === null ? none : nudgeWords(sight, found);
  const [floor, floorIn] = sight === null ? none : floorWords(sight);
  const counts = found.stands || left === null ? null : nextFlip(left);
  const idle = !mine || CLOSED.includes(found.state);
  const buttons = sight === null ? [] : allButtons(sight, found);
  const collect = sight === null ? [] : look.table.collect;
  return {
    state: mine ? found.state : "taken",
    play: found.state,
    table: `TABLE ${look.number}`,
    title: sight === null ? "" : sight.title(found.seat),
    word: found.word,
    detail: found.detail,
    digits: left === null ? "" : digits(left),
    progress: left === null || !found.span ? 0 : Math.min(1_000, Math.floor((left * 1_000) / found.span)),
    stands: found.stands,
    alarm: alarmOf(found),
    seat: found.seat,
    next_seat: sight === null ? null : nextSeat(sight, found),
    big: found.big,
    buttons: idle ? buttons.map((button) => ({ ...button, command: null })) : buttons,
    seats: sight === null ? [] : Array.from({ length: look.table.size }, (_, n) => seatFace(sight, found, n + 1, mine)),
    collect: collect.map(({ seat, chips }) => ({
      seat, chips, words: `collect ${chips} from seat ${seat}`, command: mine ? sight.to("collect.done", { seat }) : null,
    })),
    rulings: sight === null ? [] : rulings(sight, found),
    this_hand: thisHand,
    next_hand: next,
    level_changes: changes,
    street: sight === null || !sight.hand.in_progress ? "" : sight.hand.street,
    notices: look.event === null ? [] : look.event.notices.filter((name) => name in NOTICES).map((name) => NOTICES[name]),
    h4h: look.event === null ? "" : handForHandWords(look.event),
    nudge,
    floor,
    taken,
    asked: askedWords(look),
    dealer: look.lease === null ? "" : look.lease.dealer,
    badge: BADGES[look.freshness],
    freshness: look.freshness,
    link: linkWords(look, found),
    repaint_in: Math.min(SLOWEST, ...[counts, nudgeIn, floorIn].filter((flip) => flip)),
  };
}
