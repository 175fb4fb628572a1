// Who this browser is to the hub: its own name for itself, and the token that it was let in with.
//
// A token comes in the fragment of a link that is good once, or with a code that the floor approved.
// Either way the hub gives a lasting one, which is kept here; it is never part of an address.
//
// A wall has a token of its own: who shows a wall in the director's browser is still the director
// in the other tab, and the wall is still only a screen.

const TOKEN = "railbird-token";
export const SCREEN = "railbird-screen";
const DEVICE = "railbird-device";

/** Give what the browser keeps for us; null where it keeps nothing, as in some private windows. */
export function store(kind = "localStorage") {
  try {
    return globalThis[kind] ?? null;
  } catch {
    return null;
  }
}

/** Write into the store, where it lets us: a page must work without. */
export function remember(key, value) {
  try {
    store()?.setItem(key, value);
  } catch { /* full, or forbidden */ }
}

function recall(key) {
  try {
    return store()?.getItem(key) ?? null;
  } catch {
    return null;
  }
}

/** This browser's own name for itself, the same after every reload. */
export function device() {
  let known = recall(DEVICE);
  if (!known) {
    const bytes = crypto.getRandomValues(new Uint8Array(8));
    known = "page-" + Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
    remember(DEVICE, known);
  }
  return known;
}

/**
 * Find this browser's token. One in the address is a link that is good once: it is taken out of the
 * address, where it could be read over a shoulder.
 */
export function token(key = TOKEN) {
  const given = new URLSearchParams(location.hash.slice(1)).get("token");
  if (!given) return recall(key);
  history.replaceState(null, "", location.pathname + location.search);
  return given;
}

/** Keep the token that the hub gave. */
export function keepToken(token, key = TOKEN) {
  remember(key, token);
}

/** Forget a token that the hub does not know. */
export function forgetToken(key = TOKEN) {
  try {
    store()?.removeItem(key);
  } catch { /* it was not kept either */ }
}

/** The address of the hub's websocket: that of this very page. */
export function hubAddress() {
  return location.origin.replace(/^http/, "ws") + "/ws";
}
