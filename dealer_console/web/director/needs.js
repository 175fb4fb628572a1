// What needs the director now, the most urgent first. Pure: documents and an instant in, a list out.

import { age } from "./amounts.js";

/** A screen that paints so late, or is so unsure of the time, is looked at by somebody. */
export const SKEWED = 100;
export const UNSURE = 250;

const URGENCY = ["ruling", "floor", "called", "release", "runout", "assumed", "interrupted", "silent", "unanswered", "code", "ask", "screen", "timer", "plain"];

const sorted = (list) => list.sort((a, b) => URGENCY.indexOf(a.kind) - URGENCY.indexOf(b.kind) || (b.age ?? 0) - (a.age ?? 0));

/** Write a code as people read it out: KTR-MWD. */
export function spoken(code) {
  return code.length === 6 ? `${code.slice(0, 3)}-${code.slice(3)}` : code;
}

/** Say since when, and why, a table has called the floor; null where it has not. */
export function floorCall(row) {
  if (row.floor === null || row.floor === undefined) return null;
  return { since: row.floor, reason: row.floor_reason ?? null };
}

/**
 * Say since when a table's tablet has not been heard; null where it is, or where there is none. What
 * the hub says of the table (`duty`) counts first; a tablet that was let in and never came, second.
 */
export function silence(table, duty, devices, event, gone) {
  const tablets = devices.filter((each) => each.role === "dealer" && each.event === event && each.table === table);
  const known = duty?.tables[table];
  if (known?.silent_since) return { name: known.name ?? tablets[0]?.name ?? `T${table}`, since: known.silent_since };
  if (tablets.length === 0 || tablets.some(({ live }) => live)) return null;
  const last = tablets.map(({ id }) => gone.get(id)).filter((each) => each !== undefined);
  return { name: tablets[0].name, since: last.length > 0 ? Math.max(...last) : null };
}

/** Say for how long a device, or a table's, has talked without answering the hub; empty if it answers. */
export function unansweredWords(of, now) {
  const since = of?.unanswered_since ?? null;
  return since === null || now === null ? "" : `does not answer ${age(now - since)}`;
}

/** Say what is wrong with a screen; empty where nothing is. */
export function screenTrouble(device, build) {
  if (!device.live) return "away";
  const how = device.report;
  if (!how) return "";
  if (how.build && build && how.build !== build) return "old page";
  if (Math.abs(how.skew ?? 0) > SKEWED) return `paints ${Math.abs(how.skew)} ms late`;
  return (how.uncertainty ?? 0) > UNSURE ? `time unsure, ±${how.uncertainty} ms` : "";
}

/** Say many silent tablets in one line: then it is the Wi-Fi, not the tablets. */
function gathered(found) {
  const silent = found.filter(({ kind }) => kind === "silent");
  if (silent.length <= 3) return found;
  const since = Math.min(...silent.map((each) => each.since ?? Infinity));
  const one = { kind: "silent", table: silent[0].table, text: `${silent.length} tablets silent`, note: `tables ${silent.map(({ table }) => table).join(", ")}`, since: Number.isFinite(since) ? since : null, act: "open" };
  return [...found.filter(({ kind }) => kind !== "silent"), one];
}

function atTables(event, tables, duty, devices, gone, now) {
  const found = [];
  const rows = Object.entries(tables?.tables ?? {});
  const playing = rows.some(([, row]) => row.h4h === "playing");
  for (const [number, row] of rows) {
    const table = Number(number);
    const call = floorCall(row);
    if (row.action?.outcome === "needs_ruling") {
      found.push({ kind: "ruling", table, text: row.action.seat === null ? `Table ${table}: rule` : `Table ${table}: rule on seat ${row.action.seat}`, note: "time ran out, and nobody can say how", act: "rule" });
    }
    if (call) found.push({ kind: "floor", table, text: `Table ${table} floor call`, note: call.reason ?? "", since: call.since, act: "answer" });
    if (row.called?.status === "expired") {
      found.push({ kind: "called", table, text: `Table ${table}: the called clock is over`, note: row.called.outcome === "dead" ? "dead hand" : row.called.outcome ?? "", act: "open" });
    }
    if (row.assumed) {
      found.push({ kind: "assumed", table, text: `Table ${table}: seen this?`, note: row.assumed.text, since: row.assumed.until, act: "seen", tap: row.assumed.tap });
    } else if (row.action?.interrupted) found.push({ kind: "interrupted", table, text: `Table ${table}: clock interrupted`, note: "the dealer goes on when ready", act: "open" });
    if (row.h4h === "all_in" && !playing) found.push({ kind: "runout", table, text: `Table ${table} all-in, held`, note: "its board may be run now", act: "runout" });
    const quiet = silence(table, duty, devices, event, gone);
    if (quiet) found.push({ kind: "silent", table, text: `Tablet ${quiet.name} silent`, note: "", since: quiet.since, act: "open" });
    for (const { name } of duty?.tables[table]?.asking ?? []) found.push({ kind: "ask", table, text: `${name} asks for table ${table}`, note: "", act: "open" });
  }
  return gathered(found).map((each) => ({ ...each, age: each.since === undefined || each.since === null || now === null ? null : Math.max(0, now - each.since) }));
}

