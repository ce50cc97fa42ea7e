// The value that points are colored by, and the range of the color map.

import { colorValues, rangeOf, tensorsFor, type ColorBy, type ColorChoice } from "./data/color_values";
import type { Frame } from "./data/frame";
import type { Shared } from "./drawing/shared";
import { COLOR_MODE } from "./shaders/common";

/** Colors points by numbers or by categories. */
export class Coloring {
  by: ColorBy = "object";
  choice: ColorChoice | null = null;
  /** Range of the color map; null before the first values. */
  range: [number, number] | null = null;
  /** Whether the user has set the range. Otherwise the range grows to contain the values of all frames shown so far. */
  isFixed = false;

  constructor(private readonly shared: Shared) {}

  get isNumber(): boolean {
    return this.choice?.isNumber ?? false;
  }

  /** Whether each point has its own value. */
  get hasValues(): boolean {
    return this.isNumber || this.by === "strand";
  }

  /** Names of the tensors that the coloring needs. */
  get tensors(): string[] {
    return tensorsFor(this.by);
  }

  choose(choice: ColorChoice): void {
    this.by = choice.key;
    this.choice = choice;
    this.range = null;
    this.isFixed = false;
  }

  /** Fixes the range at values set by the user. */
  fix(range: [number, number]): void {
    this.range = range;
    this.isFixed = true;
    this.shared.uniforms.uRange.value.set(...range);
  }

  /** Resets the range; the next frame sets it. */
  release(): void {
    this.range = null;
    this.isFixed = false;
  }

  /** Uploads the values of a frame for the shaders; `first` holds the points of the first frame. */
  update(frame: Frame, first: Float32Array): void {
    const { uniforms, maps, values } = this.shared;
    const mode = this.isNumber ? COLOR_MODE.number : this.by === "strand" ? COLOR_MODE.category : COLOR_MODE.object;
    uniforms.uColorMode.value = mode;
    if (mode === COLOR_MODE.object) return;
    const isSigned = this.choice?.isSigned ?? false;
    uniforms.uMap.value = mode === COLOR_MODE.category ? maps.categories : isSigned ? maps.diverging : maps.sequential;
    const buffer = values.reserve(frame.topology.pointCount);
    colorValues(this.by, frame, first, buffer);
    values.upload();
    if (this.isNumber && !this.isFixed) this.extendRange(rangeOf(buffer), isSigned);
    if (this.range) uniforms.uRange.value.set(...this.range);
  }

  private extendRange(values: [number, number] | null, isSigned: boolean): void {
    if (!values) return;
    let [low, high] = values;
    if (this.range) {
      low = Math.min(low, this.range[0]);
      high = Math.max(high, this.range[1]);
    }
    if (isSigned) {
      high = Math.max(Math.abs(low), Math.abs(high));
      low = -high;
    }
    this.range = [low, high];
  }
}
