// A table that is played on without its hub: its document, changed by one command after the other.
//
// What is here follows poker's rules as far as they are simple. It reads the betting round from the
// document (`hand.to_act`, `bettor`, `next`); where no round is known, the turn goes clockwise round
// the live seats. What only the hub can know stays as it is: no chip burns, no hand dies.
//
// Pure: nothing here reads a clock. Mirrors dealer_console/play.py, held to tests/vectors/offline.json.

const SECOND = 1_000;
const HEADS_UP = 2;
const STREETS = ["preflop", "flop", "turn", "river"];

/** Reasons of the engine's own for a clock that stands: the play at a table goes on. */
const HELD_BY_RULES = ["hand_for_hand", "break_waits", "hard_stop"];

/** The seat of an action that nobody was named for: the dealer just restarts the clock. */
const WHOEVER = 0;

/** The action of a table where nobody's time runs, and the called clock where none is called. */
const IDLE = {
  status: "idle", seat: null, remaining_ms: null, ends_at: null, on_bank: 0, used: 0,
  facing_bet: null, outcome: null, interrupted: false, acted: false,
};
const OFF = { status: "off", seat: null, remaining_ms: null, ends_at: null, outcome: null };

/** Put seats in order from the left of a seat on; that seat itself comes last. */
function clockwise(seats, after) {
  return [...seats].sort((one, other) => (one <= after) - (other <= after) || one - other);
}

/** Say whose turn it is, clock or no clock; null where it is nobody's, or nobody is named. */
export function turnOf({ called, action, hand }) {
  if (["running", "countdown", "paused"].includes(called.status)) return called.seat;
  return action.status === "idle" ? hand.turn : action.seat;
}

/** Give the blinds of a button that was put somewhere: the next two players post. */
function placesFrom(button, seats) {
  const order = clockwise(seats, button);
  if (order.length < HEADS_UP) return [button, null, null];
  // An empty seat cannot deal: the player to its right does.
  return order.length === HEADS_UP ? [order[1], order[1], order[0]] : [button, order[0], order[1]];
}

/** A table that is played on; its document is its own. */
export class Play {
  _placed = false; // the dealer has put the button where the next hand has it

  constructor(table, event) {
    Object.assign(this, { table, event, hand: table.hand });
  }

  /** Do what a command does at an instant; false where that is left to the hub. */
  carryOut(what, args, at) {
    const deed = DEEDS.get(what);
    const seat = turnOf(this.table);
    const idle = this.table.action.status === "idle";
    if (deed === undefined || this._needsRuling() || !this[deed](args, at)) return false;
    const starts = what === "action.next" && idle && !args.acted;
    const about = what.startsWith("action.") ? args.seat || seat : args.seat;
    const chips = what === "action.bank" ? { chips: args.chips } : {};
    this.table.undo = { do: starts ? "action.start" : what, seat: about ?? null, ...chips, again: false };
    this.table.nudge_at = null;
    this._judge();
    return true;
  }

  // ── who is there ──────────────────────────────────────────────────────────────────────────────

  /** Whether the betting round is known. */
  get _knows() {
    return (this.hand.next ?? null) !== null;
  }

  /** Whether the floor must rule before anything goes on. */
  _needsRuling() {
    return [this.table.action, this.table.called].some(({ outcome }) => outcome === "needs_ruling");
  }

  get _seats() {
    return Object.keys(this.table.seats).map(Number).sort((one, other) => one - other);
  }

  /** List the seats that are in the hand; outside a hand, all that are taken. */
  _live() {
    return this._seats.filter((seat) => this.table.seats[seat].in_hand || !this.hand.in_progress);
  }

  /** List the seats that can still be asked to act: live, and not all-in. */
  _asked() {
    return this._live().filter((seat) => !this.hand.all_in.includes(seat));
  }

  /** Find the next seat to be asked where no round is known. */
  _after(seat) {
    const others = clockwise(this._asked(), seat).filter((other) => other !== seat);
    return seat === WHOEVER ? null : others[0] ?? null;
  }

