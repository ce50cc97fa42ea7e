// The color legend.

import { categorical, css, diverging, sequential } from "../data/color_maps";
import { materialsOf } from "../drawing/object_appearance";
import type { Viewer } from "../viewer";
import { h, withBackground } from "./dom";
import { formatNumber } from "./format";

/** The legend in the 3D view; hidden while points have the colors of their objects. */
export class Legend {
  private lastState = "";

  constructor(
    private readonly parent: HTMLElement,
    private readonly viewer: Viewer,
  ) {}

  update(): void {
    const { coloring } = this.viewer;
    const state = `${coloring.by} ${coloring.range}`;
    // Do not rebuild the legend while the user edits a number in it.
    const isEditing = document.activeElement instanceof HTMLInputElement && this.parent.contains(document.activeElement);
    if (state === this.lastState || isEditing) return;
    this.lastState = state;
    this.parent.hidden = !(coloring.isNumber || coloring.by === "material");
    this.parent.replaceChildren();
    if (coloring.by === "material") this.showMaterials();
    else if (coloring.isNumber) this.showRange();
  }

  private showMaterials(): void {
    const materials = materialsOf(this.viewer.appearance.objects);
    const entries = materials.map((material, index) =>
      h("li", {}, withBackground(h("span", { className: "swatch" }), css(categorical(index))), material),
    );
    this.parent.append(h("h2", {}, "Material"), h("ul", { className: "kinds" }, ...entries));
  }

  private showRange(): void {
    const { choice, range } = this.viewer.coloring;
    const canvas = h("canvas", { width: 220, height: 1 });
    const context = canvas.getContext("2d")!;
    const map = choice!.isSigned ? diverging : sequential;
    for (let x = 0; x < 220; x++) {
      context.fillStyle = css(map(x / 219));
      context.fillRect(x, 0, 1, 1);
    }
    const unit = choice!.unit === "-" ? "" : choice!.unit;
    const ends = [0, 1].map((end) => {
      const input = h("input", { value: formatNumber(range?.[end]), "aria-label": end === 0 ? "Minimum" : "Maximum" });
      input.addEventListener("change", () => this.setEnd(end, Number(input.value)));
      return input;
    });
    const reset = h("button", { className: "icon", type: "button", title: "Use the range of this frame" }, "rescale");
    reset.addEventListener("click", () => this.viewer.setRange(null));
    this.parent.append(
      h("h2", {}, choice!.label, h("span", {}, unit)),
      canvas,
      h("div", { className: "ends" }, ends[0], reset, ends[1]),
    );
  }

  private setEnd(end: number, value: number): void {
    const range: [number, number] = [...(this.viewer.coloring.range ?? [0, 1])];
    if (Number.isFinite(value)) range[end] = value;
    this.viewer.setRange(range);
    this.lastState = "";
    this.update();
  }
}
