// What a screen is to show: said by the hub if the screen is managed, else by the page's address.
//
// Nothing here touches the page: settings in, choices out.

export const THEME = "midnight";
const TURN = 20;
const SHORTEST_TURN = 3;

/** A page that loads itself again now could miss the end of a clock that somebody waits for. */
const QUIET_BEFORE = 15_000;
const QUIET_AFTER = 3_000;

/** A page younger than this has just been loaded: whatever is wrong, loading it again is no cure. */
const YOUNG = 30_000;

const SAID = ["event", "scene", "table", "overlay"];

/** Say whether an address names nothing to show: such a screen waits to be told. */
export function isBare(params) {
  return !SAID.some((name) => params.has(name));
}

/** Read the settings that an address gives, in the form in which the hub says them. */
export function fromAddress(params) {
  const number = (name) => Number(params.get(name)) || 0;
  const inScene = /table=(\d+)/.exec(params.get("scene") ?? ""); // scene=table=7
  const table = Number(inScene?.[1]) || number("table");
  return {
    scene: params.get("scene") ?? (table > 0 ? "table" : null),
    event: params.get("event"),
    table: table || null,
    theme: params.get("theme"),
    sound: params.get("sound"),
    rotate: number("rotate"),
    blackout: false,
    trim: number("trim"),
    turn: number("turn") || null,
  };
}

const parts = (text) => (text ?? "").split(",").map((part) => part.trim()).filter(Boolean);

/** Turn settings into what the page goes by; what makes no sense to it is left out. */
export function choice(settings, known) {
  const named = parts(settings.scene).map((name) => name.split("=")[0]).filter((name) => known.includes(name));
  return {
    scenes: named.length > 0 ? named : ["clock"],
    events: parts(settings.event),
    table: settings.table ?? 1,
    theme: /^[A-Za-z0-9_-]+$/.test(settings.theme ?? "") ? settings.theme : THEME,
    sound: settings.sound,
    rotate: [90, 180, 270].includes(settings.rotate) ? settings.rotate : 0,
    blackout: settings.blackout === true,
    trim: settings.trim ?? 0,
    turn: Math.max(SHORTEST_TURN, settings.turn ?? TURN) * 1_000,
  };
}

/** Say whether two choices put up the same scenes, so that nothing need be built anew. */
export function sameScenes(one, other) {
  return ["scenes", "events", "table"].every((key) => String(one[key]) === String(other[key]));
}

/** Say whether a page may load itself again: it is not new, and no clock is about to end or just has. */
export function mayReload(clocks, now, age) {
  if (age < YOUNG) return false;
  return clocks.every(({ ends_at: end }) => end === null || end - now > QUIET_BEFORE || now - end > QUIET_AFTER);
}