  /** Say how long a seat has: the street's time, or its player's limit; null is no clock. */
  _base(seat) {
    const rule = this.event.action_clock;
    const times = [this.table.seats[seat]?.limit_s ?? null];
    if (rule !== null) times.push(rule.streets?.[this.hand.street] ?? rule.seconds);
    const known = times.filter((time) => time !== null);
    return known.length > 0 ? Math.min(...known) * SECOND : null;
  }

  /** Say whether time does nothing here: the table is paused, or the whole room. */
  _stands() {
    const { status, reason } = this.event.clock;
    return this.table.paused !== null || (status === "paused" && !HELD_BY_RULES.includes(reason));
  }

  /** Say who acts: whose turn it is, or whoever it is where no round is known. */
  _whose() {
    const seat = turnOf(this.table);
    if (seat !== null) return seat;
    const unnamed = this.table.action.status !== "idle";
    return unnamed || (this.hand.in_progress && !this._knows) ? WHOEVER : null;
  }

  // ── the round ─────────────────────────────────────────────────────────────────────────────────

  /** Say whether a seat faces a bet; before the flop all do, but for who has the option. */
  _facesBet(seat) {
    const { hand } = this;
    if (!this._knows) return hand.facing_bet;
    if (hand.bettor !== null) return hand.bettor !== seat;
    const blinds = hand.street === STREETS[0] && !hand.unbet;
    return blinds && seat !== (hand.straddle ?? hand.blinds.big);
  }

  /** Let these seats have to act, as far as they can and there is something to decide. */
  _expect(seats, bettor) {
    const { hand } = this;
    const live = this._live();
    const asked = this._asked();
    hand.next = "act";
    hand.bettor = bettor;
    const toAct = seats.filter((seat) => asked.includes(seat));
    const alone = asked.length <= 1 && !toAct.some((seat) => this._facesBet(seat));
    hand.to_act = live.length <= 1 || alone ? [] : toAct;
    const coming = STREETS[STREETS.indexOf(hand.street) + 1];
    if (live.length <= 1) hand.next = "over";
    else if (hand.to_act.length > 0) return;
    else if (coming === undefined) hand.next = "showdown";
    else hand.next = asked.length <= 1 ? "run_out" : coming;
  }

  /** Let these seats have to act, whatever there is to decide: the dealer says so. */
  _expectExactly(seats, bettor) {
    this._expect(seats, bettor);
    this.hand.to_act = seats;
    this.hand.next = this._live().length <= 1 ? "over" : "act";
  }

  _first() {
    return this.hand.to_act[0] ?? null;
  }

  /** Let a seat have checked or called, and who was expected before it; say who is next. */
  _passed(seat) {
    if (!this._knows || seat === WHOEVER) return this._after(seat);
    const { to_act: toAct, bettor } = this.hand;
    this._expect(toAct.slice(toAct.indexOf(seat) + 1), bettor);
    return this._first();
  }

  /** Take a seat out of the hand; say who is next. */
  _folded(seat) {
    const following = this._knows ? null : this._after(seat);
    this._takeOut(seat);
    if (this._knows) return this._passed(seat);
    const alone = following !== null && [null, seat].includes(this._after(following));
    return alone ? null : following;
  }

  /** Take a seat out of the hand. */
  _takeOut(seat) {
    if (this.table.seats[seat]) this.table.seats[seat].in_hand = false;
    this.hand.all_in = this.hand.all_in.filter((other) => other !== seat);
  }

  /** Let a seat have bet or raised: everybody else has to act again; say who is next. */
  _bet(seat) {
    this.hand.facing_bet = true;
    if (!this._knows || seat === WHOEVER) return this._after(seat);
    this._expect(clockwise(this._asked(), seat).filter((other) => other !== seat), seat);
    return this._first();
  }

