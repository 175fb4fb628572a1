// Re-sync: street, bet, live seats and turn put right in one command; the twin of dealer_console/resync.py.

/** Add to a street and a bet a path over the seats: those that are live, the last of them to act. */
export function synced(command, seats, path) {
  const args = { ...command.args, seat: path.at(-1) };
  let live = new Set(path);
  if (live.size === 1) { // only the turn; a seat that was taken for folded is live after all
    const known = seats.filter(({ name, folded }) => name !== "" && !folded).map(({ seat }) => seat);
    live = known.includes(path[0]) ? new Set() : new Set([...known, ...path]);
  }
  if (live.size > 0) args.live = [...live].sort((one, two) => one - two);
  return { ...command, args };
}
