// What the points are colored by, and the range of the colors.

import { colorValues, rangeOf, tensorsFor, type ColorBy, type ColorChoice } from "./data/color_values";
import type { Frame } from "./data/frame";
import type { Shared } from "./drawing/shared";
import { COLOR_MODE } from "./shaders/common";

/** Colors points by numbers or kinds. */
export class Coloring {
  by: ColorBy = "object";
  choice: ColorChoice | null = null;
  /** Range of the color map; none before there are values. */
  range: [number, number] | null = null;
  /** Whether the user has set the range; otherwise it grows to hold what has been seen. */
  isFixed = false;

  constructor(private readonly shared: Shared) {}

  get isNumber(): boolean {
    return this.choice?.isNumber ?? false;
  }

  /** Whether each point has a value of its own. */
  get hasValues(): boolean {
    return this.isNumber || this.by === "strand";
  }

  /** Tensors that frames must have. */
  get tensors(): string[] {
    return tensorsFor(this.by);
  }

  choose(choice: ColorChoice): void {
    this.by = choice.key;
    this.choice = choice;
    this.range = null;
    this.isFixed = false;
  }

  /** Sets the range by hand. */
  fix(range: [number, number]): void {
    this.range = range;
    this.isFixed = true;
    this.shared.uniforms.uRange.value.set(...range);
  }

  /** Lets the range be what the next frame has. */
  release(): void {
    this.range = null;
    this.isFixed = false;
  }

  /** Hands the values of a frame to the shaders; `first` has the points of the first frame. */
  update(frame: Frame, first: Float32Array): void {
    const { uniforms, maps, values } = this.shared;
    const mode = this.isNumber ? COLOR_MODE.number : this.by === "strand" ? COLOR_MODE.kind : COLOR_MODE.object;
    uniforms.uColorMode.value = mode;
    if (mode === COLOR_MODE.object) return;
    const isSigned = this.choice?.isSigned ?? false;
    uniforms.uMap.value = mode === COLOR_MODE.kind ? maps.kinds : isSigned ? maps.diverging : maps.sequential;
    const room = values.room(frame.topology.pointCount);
    colorValues(this.by, frame, first, room);
    values.upload();
    if (this.isNumber && !this.isFixed) this.grow(rangeOf(room), isSigned);
    if (this.range) uniforms.uRange.value.set(...this.range);
  }

  private grow(seen: [number, number] | null, isSigned: boolean): void {
    if (!seen) return;
    let [low, high] = seen;
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
