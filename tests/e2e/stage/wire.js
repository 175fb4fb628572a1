// A wire that is as bad as a test wants it: put before a page's own scripts. It also notes when digits
// change, on a clock that all pages of one machine have in common.

(() => {
  const wire = (window.wire = { jitter: 0, cut: false, flips: [] });
  const common = () => performance.timeOrigin + performance.now();
  const late = () => Math.random() ** 3 * wire.jitter; // mostly little, now and then much

  /** Make a way that keeps the order, however late each message is. */
  function way() {
    let last = 0;
    return (deliver) => {
      last = Math.max(last, performance.now() + late());
      setTimeout(() => { if (!wire.cut) deliver(); }, last - performance.now());
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
      const slow = (event) => this.#in(() => heard.call(this, event));
      super.addEventListener(type, type === "message" ? slow : heard, ...rest);
    }

    set onmessage(heard) {
      this.addEventListener("message", heard);
    }
  };

  new MutationObserver((changes) => {
    for (const { target } of changes) wire.flips.push([common(), target.getAttribute("aria-label")]);
  }).observe(document, { attributes: true, attributeFilter: ["aria-label"], subtree: true });
})();
