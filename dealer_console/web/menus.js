// What is on each sheet, as data: the face says what can be done, and here is where it lies.

import { SETTINGS } from "./settings.js";

const MOST_LETTERS = 120;
const PIN_MOST = 8;
const PIN_LEAST = 4;

/** Item that says one of the face's buttons. */
const says = ({ id, label, note = "", command }, act, tone = "") => ({
  key: id, label, note, tone, off: command === null, act: (own) => act(label, command, own),
});

/** Everything behind one seat: chips, whose turn it is, what the floor should know. */
export function seatSheet(seat, { buttons, floor }, act) {
  const chips = Array.from({ length: seat.bank === null ? 0 : seat.most }, (_, index) => {
    const count = index + 1;
    const label = count === seat.most && count > 1 ? `ALL ${count} CHIPS` : `+${count} CHIP${count > 1 ? "S" : ""}`;
    const command = { ...seat.bank, args: { ...seat.bank.args, chips: count } };
    return says({ id: `chips-${count}`, label, command }, act, "chips");
  });
  const inTurn = seat.turn !== "" && seat.fold !== null && !("seat" in seat.fold.args);
  const own = [
    { id: "turn", label: "THEIR TURN", note: "the clock is put right", command: seat.tap },
    { id: "fold", label: "FOLD", note: inTurn ? "" : "out of turn", command: seat.fold },
    { id: "here", label: "BUTTON HERE", note: "no hand begins", command: seat.here },
    { id: "straddle", label: "STRADDLE", note: "the next hand begins", command: seat.straddle },
  ];
  const items = [...chips, ...own.filter(({ command }) => command !== null).map((each) => says(each, act))];
  if (seat.turn === "now") items.push(...buttons.filter(({ id }) => id === "count").map((each) => says(each, act)));
  if (seat.name === "") return { title: `Seat ${seat.seat} · empty`, note: "The button may stand here.", columns: 4, narrow: 2, items };
  for (const [id, label, words] of [["away", "SITS OUT", "sits out"], ["slow", "CLOCK ASKED", "clock asked for"]]) {
    const command = floor === null ? null : { ...floor, args: { ...floor.args, reason: `Seat ${seat.seat}: ${words}` } };
    items.push(says({ id, label, note: "tells the floor", command }, act));
  }
  const bank = seat.chips === 0 ? "no chips left" : `${seat.chips} chip${seat.chips === 1 ? "" : "s"} left`;
  const limit = seat.limit === "" ? "" : ` · at most ${seat.limit} for every action`;
  const owes = seat.owes > 0 ? ` · collect ${seat.owes}` : "";
  return { title: `Seat ${seat.seat} · ${seat.name}`, note: bank + owes + limit, columns: 4, narrow: 2, items };
}

/** What an all-in is: a raise or a call, and in hand-for-hand what is told to the floor. */
export function allInSheet(buttons, act) {
  const told = { label: "ALL-IN AND CALL", note: "tells the floor: cards face down" };
  const items = buttons.map((each) => {
    const report = each.command.do === "h4h.all_in";
    return { ...says(each, act(each.id), each.id === "all_in_raise" ? "main" : "chips"), ...(report ? told : {}) };
  });
  return { title: "All-in", note: "A raise, or only a call?", columns: items.length, narrow: 1, items };
}

/** At which level this hand was really dealt. */
export function levelSheet(levels, act) {
  const items = levels.map((each) => says(each, act));
  return { title: "This hand's level", note: "Only where the hand was dealt at another one.", columns: 3, narrow: 1, items };
}

/** Re-sync, first: the street, and whether somebody has bet on it. What is known now is marked. */
export function syncSheet(sync, chosen) {
  const items = sync.map((each) => ({
    key: each.id, label: each.label, note: each.note, tone: each.note.endsWith("now") ? "chips" : "", act: () => chosen(each),
  }));
  return { title: "Re-sync", note: "Which street is it, and has somebody bet?", columns: 4, narrow: 4, items };
}

/** Re-sync, then: whose turn it is, and who is still in; the seats above are the pad. */
export function syncSeatsSheet({ label, note }, path) {
  const says = path.length === 0
    ? { label: "TAP THE SEAT TO ACT", note: "or slide over everyone still in, and lift at the seat that is to act" }
    : { label: `STILL IN: ${path.join(" · ")}`, note: "lift at the seat that is to act" };
  return {
    title: `${label} · ${note.replace(" · now", "")}`,
    note: "One touch on the seats above.",
    columns: 1,
    narrow: 1,
    items: [{ key: "path", ...says, tone: "says", off: true, act: () => {} }],
  };
}

/** Calling the floor: a reason is one tap. */
export function floorSheet(floor, reasons, act) {
  const command = (reason) => ({ ...floor, args: { ...floor.args, reason } });
  const items = reasons.map(({ reason, note }) => ({ key: `reason-${reason}`, label: reason, note, act: (own) => act("CALL FLOOR", command(reason), own) }));
  const typed = { key: "typed", asks: "Another reason", label: "CALL", most: MOST_LETTERS };
  items.push({ ...typed, act: (own, words) => act("CALL FLOOR", command(words), own) });
  return { title: "Call the floor", note: "The floor sees it at once.", columns: 4, narrow: 2, items };
}

/** The menu: what the face offers beyond the buttons, and what this page adds. */
export function menuSheet({ more, rulings, dealer }, own, act) {
  return {
    title: "Menu",
    note: dealer === "" ? "Nobody has signed on." : `${dealer} deals.`,
    columns: 4,
    narrow: 2,
    items: [...rulings.map((each) => says(each, act, "main")), ...more.map((each) => says(each, act)), ...own],
  };
}

/** A pad for the dealer's PIN. */
export class PinPad {
  typed = "";

  constructor(send) {
    this._send = send;
  }

  content(dealer) {
    const digit = (key) => ({ key: `pin-${key}`, label: key, act: () => { if (this.typed.length < PIN_MOST) this.typed += key; } });
    const short = this.typed.length < PIN_LEAST;
    return {
      title: "Sign on",
      note: dealer === "" ? "Type your PIN." : `${dealer} deals now. Type your PIN.`,
      columns: 6,
      narrow: 3,
      items: [
        { key: "dots", dots: Math.max(PIN_LEAST, this.typed.length), typed: this.typed.length },
        ...["1", "2", "3", "4", "5", "6", "7", "8", "9"].map(digit),
        digit("0"),
        { key: "pin-back", label: "⌫", act: () => { this.typed = this.typed.slice(0, -1); } },
        { key: "pin-ok", label: "SIGN ON", tone: "main", off: short, act: (own) => this._send(this.typed, own) },
      ],
    };
  }
}

/** How this tablet is set. */
export function settingsSheet(settings, changed) {
  return {
    title: "This tablet",
    note: "Kept on this tablet only.",
    columns: 2,
    narrow: 1,
    stays: true,
    items: SETTINGS.filter(({ label }) => label).map(({ key, label, choices }) => ({
      key, label, choices, chosen: settings.get(key), choose: (value) => { settings.set(key, value); changed(); },
    })),
  };
}