  /**
   * Take the dealer's word for whose turn it is. Who was expected before has acted; if the round was
   * over, one begins in which nobody faces a bet. A seat that had acted already faces a raise: the
   * live seat to its right is the last that can have.
   */
  _believe(seat, facing) {
    if (!this._knows || seat === WHOEVER) return;
    if (STREETS.includes(this.hand.next) && this.hand.button !== null) {
      this.hand.unbet = this.hand.street === STREETS[0];
      this._expect(clockwise(this._asked(), this.hand.button), null);
    }
    const { to_act: toAct, bettor } = this.hand;
    const unknownBet = facing === true && !this._facesBet(seat);
    if (toAct.includes(seat) && !unknownBet) {
      this._expectExactly(toAct.slice(toAct.indexOf(seat)), bettor);
      return;
    }
    const raised = this._before(seat);
    if (raised === null) this._expectExactly([seat, ...toAct.filter((other) => other !== seat)], bettor);
    else this._expectExactly(this._until(seat, raised), raised);
  }

  /** Find the live seat to the right of a seat. */
  _before(seat) {
    return clockwise(this._live(), seat).filter((other) => other !== seat).at(-1) ?? null;
  }

  /** List who has to act from a seat on, up to the one whose bet it is. */
  _until(seat, bettor) {
    const ring = [seat, ...clockwise(this._live(), seat).filter((other) => other !== seat)];
    const asked = this._asked();
    const upto = ring.includes(bettor) ? ring.indexOf(bettor) : ring.length;
    return ring.slice(0, upto).filter((other) => asked.includes(other));
  }

  /** Begin the next betting round, left of the button: nobody faces a bet; say who is first. */
  _openStreet(street = null) {
    const { hand } = this;
    hand.street = street ?? STREETS[STREETS.indexOf(hand.street) + 1];
    hand.facing_bet = false;
    hand.unbet = false;
    if (hand.button === null) return null;
    const order = clockwise(this._asked(), hand.button);
    if (hand.next === undefined) return order[0] ?? null;
    this._expect(order, null);
    return this._first();
  }

  /** Say whether whose turn it is faces a bet, and whether an all-in must be asked about. */
  _judge() {
    if (!this._knows) return;
    const { hand, table: { action } } = this;
    const first = this._first();
    const stands = ["idle", "expired"].includes(action.status);
    hand.facing_bet = stands ? first !== null && this._facesBet(first) : action.facing_bet;
    const faced = hand.bettor !== first && hand.all_in.includes(hand.bettor);
    hand.asks_all_in = first !== null && faced && this._asked().some((seat) => seat !== first);
  }

  // ── clocks ────────────────────────────────────────────────────────────────────────────────────

  /** End what runs; chips that it has cost are to be collected (SB-47h). */
  _leave() {
    const { table, table: { action } } = this;
    if (action.used && action.status !== "expired") {
      const before = table.collect.find(({ seat }) => seat === action.seat)?.chips ?? 0;
      const others = table.collect.filter(({ seat }) => seat !== action.seat);
      const owed = { seat: action.seat, chips: before + action.used };
      table.collect = [...others, owed].sort((one, other) => one.seat - other.seat);
    }
    table.action = { ...IDLE };
    table.called = { ...OFF };
    this.hand.turn = null;
  }

  /** Let nobody's time run; it is this seat's turn. */
  _waitFor(seat) {
    this._leave();
    this.hand.turn = seat || null;
  }

  /** Let a seat's time begin; false where no clock is in play for it. */
  _begin(seat, at, facing = null) {
    if (this._base(seat) === null) return false;
    this._leave();
    this._believe(seat, facing);
    const faces = facing ?? this._facesBet(seat);
    const base = this._base(seat);
    const stands = this._stands();
    Object.assign(this.table.action, {
      status: stands ? "paused" : "running", seat: seat || null, remaining_ms: base,
      ends_at: stands ? null : at + base, facing_bet: faces,
    });
    if (!this._knows) this.hand.facing_bet ||= faces;
    return true;
  }

  /** Let the next player's time begin, if there is one, and a clock for them. */
  _goOn(seat, at, facing = null) {
    this._waitFor(seat);
    if (seat !== null) this._begin(seat, at, facing);
  }

