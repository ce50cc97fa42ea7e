// The run's quantities, sorted into plots.

import type { FrameQuantities } from "./server";

/** One line of a plot. */
export interface Series {
  readonly name: string;
  readonly values: readonly (number | null)[];
}

/** Lines that are drawn over each other. */
export interface Plot {
  readonly name: string;
  readonly series: readonly Series[];
}

/** Plots about the same thing. */
export interface PlotGroup {
  readonly name: string;
  readonly plots: readonly Plot[];
}

/** Groups in the order they are shown in, by words in the names of quantities. */
const GROUPS: readonly [string, RegExp][] = [
  ["Energies", /energy|work|dissipat/],
  ["Contacts", /contact|penetrat|inside|gap|impulse|friction|collision/],
  ["Solver", /residual|iteration|error|newton|sweeps|failed|unconverged/],
  ["Deformation", /stretch|strain|volume|stress|twist|bend|length/],
  ["Momentum", /momentum/],
  ["Other", /./],
];

/** Sorts all quantities into groups; parts of one vector or of the energy share a plot. */
export function plotGroups(quantities: readonly FrameQuantities[]): PlotGroup[] {
  const names = new Set<string>();
  for (const row of quantities) {
    for (const name of Object.keys(row)) names.add(name);
  }
  names.delete("frame");
  names.delete("time");
  const groups = new Map<string, Map<string, Series[]>>(GROUPS.map(([group]) => [group, new Map()]));
  for (const name of [...names].sort()) {
    const [group] = GROUPS.find(([, words]) => words.test(name))!;
    const plot = /_energy$/.test(name) ? "energy" : name.replace(/_[xyz]$/, "");
    const plots = groups.get(group)!;
    const series = { name, values: quantities.map((row) => row[name] ?? null) };
    plots.set(plot, [...(plots.get(plot) ?? []), series]);
  }
  return [...groups]
    .filter(([, plots]) => plots.size > 0)
    .map(([name, plots]) => ({ name, plots: [...plots].map(([plot, series]) => ({ name: plot, series })) }));
}

/** The least and the largest value of some lines; none without values. */
export function extent(series: readonly Series[]): [number, number] | null {
  let low = Infinity;
  let high = -Infinity;
  for (const { values } of series) {
    for (const value of values) {
      if (value !== null && Number.isFinite(value)) {
        low = Math.min(low, value);
        high = Math.max(high, value);
      }
    }
  }
  return low <= high ? [low, high] : null;
}

/** The last row at or before a frame; the first if there is none. */
export function rowAt(quantities: readonly FrameQuantities[], frame: number): number {
  let low = 0;
  let high = quantities.length - 1;
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if ((quantities[middle].frame ?? 0) <= frame) low = middle;
    else high = middle - 1;
  }
  return low;
}
