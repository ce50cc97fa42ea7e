// Lists of objects and bodies with buttons to show and hide them.

import { css } from "../data/color_maps";
import type { Viewer } from "../viewer";
import { h, withBackground, section } from "./dom";

/** Longer lists are collapsed initially. */
const MAX_OPEN = 12;

/** The lists of objects and bodies. */
export class ObjectLists {
  private readonly objects: HTMLButtonElement[];
  private readonly bodies: Map<number, HTMLButtonElement>;

  constructor(
    parent: HTMLElement,
    private readonly viewer: Viewer,
  ) {
    const { appearance } = viewer;
    this.objects = appearance.objects.map(({ name, material, color }, index) =>
      toggle(name, material, color, () => viewer.setObjectVisible(index, !viewer.objectIsVisible[index])),
    );
    const visibleBodies = appearance.bodies.map((body, index) => ({ ...body, index })).filter(({ shape }) => shape.kind !== "unseen");
    this.bodies = new Map(
      visibleBodies.map(({ name, color, shape, index }) => [
        index,
        toggle(name, shape.kind, color, () => viewer.setBodyVisible(index, !viewer.bodyIsVisible[index])),
      ]),
    );
    if (this.objects.length > 0) {
      parent.append(section("Objects", this.objects.length <= MAX_OPEN, h("div", { id: "objects" }, ...this.objects)));
    }
    if (this.bodies.size > 0) {
      parent.append(section("Bodies", this.bodies.size <= MAX_OPEN, h("div", { id: "bodies" }, ...this.bodies.values())));
    }
  }

  update(): void {
    this.objects.forEach((button, k) => button.setAttribute("aria-pressed", String(this.viewer.objectIsVisible[k])));
    for (const [k, button] of this.bodies) button.setAttribute("aria-pressed", String(this.viewer.bodyIsVisible[k]));
  }
}

function toggle(name: string, kind: string, color: readonly number[], act: () => void): HTMLButtonElement {
  const swatch = withBackground(h("span", { className: "swatch" }), css(color));
  const button = h("button", { className: "toggle", type: "button", title: "Show or hide" }, swatch, name, h("small", {}, kind));
  button.addEventListener("click", act);
  return button;
}