  /** Let the next player's time stand while a bet is counted. */
  _count(seat) {
    const base = seat === null ? null : this._base(seat);
    this._waitFor(seat);
    if (base === null) return;
    Object.assign(this.table.action, { status: "held", seat, remaining_ms: base, facing_bet: true, acted: true });
    this.hand.turn = null;
  }

  // ── acting ────────────────────────────────────────────────────────────────────────────────────

  /** Begin the time of a seat that the dealer names; of whoever it is, where none is. */
  start({ seat, facing_bet: facing }, at) {
    if (seat && !this._asked().includes(seat)) return false;
    return this._begin(seat || WHOEVER, at, facing ?? null);
  }

  /** Check or call; or begin the time of whose turn it is, where nobody's runs. */
  next(args, at) {
    const { action, called } = this.table;
    const seat = this._whose();
    const named = args.seat ?? null;
    const facing = args.facing_bet ?? null;
    const counted = action.status === "held" && action.acted;
    const waits = action.status === "idle" && ["off", "expired"].includes(called.status);
    if ((counted || waits) && !args.acted) {
      if (counted && (named === null || named === seat) && facing === null) return this.release(args, at);
      const begins = named ?? seat;
      return begins !== null && this._begin(begins, at, facing);
    }
    if (seat === null) return false;
    const following = this._passed(seat);
    this._goOn(named ?? following, at, facing);
    return true;
  }

  /** Fold: the next player's time begins; out of turn, the turn stays. */
  fold({ seat = null, facing_bet: facing = null }, at) {
    const turn = this._whose();
    if (seat !== null && (seat !== turn || !turn)) return this._foldOutOfTurn(seat);
    if (turn === null) return false;
    this._goOn(this._folded(turn), at, facing);
    return true;
  }

  /** Take a seat out of the hand whose turn it is not. */
  _foldOutOfTurn(seat) {
    const { hand } = this;
    if (!hand.in_progress || !this.table.seats[seat]?.in_hand) return false;
    this._takeOut(seat);
    if (!this._knows) return true;
    this._expect(hand.to_act, hand.bettor);
    if (hand.turn !== null) hand.turn = this._first();
    if (hand.next !== "act") this._leave();
    return true;
  }

  /** Count a bet or a raise; or hold a player's clock where nobody has acted. */
  hold({ acted = true }, at) {
    const { action } = this.table;
    const seat = this._whose();
    if (!acted) {
      if (!["running", "expiring"].includes(action.status)) return false;
      const left = Math.max(0, action.ends_at - at);
      Object.assign(action, { status: "held", remaining_ms: left, ends_at: null });
      return true;
    }
    if (seat === null || action.status === "expired") return false;
    this._count(this._bet(seat));
    return true;
  }

  /** Go all-in: a bet or raise, or a call where somebody's all-in is faced. */
  allIn({ raises = null }, at) {
    const { hand } = this;
    const seat = this._whose();
    if (seat === null || this.table.action.status === "expired") return false;
    const faced = this._knows && hand.bettor !== seat && hand.all_in.includes(hand.bettor);
    if (seat !== WHOEVER) hand.all_in = [...new Set([...hand.all_in, seat])].sort((one, other) => one - other);
    if (raises ?? !faced) this._count(this._bet(seat));
    else this._goOn(this._passed(seat), at);
    return true;
  }

  /** Let nobody's time run: the player has acted. */
  stop() {
    const { action } = this.table;
    const seat = this._whose();
    if (action.status === "idle" || seat === null) return false;
    const waits = action.status === "held" && action.acted; // that seat has not acted yet
    this._waitFor(waits ? seat : this._passed(seat));
    return true;
  }

  /** Let a clock that is held go on. */
  release(_args, at) {
    const { action } = this.table;
    if (action.status !== "held") return false;
    const stands = this._stands();
    Object.assign(action, {
      status: stands ? "paused" : "running", ends_at: stands ? null : at + action.remaining_ms,
      acted: false, interrupted: false,
    });
    return true;
  }