/** List what needs the director. `gone` says since when devices were missed, `now` is hub time. */
export function needs({ event, doc, tables, duty, floor, devices, hub, gone = new Map(), now }) {
  const list = devices?.devices ?? [];
  const found = atTables(event, tables, duty, list, gone, now);
  if (doc?.h4h.status === "holding" && doc.clock.phase === "level" && !doc.h4h.soft) {
    found.push({ kind: "release", text: "All tables are done", note: "release the next hand, or end", act: "release", age: null });
  }
  for (const asking of devices?.asking ?? []) {
    found.push({ kind: "code", code: asking.code, text: `New device ${spoken(asking.code)}`, note: asking.kind, act: "approve", age: null });
  }
  for (const device of list.filter(({ role }) => role === "viewer")) {
    const trouble = screenTrouble(device, hub?.build);
    const since = device.last_seen ?? gone.get(device.id) ?? null;
    if (trouble) found.push({ kind: "screen", device: device.id, text: `${device.name}: ${trouble}`, note: "", act: "devices", age: trouble === "away" && since !== null && now !== null ? Math.max(0, now - since) : null });
  }
  for (const { id, name, unanswered_since: since } of list.filter((each) => each.unanswered_since)) {
    found.push({ kind: "unanswered", device: id, text: `${name} does not answer`, note: "it still sends: look at it", act: "devices", age: now === null ? null : Math.max(0, now - since) });
  }
  for (const timer of floor?.timers ?? []) {
    found.push({ kind: "timer", text: timer.name, note: timer.over ? "over" : "", left: timer, act: "", age: null });
  }
  if (hub?.plain) found.push({ kind: "plain", text: "Plain http", note: "what is typed here can be overheard", act: "", age: null });
  return sorted(found);
}

const KINDS = { restart: "Restart", stall: "Standstill", storage: "Storage", step: "Clock moved" };

/**
 * Say what a director must know about how far all this can be trusted: what happened, what was
 * assumed, and what can be done about it.
 */
export function truths({ hub, events = [], freshness, silentFor = null, closed = null }) {
  const found = [];
  if (closed !== null) found.push({ key: "closed", tone: "trouble", title: "The hub has closed this console", text: closed, acts: [] });
  else if (freshness !== "fresh") {
    const stale = freshness === "stale";
    found.push({
      key: "link",
      tone: "trouble",
      title: stale ? "The hub is not heard: trust nothing here" : "The hub is not heard",
      text: "Clocks go on by themselves. What you press is kept, and sent when the hub is back.",
      silentFor,
      acts: [],
    });
  }
  if (hub?.storage) {
    found.push({
      key: "storage",
      tone: "trouble",
      title: "The hub cannot store anything",
      text: `${hub.storage}. Clocks go on being shown; every command is refused until there is room again. Free space on the hub's disk.`,
      acts: [],
    });
  }
  for (const gap of hub?.gaps ?? []) {
    const givable = gap.kind === "step" ? [] : events.filter(({ id, status }) => status !== "finished" && status !== "waiting" && !gap.given.includes(id));
    found.push({
      key: `gap-${gap.id}`,
      tone: "warning",
      title: KINDS[gap.kind] ?? "Time is missing",
      text: gap.text,
      gap: gap.id,
      given: gap.given,
      acts: givable.map(({ id, name }) => ({ event: id, name, ms: gap.ms })),
    });
  }
  return found;
}
