// Finding an act by a few letters of its words. Pure.

/** Say how well letters fit words: 0 is best, null is not at all. */
export function fits(query, words) {
  const wanted = query.trim().toLowerCase();
  const text = words.toLowerCase();
  if (wanted === "") return 1_000;
  const at = text.indexOf(wanted);
  if (at === 0) return 0;
  if (at > 0) return text[at - 1] === " " ? 1 : 10 + at;
  // Every part of it begins a word: "ann br" finds "announce the break".
  const begins = text.split(/[^\p{L}\p{N}]+/u);
  const parts = wanted.split(/\s+/);
  if (parts.every((part) => begins.some((word) => word.startsWith(part)))) return 100;
  // All letters in their order, as little apart as can be.
  let from = -1;
  let far = 0;
  for (const letter of wanted.replace(/\s/g, "")) {
    const next = text.indexOf(letter, from + 1);
    if (next < 0) return null;
    far += next - from - 1;
    from = next;
  }
  return 1_000 + far;
}

/** Give what fits best first; equals stay in their order. */
export function found(query, all, wordsOf) {
  return all
    .map((each, order) => ({ each, order, rank: fits(query, wordsOf(each)) }))
    .filter(({ rank }) => rank !== null)
    .sort((a, b) => a.rank - b.rank || a.order - b.order)
    .map(({ each }) => each);
}
