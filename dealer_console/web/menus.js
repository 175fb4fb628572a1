// What is on each sheet, as data: the face says what can be done, and here is where it lies.

import { SETTINGS } from "./settings.js";

/** Why a dealer calls the floor, most common first; anything else is typed. */
export const REASONS = [
  "Ruling", "Dispute", "Clock on a player", "Misdeal", "Colour up", "Seat open", "New setup", "Player missing",
];

const MOST_LETTERS = 120;
const PIN_MOST = 8;
const PIN_LEAST = 4;

/** Item that says one of the face's commands. */
const says = ({ key, label, note = "", enabled = true, command, tone = "" }, act) => ({
  key, label, note, tone, off: !enabled || command === null, act: (own) => act(key, label, command, own),
});

/** Everything behind one seat. */
export function seatSheet(seat, act) {
  const items = seat.more.map((item) => says(item, act));
  return { title: `Seat ${seat.seat} · ${seat.name}`, note: seat.note ?? "", columns: 4, narrow: 2, items };
}

/** Calling the floor: a reason is one tap. */
export function floorSheet(table, send) {
  const command = (reason) => ({ do: "floor.call", args: { table, reason } });
  const items = REASONS.map((reason) => ({
    key: `reason-${reason}`, label: reason, act: (own) => send(command(reason), own),
  }));
  items.push({ key: "typed", asks: "Another reason", label: "CALL", most: MOST_LETTERS, act: (own, words) => send(command(words), own) });
  return { title: "Call the floor", note: "The floor sees it at once.", columns: 4, narrow: 2, items };
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
      note: dealer ? `${dealer} deals now. Type your PIN.` : "Type your PIN.",
      columns: 3,
      narrow: 3,
      items: [
        { key: "dots", dots: Math.max(PIN_LEAST, this.typed.length), typed: this.typed.length },
        ...["1", "2", "3", "4", "5", "6", "7", "8", "9"].map(digit),
        { key: "pin-back", label: "⌫", act: () => { this.typed = this.typed.slice(0, -1); } },
        digit("0"),
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
    columns: 1,
    narrow: 1,
    stays: true,
    items: SETTINGS.map(({ key, label, choices }) => ({
      key, label, choices, chosen: settings.get(key), choose: (value) => { settings.set(key, value); changed(); },
    })),
  };
}
