// A wire that is as bad as a test wants it: put before a page's own scripts.
//
// It also writes down what the page knew and what it painted: every answer of the hub about the time,
// every clock that it was told, and every look, each with the instant that the page itself read for it.
// However late a busy machine lets a page paint, what it paints must be right for the instant it read.

(() => {
  const wire = (window.wire = { jitter: 0, cut: false, log: [], flips: [], held: 0 });
  const clock = performance.now.bind(performance);
  const later = window.setTimeout.bind(window);
  const late = () => Math.random() ** 3 * wire.jitter; // mostly little, now and then much
  const digits = () => document.querySelector("rb-digits")?.getAttribute("aria-label") ?? null;

  // ── what the page reads ────────────────────────────────────────────────────────────────────────

  let read = clock(); // what the page's clock said last
  let first = null; // and what it said first since a message came
  performance.now = () => {
    read = clock();
    first ??= read;
    return read;
  };

  window.setTimeout = (call, ms, ...rest) => {
    // A wall ends every look by saying when it will look again.
    if (call.name === "paint") wire.log.push({ is: "look", own: Math.round(read), shows: digits(), again: ms });
    return later(call, ms, ...rest);
  };

  /** Write down what a page has just taken in. */
  function note(said) {
    const { type, topic, sent, at, held = 0, doc } = JSON.parse(said);
    if (first === null) return; // it came by a connection that counts no more
    if (type === "probed") wire.log.push({ is: "answer", own: Math.round(first), sent, at, held });
    if (type === "doc" && doc?.clock) wire.log.push({ is: "clock", topic, ends_at: doc.clock.ends_at });
  }

  // ── the wire ───────────────────────────────────────────────────────────────────────────────────

  /** Make a way that keeps the order, however late each message is: timers, cut to whole ms, do not. */
  function way() {
    const sent = []; // and not there yet, the oldest first
    let last = 0;
    return (deliver) => {
      last = Math.max(last, clock() + late());
      sent.push(deliver);
      later(() => {
        const oldest = sent.shift();
        if (!wire.cut) oldest();
      }, last - clock());
    };
  }

  const Real = window.WebSocket;
  window.WebSocket = class extends Real {
    #out = way();
    #in = way();

    send(data) {
      this.#out(() => { if (this.readyState === Real.OPEN) super.send(data); });
    }

    addEventListener(type, heard, ...rest) {
      const slow = (event) => this.#in(() => {
        first = null;
        const before = wire.log.length;
        heard.call(this, event);
        const looks = wire.log.splice(before); // it looked after it had taken the message in
        note(event.data);
        wire.log.push(...looks);
      });
      super.addEventListener(type, type === "message" ? slow : heard, ...rest);
    }

    set onmessage(heard) {
      this.addEventListener("message", heard);
    }
  };

  // ── when digits change, on a clock that all pages of one machine have in common ─────────────────

  new MutationObserver((changes) => {
    for (const { target } of changes) wire.flips.push([performance.timeOrigin + clock(), target.getAttribute("aria-label")]);
  }).observe(document, { attributes: true, attributeFilter: ["aria-label"], subtree: true });

  // ── by how many milliseconds in all the machine has held this page up ───────────────────────────

  const TICK = 20;
  const tick = (due) => {
    wire.held += Math.max(0, clock() - due);
    const next = clock() + TICK;
    later(() => tick(next), TICK);
  };
  tick(clock());
})();
