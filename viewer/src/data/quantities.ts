// Arranges the quantities of a run into plots, using the quantity groups from the server.

import type { FrameQuantities, QuantityGroup } from "./server";

/** One line of a plot. */
export interface Series {
  /** Name in the legend; empty if the plot has only this series. */
  readonly label: string;
  readonly values: readonly (number | null)[];
}

/** One or more series on common axes. */
export interface Plot {
  readonly title: string;
  readonly isLogarithmic: boolean;
  readonly series: readonly Series[];
}

/** The plots under one heading. */
export interface PlotSection {
  readonly name: string;
  readonly plots: readonly Plot[];
}

/** The heading of quantities without a group. */
const OTHER = "Other";

/** Maximum number of decades on a logarithmic axis. Values below the axis are assumed to be rounding errors. */
const DECADES = 16;

/** Arranges all quantities into plots. Each quantity without a group gets its own plot under "Other", the last heading. */
export function plotSections(quantities: readonly FrameQuantities[], groups: readonly QuantityGroup[]): PlotSection[] {
  const names = new Set(quantities.flatMap((row) => Object.keys(row)));
  names.delete("frame");
  names.delete("time");
  const valuesOf = (name: string) => quantities.map((row) => row[name] ?? null);
  const sections = new Map<string, Plot[]>();
  const add = (section: string, plot: Plot) => sections.set(section, [...(sections.get(section) ?? []), plot]);
  for (const { title, section, is_logarithmic: isLogarithmic, total, members } of groups) {
    const present = members.filter(({ quantity }) => names.delete(quantity));
    if (present.length === 0) continue;
    const series = present.map(({ quantity, label }) => ({ label: members.length > 1 ? label : "", values: valuesOf(quantity) }));
    if (total !== null && series.length > 1) series.push({ label: total, values: sum(series) });
    add(section, { title, isLogarithmic, series });
  }
  for (const name of [...names].sort()) {
    add(OTHER, { title: name.replaceAll("_", " "), isLogarithmic: false, series: [{ label: "", values: valuesOf(name) }] });
  }
  return [...sections].map(([name, plots]) => ({ name, plots }));
}

/** Sums the series row by row; null where a value is missing. */
function sum(series: readonly Series[]): (number | null)[] {
  const add = (total: number | null, value: number | null) => (total === null || value === null ? null : total + value);
  return series[0].values.map((_, row) => series.map(({ values }) => values[row]).reduce(add, 0));
}

/** Axis coordinate of a value: on a logarithmic axis, its base-10 logarithm. Null if the coordinate is missing or not finite. */
export function height(value: number | null | undefined, isLogarithmic: boolean): number | null {
  if (value === null || value === undefined) return null;
  const scaled = isLogarithmic ? Math.log10(value) : value;
  return Number.isFinite(scaled) ? scaled : null;
}

/** Smallest and largest axis coordinate in a plot; null if it has no values. */
export function extent({ series, isLogarithmic }: Plot): [number, number] | null {
  let low = Infinity;
  let high = -Infinity;
  for (const { values } of series) {
    for (const value of values) {
      const at = height(value, isLogarithmic);
      if (at !== null) {
        low = Math.min(low, at);
        high = Math.max(high, at);
      }
    }
  }
  if (low > high) return null;
  return [isLogarithmic ? Math.max(low, high - DECADES) : low, high];
}

/** Index of the last row at or before a frame; 0 if there is none. */
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
