// The timeline: drag to scrub. Cached frames are drawn darker.

import type { Viewer } from "../viewer";
import { h, fitToScreen, themeColor } from "./dom";

const MARGIN = 7;

/** The timeline in the playback bar. */
export class Timeline {
  readonly element: HTMLCanvasElement;

  constructor(private readonly viewer: Viewer) {
    this.element = h("canvas", { id: "timeline", tabIndex: 0, role: "slider", "aria-label": "Frame" });
    this.element.addEventListener("pointerdown", (event) => {
      this.element.setPointerCapture(event.pointerId);
      viewer.playback.stop();
      this.scrub(event);
    });
    this.element.addEventListener("pointermove", (event) => {
      if (this.element.hasPointerCapture(event.pointerId)) this.scrub(event);
    });
    new ResizeObserver(() => this.update()).observe(this.element);
  }

  update(): void {
    const { frames, playback, cache } = this.viewer;
    const { width, height, context } = fitToScreen(this.element);
    const middle = height / 2;
    const last = Math.max(1, frames.length - 1);
    const x = (index: number) => MARGIN + (index / last) * (width - 2 * MARGIN);
    const bar = (from: number, to: number, color: string) => {
      context.fillStyle = themeColor(color);
      context.beginPath();
      context.roundRect(from, middle - 2.5, Math.max(0, to - from), 5, 2.5);
      context.fill();
    };
    bar(MARGIN, width - MARGIN, "line");
    const indices = new Map(frames.map((frame, index) => [frame, index]));
    const step = (width - 2 * MARGIN) / last;
    context.fillStyle = themeColor("faint");
    for (const number of cache.numbers) {
      const index = indices.get(number);
      if (index !== undefined) {
        const from = Math.max(MARGIN, x(index) - step / 2);
        context.fillRect(from, middle - 2.5, Math.min(width - MARGIN, x(index) + step / 2) - from + 0.3, 5);
      }
    }
    bar(MARGIN, x(playback.index), "accent");
    // Tick marks, if they are far enough apart.
    if (step > 6) {
      context.fillStyle = themeColor("faint");
      for (let index = 0; index <= last; index++) context.fillRect(x(index) - 0.5, middle + 7, 1, 3);
    }
    context.fillStyle = themeColor("accent");
    context.strokeStyle = themeColor("panel");
    context.lineWidth = 2;
    context.beginPath();
    context.arc(x(playback.index), middle, 6.5, 0, 2 * Math.PI);
    context.fill();
    context.stroke();
    this.element.setAttribute("aria-valuemin", "0");
    this.element.setAttribute("aria-valuemax", String(frames.length - 1));
    this.element.setAttribute("aria-valuenow", String(playback.index));
  }

  private scrub(event: PointerEvent): void {
    const { left, width } = this.element.getBoundingClientRect();
    const fraction = (event.clientX - left - MARGIN) / (width - 2 * MARGIN);
    this.viewer.seek(fraction * (this.viewer.frames.length - 1));
  }
}
