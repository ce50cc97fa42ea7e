// The title of the run and how far it is.

import type { Viewer } from "../viewer";
import { h } from "./dom";

/** The heading over the picture. */
export class Heading {
  private readonly line = h("p");
  private shown = "";

  constructor(
    place: HTMLElement,
    private readonly viewer: Viewer,
  ) {
    const { title } = viewer.appearance;
    document.title = title ? `${title} · Fibra` : "Fibra";
    place.append(h("h1", {}, title), this.line);
  }

  update(): void {
    const { status, frames, appearance } = this.viewer;
    const state = `${status} ${frames.length}`;
    if (state === this.shown) return;
    this.shown = state;
    const chip = h("span", { className: `chip ${status}`, id: "status" }, status);
    this.line.replaceChildren(chip, h("span", {}, appearance.method), h("span", {}, `${frames.length} frames`));
  }
}
