// A sheet: a small form below the clock, which stays in sight. Escape closes it, enter does it.

import { button, el, show } from "./parts.js";

/** The one sheet of the page. */
export class Sheet {
  constructor(host, room) {
    this._host = host;
    this._room = room;
    this._paint = null;
    this._back = null;
  }

  get isOpen() {
    return !this._host.hidden;
  }

  /**
   * Open with a title, some nodes, and what is done in the end. `paint` is called whenever the room
   * has changed; `buttons` come before the last one. `done` may give false to stay open.
   */
  open({ title, body = [], does = "", done = null, kind = "primary", hold = false, buttons = [], paint = null, name = "", first = null }) {
    this._back = this._host.hidden ? document.activeElement : this._back;
    const basis = this._room.snapshot();
    const form = el("form", "", el("div", "body", ...body));
    const close = button("Close", () => this.close(), { kind: "quiet", key: "Escape" });
    const foot = el("div", "foot", ...buttons, el("span", "grow"), close);
    const finish = async () => {
      if (!form.reportValidity()) return;
      const stays = (await this._room.on(basis, done)) === false;
      if (!stays && form.isConnected) this.close(); // another sheet may be open by now
    };
    if (does) {
      const last = button(does, () => { if (hold) finish(); }, { kind, hold });
      if (!hold) last.type = "submit";
      foot.append(last);
    }
    form.append(foot);
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      if (!hold && done) finish();
    });
    this._host.className = name;
    this._host.replaceChildren(el("h2", "", title), form);
    this._paint = paint;
    show(this._host, true);
    paint?.();
    (first ?? form.querySelector("input, select, textarea, .body button, .foot button[type=submit], .foot .hold"))?.focus();
    return form;
  }

  /** Change the title of what is open. */
  title(words) {
    this._host.querySelector("h2").textContent = words;
  }

  close() {
    if (!this.isOpen) return;
    show(this._host, false);
    this._host.replaceChildren();
    this._paint = null;
    if (this._back?.isConnected) this._back.focus();
  }

  paint() {
    this._paint?.();
  }
}
