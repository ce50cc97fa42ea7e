import assert from "node:assert/strict";
import { test } from "node:test";
import { extent, plotSections, rowAt } from "../../src/data/quantities";
import type { QuantityGroup } from "../../src/data/server";
import { formatBytes, formatCount, formatDuration, formatNumber } from "../../src/panel/format";

const rows = [
  { frame: 0, time: 0, kinetic_energy: 1, elastic_energy: null, momentum_x: 0, momentum_y: 2, contacts: 4, newton_iterations: 3, mass: 1 },
  { frame: 5, time: 1, kinetic_energy: 3, elastic_energy: 2, momentum_x: 1, momentum_y: 2, contacts: 5, newton_iterations: 3, mass: 1 },
];

const groups: readonly QuantityGroup[] = [
  group("energy [J]", "Energies", { kinetic_energy: "kinetic", elastic_energy: "elastic", gravitational_energy: "gravitational" }, "total"),
  group("contacts [-]", "Contacts", { contacts: "current", most_contacts: "maximum so far" }),
  group("momentum [kg m/s]", "Momentum", { momentum_x: "x", momentum_y: "y" }),
  group("mass [kg]", "Other", { mass: "mass" }),
];

function group(title: string, section: string, labels: Record<string, string>, total: string | null = null): QuantityGroup {
  const members = Object.entries(labels).map(([quantity, label]) => ({ quantity, label }));
  return { title, section, is_logarithmic: false, total, members };
}

test("every quantity appears in exactly one plot", () => {
  const sections = plotSections(rows, groups);
  const titles = sections.map(({ name, plots }) => [name, ...plots.map(({ title }) => title)]);
  assert.deepEqual(titles, [
    ["Energies", "energy [J]"],
    ["Contacts", "contacts [-]"],
    ["Momentum", "momentum [kg m/s]"],
    ["Other", "mass [kg]", "newton iterations"],
  ]);
  const labels = sections.map(({ plots }) => plots.map(({ series }) => series.map(({ label }) => label)));
  assert.deepEqual(labels, [[["kinetic", "elastic", "total"]], [["current"]], [["x", "y"]], [[""], [""]]]);
  const energy = sections[0].plots[0];
  assert.deepEqual(energy.series[2].values, [null, 5]);
  assert.deepEqual(extent(energy), [1, 5]);
  assert.deepEqual(plotSections([], groups), []);
});

test("a logarithmic axis omits zeros and rounding errors", () => {
  const series = (values: number[]) => [{ label: "", values }];
  assert.deepEqual(extent({ title: "", isLogarithmic: true, series: series([1e-8, 0, 100]) }), [-8, 2]);
  assert.deepEqual(extent({ title: "", isLogarithmic: true, series: series([1e-30, 100]) }), [-14, 2]);
  assert.equal(extent({ title: "", isLogarithmic: true, series: series([0]) }), null);
});

test("the row of a frame is the last one at or before it", () => {
  assert.deepEqual([0, 4, 5, 9].map((frame) => rowAt(rows, frame)), [0, 0, 1, 1]);
  assert.equal(rowAt([], 3), 0);
});

test("numbers are formatted with few digits", () => {
  assert.deepEqual([0, 1 / 3, 123456, 2e-5, null, NaN].map(formatNumber), ["0", "0.3333", "1.23e5", "2.00e-5", "–", "–"]);
  assert.deepEqual([999, 12_345, 1_500_000, 20_000_000].map(formatCount), ["999", "12.3 k", "1.5 M", "20 M"]);
  assert.deepEqual([1.5, 75, 7300].map(formatDuration), ["1.5 s", "1 min 15 s", "2 h 2 min"]);
  assert.deepEqual([5e6, 2.5e9].map(formatBytes), ["5 MB", "2.5 GB"]);
});
