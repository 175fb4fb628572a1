// The dealer page's service worker: it answers for the hub while the hub is away, with the page as it
// was, and never while the hub is there.
//
// It knows the dealer's page and what that loads. Everything else, the API and `healthz` above all,
// is none of its business: a request that it does not answer goes to the hub as if it were not here.

const PAGE = "/dealer";
const PARTS = ["/web/", "/console/", "/themes/", "/sounds/"];
const PREFIX = "railbird-dealer-";

/** Milliseconds that the hub has to answer for the page itself; a way that swallows all is away. */
const WITHIN = 4_000;

const fromCache = new Set(); // pages that were answered from here: their parts are, too, of one build

self.addEventListener("install", () => self.skipWaiting());

self.addEventListener("message", (event) => {
  const { keep, paths } = event.data ?? {};
  if (typeof keep === "string" && Array.isArray(paths)) event.waitUntil(keepAll(keep, paths));
});

self.addEventListener("fetch", (event) => {
  const { method, url, mode } = event.request;
  const { origin, pathname } = new URL(url);
  if (method !== "GET" || origin !== self.location.origin) return;
  if (mode === "navigate" && pathname === PAGE) event.respondWith(page(event));
  else if (PARTS.some((part) => pathname.startsWith(part))) event.respondWith(part(event));
});

/** Keep a whole page: it takes the place of an older one only when all of it is here. */
async function keepAll(build, paths) {
  const wanted = [PAGE, ...paths.filter((path) => PARTS.some((part) => path.startsWith(part)))];
  const name = PREFIX + build;
  const answers = await Promise.all(wanted.map((path) => fetch(path)));
  if (answers.some(({ ok }) => !ok)) return;
  const cache = await caches.open(name);
  await Promise.all(wanted.map((path, index) => cache.put(path, answers[index])));
  for (const other of await caches.keys()) {
    if (other.startsWith(PREFIX) && other !== name) await caches.delete(other);
  }
}

/** Give the hub's page; where the hub is away, the one that is kept. */
async function page(event) {
  try {
    return await fetch(PAGE + new URL(event.request.url).search, { cache: "no-cache", signal: AbortSignal.timeout(WITHIN) });
  } catch (error) {
    const found = await caches.match(PAGE);
    if (found === undefined) throw error;
    fromCache.add(event.resultingClientId);
    return found;
  }
}

/** Give a part of a page: of the hub's page the hub's, of a kept page what was kept with it. */
async function part(event) {
  const { pathname } = new URL(event.request.url);
  if (fromCache.has(event.clientId)) {
    const found = await caches.match(pathname);
    if (found !== undefined) return found;
  }
  try {
    return await fetch(event.request);
  } catch (error) {
    const found = await caches.match(pathname);
    if (found === undefined) throw error;
    return found;
  }
}