  /** Spend the chips that were pushed forward; none goes by itself (SB-47i). */
  bank({ seat, chips }) {
    const { action } = this.table;
    const rule = this.event.action_clock;
    const taken = this.table.seats[seat];
    const runs = ["running", "held", "paused", "expiring"].includes(action.status);
    if (rule === null || taken === undefined || !runs || ![null, seat].includes(action.seat)) return false;
    if (taken.bank < chips || taken.limit_s !== null) return false;
    const more = chips * rule.chip_seconds * SECOND;
    taken.bank -= chips;
    Object.assign(action, {
      seat, remaining_ms: action.remaining_ms + more,
      ends_at: action.ends_at === null ? null : action.ends_at + more,
      on_bank: action.on_bank + chips, used: action.used + chips,
    });
    return true;
  }

  /** Take a seat's chips off the list. */
  collect({ seat }) {
    const before = this.table.collect;
    this.table.collect = before.filter((owed) => owed.seat !== seat);
    return this.table.collect.length < before.length;
  }

  /** End the called clock: its player has checked or called. */
  stopCalled() {
    const { called } = this.table;
    if (called.status === "off") return false;
    if (called.status !== "expired" && this._knows) this.hand.turn = this._passed(called.seat);
    this.table.called = { ...OFF };
    return true;
  }

  // ── hands ─────────────────────────────────────────────────────────────────────────────────────

  /** Begin a hand: everybody is in it, and who is first to act is waited for. */
  deal({ button = null, straddle = null }) {
    const { hand, table, event: { clock } } = this;
    const begins = clock.status === "running" && clock.phase === "level";
    if (!begins || this._stands() || ["done", "all_in", "runout"].includes(table.h4h)) return false;
    this._leave();
    if (hand.in_progress) hand.misdealt = false;
    const again = hand.misdealt ?? false;
    let places = this._places();
    if (button !== null && button !== places[0]) places = placesFrom(button, this._seats);
    for (const taken of Object.values(table.seats)) taken.in_hand = true;
    if (table.next_hand !== null && !again) {
      Object.assign(table, table.next_hand);
      table.next_hand = null;
    }
    Object.assign(hand, { in_progress: true, street: STREETS[0], facing_bet: true, all_in: [] });
    if (!again) hand.number += 1;
    this._placed = false;
    this._takePlaces(places, straddle);
    return true;
  }

  /** Put button and blinds in their places; the round ends with the big blind or straddle. */
  _takePlaces([button, small, big], straddle) {
    const { hand } = this;
    const last = straddle ?? big;
    const order = last === null ? [] : clockwise(this._seats, last);
    hand.button = button;
    if (hand.next !== undefined) {
      Object.assign(hand, { blinds: { small, big }, straddle, misdealt: false, bettor: null, to_act: [], next: null });
      if (order.length > 0) this._expectExactly(order, null);
    }
    this._waitFor(order[0] ?? null);
  }

  /**
   * Say where button, small and big blind are in the next hand (DB). The big blind moves on; the
   * small blind is due from who had it, and dead where they have gone; the button goes to where the
   * small blind was, be it an empty seat.
   */
  _places() {
    const { hand, hand: { button } } = this;
    const seats = this._seats;
    const last = hand.blinds ?? { small: null, big: null };
    if (this._placed && button !== null) return placesFrom(button, seats);
    if (hand.misdealt) return [button, seats.includes(last.small) ? last.small : null, last.big];
    if (seats.length < HEADS_UP || button === null) {
      return seats.length > 0 ? placesFrom(seats[0], seats) : [button, null, null];
    }
    if (last.big === null) return placesFrom(clockwise(seats, button)[0], seats);
    const [following, wasBig] = clockwise(seats, last.big);
    if (seats.length === HEADS_UP) return [wasBig, wasBig, following];
    if (last.small === null || last.small === last.big) return placesFrom(clockwise(seats, button)[0], seats);
    return [last.small, seats.includes(last.big) ? last.big : null, following];
  }

