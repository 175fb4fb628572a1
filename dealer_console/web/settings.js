// How one dealer's tablet is set: for the person who works it, kept in its browser only.

import { remember, store } from "/web/identity.js";

const KEY = "railbird-dealer";

/** Each setting with its choices, the first of which holds until somebody chooses. */
export const SETTINGS = [
  { key: "side", label: "Big button", choices: [["left", "left"], ["right", "right"]] },
  { key: "mirror", label: "Clock for players opposite", choices: [["off", "off"], ["on", "upside down"]] },
  { key: "sound", label: "Sound", choices: [["on", "on"], ["off", "off"]] },
  { key: "buzz", label: "Vibration", choices: [["on", "on"], ["off", "off"]] },
  { key: "bright", label: "Brightness", choices: [["100", "full"], ["75", "¾"], ["50", "half"], ["35", "low"]] },
  {
    key: "theme",
    label: "Theme",
    choices: [["midnight", "midnight"], ["classic", "classic"], ["high-contrast", "contrast"], ["daylight", "daylight"], ["broadcast", "calm"]],
  },
  { key: "simple", label: "", choices: [["off", ""], ["on", ""]] }, // has a place of its own in the menu
];

/** Read what was kept; anything that is no choice is the first one. */
export function read(kept) {
  let found = {};
  try {
    found = JSON.parse(kept ?? "{}") ?? {};
  } catch { /* not ours */ }
  return Object.fromEntries(SETTINGS.map(({ key, choices }) => {
    const wanted = choices.find(([value]) => value === found[key]);
    return [key, (wanted ?? choices[0])[0]];
  }));
}

/** The settings of this tablet. */
export class Settings {
  constructor() {
    let kept = null;
    try {
      kept = store()?.getItem(KEY) ?? null;
    } catch { /* forbidden: the first choices then */ }
    this.chosen = read(kept);
  }

  get(key) {
    return this.chosen[key];
  }

  set(key, value) {
    this.chosen = read(JSON.stringify({ ...this.chosen, [key]: value }));
    remember(KEY, JSON.stringify(this.chosen));
  }
}
