// Display settings: colors, sizes, shadows and background.

import type { Viewer } from "../viewer";
import { h, section } from "./dom";

/** The color menu and the display settings. */
export class Display {
  private readonly color = h("select", { className: "wide", id: "color", "aria-label": "Color by" });
  private readonly rows: { readonly element: HTMLElement; readonly isNeeded: () => boolean }[];
  private readonly updates: (() => void)[] = [];
  private shownChoices = "";

  constructor(
    parent: HTMLElement,
    private readonly viewer: Viewer,
  ) {
    this.color.addEventListener("change", () => viewer.colorBy(this.color.value));
    const hasPoints = () => viewer.counts.points > 0;
    const hasCurves = () => viewer.counts.segments > 0;
    this.rows = [
      {
        element: row("Points", this.choice(["Spheres", "Dots"], () => (viewer.hasSpheres ? 0 : 1), (k) => viewer.setSpheres(k === 0))),
        isNeeded: hasPoints,
      },
      { element: row("Point size", slider("point-size", (scale) => viewer.setPointScale(scale))), isNeeded: hasPoints },
      { element: row("Strand width", slider("strand-width", (scale) => viewer.setCurveScale(scale))), isNeeded: hasCurves },
      {
        element: row("Shadows", this.choice(["On", "Off"], () => (viewer.stage.hasShadows ? 0 : 1), (k) => viewer.setShadows(k === 0))),
        isNeeded: () => true,
      },
      {
        element: row("Background", this.choice(["Light", "Dark"], () => (viewer.theme === "light" ? 0 : 1), (k) => viewer.setTheme(k === 0 ? "light" : "dark"))),
        isNeeded: () => true,
      },
    ];
    parent.append(section("Color by", true, this.color));
    parent.append(section("Display", true, ...this.rows.map(({ element }) => element)));
  }

  update(): void {
    const { choices, coloring } = this.viewer;
    const state = choices.map(({ key }) => key).join();
    if (state !== this.shownChoices) {
      this.shownChoices = state;
      this.color.replaceChildren(...choices.map(({ key, label }) => h("option", { value: key }, label)));
    }
    this.color.value = coloring.by;
    for (const { element, isNeeded } of this.rows) element.hidden = !isNeeded();
    for (const update of this.updates) update();
  }

  /** A group of buttons; one of them is pressed. */
  private choice(labels: readonly string[], selected: () => number, choose: (index: number) => void): HTMLElement {
    const buttons = labels.map((label, index) => {
      const button = h("button", { type: "button" }, label);
      button.addEventListener("click", () => choose(index));
      return button;
    });
    this.updates.push(() => {
      buttons.forEach((button, index) => button.setAttribute("aria-pressed", String(index === selected())));
    });
    return h("div", { className: "segmented" }, ...buttons);
  }
}

function row(label: string, control: HTMLElement): HTMLElement {
  return h("label", { className: "row" }, label, control);
}

/** A logarithmic slider for a scale from 1/4 to 4. A double click resets the scale to 1. */
function slider(id: string, set: (scale: number) => void): HTMLInputElement {
  const input = h("input", { type: "range", id, min: "-2", max: "2", step: "0.05", value: "0" });
  input.addEventListener("input", () => set(2 ** Number(input.value)));
  input.addEventListener("dblclick", () => {
    input.value = "0";
    set(1);
  });
  return input;
}
