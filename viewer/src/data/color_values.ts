// Values that points can be colored by: menu entries, required tensors, and the value of each point.

import type { Frame } from "./frame";
import { stretch } from "./stretch";
import { NO_STRAND } from "./strands";

/** `object`, `material`, `strand`, `speed`, `velocity.x|y|z`, `stretch` or `attribute.NAME`. */
export type ColorBy = string;

/** Marks missing values; shaders draw them gray. */
export const NO_VALUE = 3e38;

/** Fewer than twice this number of values are sampled to find a range. */
const MAX_SAMPLES = 5_000;

/** Fraction of the values that may lie outside the range at each end [-]. */
const OUTLIER_FRACTION = 0.005;

/** An entry of the color menu. */
export interface ColorChoice {
  readonly key: ColorBy;
  readonly label: string;
  /** Empty for categories. */
  readonly unit: string;
  /** Whether the value is signed; the color range is then symmetric about zero. */
  readonly isSigned: boolean;
  /** Whether the value is a number, in contrast to a category. */
  readonly isNumber: boolean;
}

/** The values that the points of a frame can be colored by. */
export function colorChoices(frame: Frame): ColorChoice[] {
  const category = (key: string, label: string) => ({ key, label, unit: "", isSigned: false, isNumber: false });
  const number = (key: string, label: string, unit: string, isSigned: boolean) => {
    return { key, label, unit, isSigned, isNumber: true };
  };
  const { segments, triangles } = frame.topology;
  const units = frame.units;
  const speed = units.velocities ?? "m/s";
  const choices = [category("object", "Object"), category("material", "Material")];
  if (segments.length > 0) choices.push(category("strand", "Strand"));
  if (frame.header.tensors.has("velocities")) {
    choices.push(number("speed", "Speed", speed, false));
    for (const axis of ["x", "y", "z"]) choices.push(number(`velocity.${axis}`, `Velocity ${axis}`, speed, true));
  }
  if (segments.length + triangles.length > 0 && !frame.attributes.includes("stretch")) {
    choices.push(number("stretch", "Stretch", "-", true));
  }
  for (const name of frame.attributes) {
    const unit = units[`attributes.${name}`] ?? "-";
    choices.push(number(`attribute.${name}`, toTitle(name), unit, false));
  }
  return choices;
}

/** Names of the tensors that a color value needs. */
export function tensorsFor(by: ColorBy): string[] {
  if (by === "speed" || by.startsWith("velocity.")) return ["velocities"];
  if (by.startsWith("attribute.")) return [by.replace("attribute.", "attributes.")];
  return [];
}

/** Writes the value of each point into `values`; `first` holds the points of the first frame. */
export function colorValues(by: ColorBy, frame: Frame, first: Float32Array, values: Float32Array): void {
  const count = frame.topology.pointCount;
  const out = values.subarray(0, count);
  if (by === "strand") {
    const { strands } = frame.topology;
    for (let p = 0; p < count; p++) out[p] = strands[p] === NO_STRAND ? NO_VALUE : strands[p];
    return;
  }
  // A single pass, because a million points must be processed between two rendered images.
  const orNoValue = (value: number) => (Math.abs(value) < NO_VALUE ? value : NO_VALUE);
  if (by === "stretch") {
    stretch(frame.points, first, frame.topology, out);
    for (let p = 0; p < count; p++) out[p] = orNoValue(out[p]);
  } else if (by.startsWith("attribute.")) {
    const attribute = frame.reals(tensorsFor(by)[0]);
    for (let p = 0; p < count; p++) out[p] = orNoValue(attribute[p]);
  } else {
    const v = frame.reals("velocities");
    if (by === "speed") {
      for (let p = 0, k = 0; p < count; p++, k += 3) {
        out[p] = orNoValue(Math.sqrt(v[k] * v[k] + v[k + 1] * v[k + 1] + v[k + 2] * v[k + 2]));
      }
    } else {
      for (let p = 0, k = "xyz".indexOf(by.slice(-1)); p < count; p++, k += 3) out[p] = orNoValue(v[k]);
    }
  }
}

/** The range of the values without outliers; null if there are no values. */
export function rangeOf(values: Float32Array): [number, number] | null {
  const stride = Math.max(1, Math.floor(values.length / MAX_SAMPLES));
  const sample = new Float32Array(Math.ceil(values.length / stride));
  let count = 0;
  for (let k = 0; k < values.length; k += stride) {
    if (values[k] < NO_VALUE) sample[count++] = values[k];
  }
  if (count === 0) return null;
  const sorted = sample.subarray(0, count).sort();
  const outliers = Math.floor(OUTLIER_FRACTION * count);
  return [sorted[outliers], sorted[count - 1 - outliers]];
}

/** Converts an identifier such as `contact_force` to a title. */
export function toTitle(name: string): string {
  const words = name.replaceAll("_", " ");
  return words.charAt(0).toUpperCase() + words.slice(1);
}
