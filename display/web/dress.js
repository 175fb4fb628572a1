// The theme of a page: one link to a sheet of variables, changed without a flash.

const FIRST = /\/themes\/([A-Za-z0-9_-]+)\.css/;

let worn = null; // {theme, version} of the sheet that is on the page
let wanted = null; // the same of the newest that was asked for: `worn`, or one on its way there

/**
 * Dress the page in a theme, in the version that the hub's document `themes` gives for it. The old
 * sheet stays until the new one is there; one that cannot be had changes nothing.
 */
export function dress(theme, themes = null, done = () => {}) {
  const known = themes?.themes.find(({ id }) => id === theme);
  if (themes && !known) return; // gone from the venue's folder: what is on the wall stays
  const link = document.querySelector("#theme");
  worn ??= { theme: FIRST.exec(link.getAttribute("href"))?.[1], version: null };
  wanted ??= worn;
  const version = known?.version ?? null;
  if (wanted.theme === theme && (version === null || (wanted.version ?? version) === version)) {
    wanted.version ??= version; // the first version that is heard of is the one that was asked for
    return;
  }
  const asked = { theme, version };
  wanted = asked;
  const fresh = document.createElement("link");
  fresh.rel = "stylesheet";
  fresh.href = `/themes/${theme}.css${version === null ? "" : `?v=${version}`}`;
  fresh.onload = () => {
    if (wanted !== asked) return fresh.remove(); // overtaken
    document.querySelector("#theme")?.remove();
    fresh.id = "theme";
    document.documentElement.dataset.theme = theme;
    worn = asked;
    done();
  };
  fresh.onerror = () => {
    fresh.remove();
    if (wanted === asked) wanted = worn;
  };
  link.after(fresh);
}
