// Reads cases from a test in Python and writes what the browser's modules assume of each.

import { readFileSync } from "node:fs";

import { assumed } from "../../dealer_console/web/offline.js";

const cases = JSON.parse(readFileSync(0, "utf-8"));
process.stdout.write(JSON.stringify(cases.map(({ table, event, taps, now }) => assumed(table, event, taps, now))));
