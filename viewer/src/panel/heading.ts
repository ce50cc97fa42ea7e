// The title and status of the run.

import type { Viewer } from "../viewer";
import { h } from "./dom";

/** The heading above the 3D view. */
export class Heading {
  private readonly line = h("p");
  private lastState = "";

  constructor(
    parent: HTMLElement,
    private readonly viewer: Viewer,
  ) {
    const { title } = viewer.appearance;
    document.title = title ? `${title} · Fibra` : "Fibra";
    parent.append(h("h1", {}, title), this.line);
  }

  update(): void {
    const { status, frames, appearance } = this.viewer;
    const state = `${status} ${frames.length}`;
    if (state === this.lastState) return;
    this.lastState = state;
    const chip = h("span", { className: `chip ${status}`, id: "status" }, status);
    this.line.replaceChildren(chip, h("span", {}, appearance.method), h("span", {}, `${frames.length} frames`));
  }
}
