// What points are colored by: names for the menu, the tensors it takes, and a number for each point.

import type { Frame } from "./frame";
import { stretch } from "./stretch";
import { NO_STRAND } from "./strands";

/** `object`, `material`, `strand`, `speed`, `velocity.x|y|z`, `stretch` or `attribute.NAME`. */
export type ColorBy = string;

/** Stands for values that are not a number; shaders draw it gray. */
export const NO_VALUE = 3e38;

/** Values looked at to find a range, at most. */
const MOST_SAMPLED = 5_000;

/** Share of the values on each side that may lie outside the range [-]. */
const STRAYS = 0.005;

/** An entry of the menu. */
export interface ColorChoice {
  readonly key: ColorBy;
  readonly label: string;
  /** Empty where there is none. */
  readonly unit: string;
  /** Whether the sign matters: then the colors are symmetric around zero. */
  readonly isSigned: boolean;
  /** Whether a number is shown, in contrast to a kind. */
  readonly isNumber: boolean;
}

/** What the points of a frame can be colored by. */
export function colorChoices(frame: Frame): ColorChoice[] {
  const kind = (key: string, label: string) => ({ key, label, unit: "", isSigned: false, isNumber: false });
  const number = (key: string, label: string, unit: string, isSigned: boolean) => {
    return { key, label, unit, isSigned, isNumber: true };
  };
  const { segments, triangles } = frame.topology;
  const units = frame.units;
  const speed = units.velocities ?? "m/s";
  const choices = [kind("object", "Object"), kind("material", "Material")];
  if (segments.length > 0) choices.push(kind("strand", "Strand"));
  if (frame.header.tensors.has("velocities")) {
    choices.push(number("speed", "Speed", speed, false));
    for (const axis of ["x", "y", "z"]) choices.push(number(`velocity.${axis}`, `Velocity ${axis}`, speed, true));
  }
  if (segments.length + triangles.length > 0 && !frame.attributes.includes("stretch")) {
    choices.push(number("stretch", "Stretch", "-", true));
  }
  for (const name of frame.attributes) {
    const unit = units[`attributes.${name}`] ?? "-";
    choices.push(number(`attribute.${name}`, readable(name), unit, false));
  }
  return choices;
}

/** The tensors that a way of coloring takes. */
export function tensorsFor(by: ColorBy): string[] {
  if (by === "speed" || by.startsWith("velocity.")) return ["velocities"];
  if (by.startsWith("attribute.")) return [by.replace("attribute.", "attributes.")];
  return [];
}

/** Writes a number for each point into `values`; `first` has the points of the first frame. */
export function colorValues(by: ColorBy, frame: Frame, first: Float32Array, values: Float32Array): void {
  const count = frame.topology.pointCount;
  const out = values.subarray(0, count);
  if (by === "strand") {
    const { strands } = frame.topology;
    for (let p = 0; p < count; p++) out[p] = strands[p] === NO_STRAND ? NO_VALUE : strands[p];
    return;
  }
  // One pass: a million points have to be done within a picture.
  const known = (value: number) => (Math.abs(value) < NO_VALUE ? value : NO_VALUE);
  if (by === "stretch") {
    stretch(frame.points, first, frame.topology, out);
    for (let p = 0; p < count; p++) out[p] = known(out[p]);
  } else if (by.startsWith("attribute.")) {
    const attribute = frame.reals(tensorsFor(by)[0]);
    for (let p = 0; p < count; p++) out[p] = known(attribute[p]);
  } else {
    const v = frame.reals("velocities");
    if (by === "speed") {
      for (let p = 0, k = 0; p < count; p++, k += 3) {
        out[p] = known(Math.sqrt(v[k] * v[k] + v[k + 1] * v[k + 1] + v[k + 2] * v[k + 2]));
      }
    } else {
      for (let p = 0, k = "xyz".indexOf(by.slice(-1)); p < count; p++, k += 3) out[p] = known(v[k]);
    }
  }
}

/** The range that nearly all values are in; none when there are no values. */
export function rangeOf(values: Float32Array): [number, number] | null {
  const stride = Math.max(1, Math.floor(values.length / MOST_SAMPLED));
  const sample = new Float32Array(Math.ceil(values.length / stride));
  let count = 0;
  for (let k = 0; k < values.length; k += stride) {
    if (values[k] < NO_VALUE) sample[count++] = values[k];
  }
  if (count === 0) return null;
  const sorted = sample.subarray(0, count).sort();
  const strays = Math.floor(STRAYS * count);
  return [sorted[strays], sorted[count - 1 - strays]];
}

/** A name of code as people write it. */
export function readable(name: string): string {
  const words = name.replaceAll("_", " ");
  return words.charAt(0).toUpperCase() + words.slice(1);
}
