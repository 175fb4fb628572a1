// The page itself, kept for when it is loaded while the hub is away.
//
// A service worker does that, where browsers allow one: on https and on this very machine. It keeps
// a whole page of one build, never a mixture; the hub's own page always comes first.

import { remember, store } from "/web/identity.js";

const BUILD = "railbird-shell";
const WORKER = "/dealer-worker.js";

/**
 * Whether the page that is kept is of this build, as far as anybody knows. One that is not may be the
 * one that runs: it was loaded while the hub was away.
 */
export function shellIsOf(build) {
  let kept = null;
  try {
    kept = store()?.getItem(BUILD) ?? null;
  } catch { /* nothing is kept here */ }
  if (kept !== null && kept !== build) remember(BUILD, build); // once: the next page is the hub's own
  return kept === null || kept === build;
}

let asked = null; // for which build

/** Keep this page and everything that it has loaded; once is enough. */
export async function keepShell(build) {
  if (!("serviceWorker" in navigator) || asked === build) return;
  asked = build;
  try {
    await navigator.serviceWorker.register(WORKER, { scope: "/dealer", updateViaCache: "none" });
    const { active } = await navigator.serviceWorker.ready;
    const loaded = performance.getEntriesByType("resource").map(({ name }) => name);
    active.postMessage({ keep: build, paths: [...new Set(loaded.map((name) => new URL(name).pathname))] });
    remember(BUILD, build);
  } catch { /* a browser that will not, or a certificate that it does not trust: taps are kept all the same */ }
}
