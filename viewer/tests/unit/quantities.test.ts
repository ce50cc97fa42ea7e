import assert from "node:assert/strict";
import { test } from "node:test";
import { extent, plotGroups, rowAt } from "../../src/data/quantities";
import { bytes, count, duration, short } from "../../src/panel/numbers";

const rows = [
  { frame: 0, time: 0, kinetic_energy: 1, elastic_energy: null, momentum_x: 0, momentum_y: 2, contacts: 4, newton_iterations: 3, mass: 1 },
  { frame: 5, time: 1, kinetic_energy: 3, elastic_energy: 2, momentum_x: 1, momentum_y: 2, contacts: 5, newton_iterations: 3, mass: 1 },
];

test("every quantity has a place in exactly one plot", () => {
  const groups = plotGroups(rows);
  assert.deepEqual(groups.map(({ name }) => name), ["Energies", "Contacts", "Solver", "Momentum", "Other"]);
  const series = groups.flatMap(({ plots }) => plots.flatMap((plot) => plot.series.map(({ name }) => name)));
  assert.equal(series.length, 7);
  assert.equal(new Set(series).size, 7);
  assert.deepEqual(groups[0].plots.map((plot) => plot.series.length), [2]);
  assert.deepEqual(extent(groups[0].plots[0].series), [1, 3]);
  assert.deepEqual(plotGroups([]), []);
});

test("the row of a frame is the last one up to it", () => {
  assert.deepEqual([0, 4, 5, 9].map((frame) => rowAt(rows, frame)), [0, 0, 1, 1]);
  assert.equal(rowAt([], 3), 0);
});

test("numbers are short", () => {
  assert.deepEqual([0, 1 / 3, 123456, 2e-5, null, NaN].map(short), ["0", "0.3333", "1.23e5", "2.00e-5", "–", "–"]);
  assert.deepEqual([999, 12_345, 1_500_000, 20_000_000].map(count), ["999", "12.3 k", "1.5 M", "20 M"]);
  assert.deepEqual([1.5, 75, 7300].map(duration), ["1.5 s", "1 min 15 s", "2 h 2 min"]);
  assert.deepEqual([5e6, 2.5e9].map(bytes), ["5 MB", "2.5 GB"]);
});
