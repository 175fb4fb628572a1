// Lets node find what pages ask their hub for: /web and /console, as server/pages.py serves them.

const FOLDERS = { "/web/": "display/web/", "/console/": "dealer_console/web/" };
const ROOT = new URL("../../", import.meta.url);

export function resolve(specifier, context, next) {
  for (const [address, folder] of Object.entries(FOLDERS)) {
    if (specifier.startsWith(address)) return next(new URL(folder + specifier.slice(address.length), ROOT).href, context);
  }
  return next(specifier, context);
}