  /** End the hand. */
  end() {
    const { hand, table } = this;
    if (!hand.in_progress) return false;
    this._leave();
    for (const taken of Object.values(table.seats)) taken.in_hand = false;
    Object.assign(hand, { in_progress: false, all_in: [] });
    if (hand.next !== undefined) Object.assign(hand, { next: null, to_act: [], bettor: null, asks_all_in: false });
    if (["playing", "runout"].includes(table.h4h)) table.h4h = "done";
    return true;
  }

  /** End the hand as if it had not been: the next one is its replay (AP-35C). */
  misdeal() {
    const before = this.table.h4h;
    if (!this.end()) return false;
    this.table.h4h = before;
    Object.assign(this.hand, { misdealt: true, street: STREETS[0] });
    return true;
  }

  /** Begin the next betting round, whoever was expected to act in this one. */
  street({ start = false, street = null }, at) {
    const { hand } = this;
    const last = hand.street === STREETS.at(-1);
    if (!hand.in_progress || last || this.table.h4h === "all_in") return false;
    this._leave();
    const first = this._openStreet(street);
    this._waitFor(first);
    if (start && first !== null) this._begin(first, at);
    return true;
  }

  /** Put the button where the dealer says, for the next hand. */
  putButton({ seat }) {
    if (this.hand.in_progress) return false;
    this.hand.button = seat;
    this._placed = true;
    return true;
  }

  /** Put street, live seats, bet and turn right; nobody's time runs. */
  sync({ seat, street = null, live = null, bet = null, bettor = null }) {
    const { hand, table } = this;
    if (!hand.in_progress || hand.next === undefined) return false;
    this._leave();
    hand.street = street ?? hand.street;
    for (const [number, taken] of Object.entries(table.seats)) {
      if (live !== null) taken.in_hand = live.includes(Number(number));
    }
    const now = this._live();
    hand.all_in = hand.all_in.filter((each) => each !== seat && now.includes(each));
    const whose = bettor ?? (bet ? this._before(seat) : null);
    if (whose !== null) this._expectExactly(this._until(seat, whose), whose);
    else {
      const last = hand.street === STREETS[0] ? hand.straddle ?? hand.blinds.big : hand.button;
      const order = clockwise(this._asked(), last ?? seat);
      this._expectExactly(order.includes(seat) ? order.slice(order.indexOf(seat)) : [], null);
    }
    this._waitFor(seat);
    return true;
  }

  // ── the table ─────────────────────────────────────────────────────────────────────────────────

  /** Let everything at the table stand. */
  pause({ reason = null }, at) {
    if (this.table.paused !== null) return false;
    this.table.paused = reason || "paused";
    for (const clock of [this.table.action, this.table.called]) {
      if (clock.ends_at === null) continue;
      Object.assign(clock, { status: "paused", remaining_ms: Math.max(0, clock.ends_at - at), ends_at: null });
    }
    return true;
  }

  /** Call the floor; for some reasons of the house the table stands. */
  callFloor({ reason = null }, at) {
    this.table.floor = { ...this.table.floor, since: at, reason };
    const reasons = this.event.floor_reasons ?? [];
    if (reasons.some((each) => each.reason === reason && each.holds)) this.pause({ reason }, at);
    return true;
  }
}

/** What is simple enough to be assumed; everything else waits for the hub. */
const DEEDS = new Map([
  ["action.start", "start"],
  ["action.next", "next"],
  ["action.fold", "fold"],
  ["action.hold", "hold"],
  ["action.all_in", "allIn"],
  ["action.stop", "stop"],
  ["action.release", "release"],
  ["action.bank", "bank"],
  ["collect.done", "collect"],
  ["called.stop", "stopCalled"],
  ["hand.start", "deal"],
  ["hand.end", "end"],
  ["h4h.done", "end"],
  ["hand.misdeal", "misdeal"],
  ["hand.sync", "sync"],
  ["street.next", "street"],
  ["button.set", "putButton"],
  ["table.pause", "pause"],
  ["floor.call", "callFloor"],
]);
