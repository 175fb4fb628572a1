// The theme of a page: one link to a sheet of variables, changed without a flash.

const FIRST = /\/themes\/([A-Za-z0-9_-]+)\.css/;

let worn = null; // {theme, version} that is on the page, or on its way there

/**
 * Dress the page in a theme, in the version that the hub's document `themes` gives for it. The old
 * sheet stays until the new one is there; one that cannot be had changes nothing.
 */
export function dress(theme, themes = null, done = () => {}) {
  const known = themes?.themes.find(({ id }) => id === theme);
  if (themes && !known) return; // gone from the venue's folder: what is on the wall stays
  const link = document.querySelector("#theme");
  worn ??= { theme: FIRST.exec(link.getAttribute("href"))?.[1], version: null };
  const version = known?.version ?? null;
  const same = worn.theme === theme && (version === null || worn.version === null || version === worn.version);
  const wanted = { theme, version: version ?? (worn.theme === theme ? worn.version : null) };
  const before = worn;
  worn = wanted;
  if (same) return; // the first version that is heard of is the one that was loaded
  const fresh = document.createElement("link");
  fresh.rel = "stylesheet";
  fresh.href = `/themes/${theme}.css${version === null ? "" : `?v=${version}`}`;
  fresh.onload = () => {
    if (worn.theme !== wanted.theme || worn.version !== wanted.version) return fresh.remove(); // overtaken
    document.querySelector("#theme")?.remove();
    fresh.id = "theme";
    document.documentElement.dataset.theme = theme;
    done();
  };
  fresh.onerror = () => {
    fresh.remove();
    if (worn === wanted) worn = before;
  };
  link.after(fresh);
}
