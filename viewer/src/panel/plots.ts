// Small plots of the run's quantities over its frames, with a mark at the present frame.

import { categorical, css } from "../data/color_maps";
import { readable } from "../data/color_values";
import { extent, height as heightOf, plotSections, rowAt, type Plot } from "../data/quantities";
import type { FrameQuantities, RunReport } from "../data/server";
import type { Viewer } from "../viewer";
import { h, painted, section, sharpen, themeColor } from "./dom";
import { short } from "./numbers";

const TALL = 84;
const LOW = 38;
const PAD = 4;

interface Drawn {
  plot: Plot;
  readonly canvas: HTMLCanvasElement;
  readonly outputs: readonly HTMLOutputElement[];
  readonly colors: readonly string[];
}

/** The section with all plots. */
export class Plots {
  private readonly place = h("div", { id: "plots" });
  private readonly section: HTMLDetailsElement;
  private drawn: Drawn[] = [];
  /** Names of all that is plotted. */
  private names = "";
  private quantities: readonly FrameQuantities[] = [];
  private report: RunReport | null = null;

  constructor(
    side: HTMLElement,
    private readonly viewer: Viewer,
  ) {
    this.section = section("Statistics", true, this.place);
    this.section.addEventListener("toggle", () => this.update());
    side.append(this.section);
  }

  update(): void {
    const { report } = this.viewer;
    if (report !== this.report) {
      this.report = report;
      this.quantities = report?.quantities ?? [];
      this.build();
    }
    this.section.hidden = this.drawn.length === 0;
    if (!this.section.open) return;
    const row = rowAt(this.quantities, this.viewer.frame?.number ?? 0);
    for (const drawn of this.drawn) this.draw(drawn, row);
  }

  private build(): void {
    const sections = plotSections(this.quantities, this.viewer.appearance.quantity_groups);
    const names = JSON.stringify(
      sections.map(({ name, plots }) => [name, plots.map(({ title, series }) => [title, series.map(({ label }) => label)])]),
    );
    if (names === this.names) {
      // Only the values are new. Somebody may be dragging along a plot, so it stays where it is.
      sections.flatMap(({ plots }) => plots).forEach((plot, k) => (this.drawn[k].plot = plot));
      return;
    }
    this.names = names;
    this.drawn = [];
    const parts: HTMLElement[] = [];
    for (const { name, plots } of sections) {
      parts.push(h("h3", {}, name));
      for (const plot of plots) parts.push(this.figure(plot));
    }
    this.place.replaceChildren(...parts);
  }

  private figure(plot: Plot): HTMLElement {
    const canvas = h("canvas", { tabIndex: -1 });
    const isMany = plot.series.length > 1;
    canvas.style.height = `${isMany ? TALL : LOW}px`;
    const colors = plot.series.map((_, k) => (isMany ? css(categorical(k)) : ""));
    const outputs = plot.series.map(() => h("output"));
    const title = readable(plot.title);
    const captions = isMany
      ? [
          h("span", { className: "series" }, title),
          ...plot.series.map(({ label }, k) => h("span", { className: "series" }, painted(h("i"), colors[k]), label, outputs[k])),
        ]
      : plot.series.map(({ label }, k) => h("span", { className: "series" }, label === "" ? title : `${title}: ${label}`, outputs[k]));
    this.drawn.push({ plot, canvas, outputs, colors });
    canvas.addEventListener("pointerdown", (event) => {
      canvas.setPointerCapture(event.pointerId);
      this.viewer.playback.stop();
      this.seek(canvas, event);
    });
    canvas.addEventListener("pointermove", (event) => {
      if (canvas.hasPointerCapture(event.pointerId)) this.seek(canvas, event);
    });
    return h("figure", { className: "plot" }, h("figcaption", {}, ...captions), canvas);
  }

  private draw({ plot, canvas, outputs, colors }: Drawn, row: number): void {
    const { width, height, context } = sharpen(canvas);
    plot.series.forEach(({ values }, k) => (outputs[k].textContent = short(values[row])));
    const range = extent(plot);
    if (!range || width === 0) return;
    const [low, high] = range;
    const last = Math.max(1, this.quantities.length - 1);
    const x = (k: number) => PAD + (k / last) * (width - 2 * PAD);
    // A line that never changes lies in the middle; what is too small for a logarithmic axis, at its end.
    const y = (at: number) =>
      high > low ? height - PAD - ((Math.max(at, low) - low) / (high - low)) * (height - 2 * PAD) : height / 2;
    const place = (value: number | null | undefined) => heightOf(value, plot.isLogarithmic);
    context.lineWidth = 1;
    context.strokeStyle = themeColor("line");
    if (low < 0 && high > 0 && !plot.isLogarithmic) stroke(context, [[0, y(0)], [width, y(0)]]);
    context.lineWidth = 1.5;
    plot.series.forEach(({ values }, k) => {
      context.strokeStyle = context.fillStyle = colors[k] || themeColor("accent");
      context.beginPath();
      let isDown = false;
      values.forEach((value, k) => {
        const at = place(value);
        if (at !== null && isDown) context.lineTo(x(k), y(at));
        else if (at !== null) context.moveTo(x(k), y(at));
        isDown = at !== null;
      });
      context.stroke();
    });
    context.lineWidth = 1;
    context.strokeStyle = themeColor("dim");
    stroke(context, [[x(row), 0], [x(row), height]]);
    plot.series.forEach(({ values }, k) => {
      const at = place(values[row]);
      if (at === null) return;
      context.fillStyle = colors[k] || themeColor("accent");
      context.beginPath();
      context.arc(x(row), y(at), 2.5, 0, 2 * Math.PI);
      context.fill();
    });
  }

  private seek(canvas: HTMLCanvasElement, event: PointerEvent): void {
    const { left, width } = canvas.getBoundingClientRect();
    const share = Math.min(1, Math.max(0, (event.clientX - left - PAD) / (width - 2 * PAD)));
    const frame = this.quantities[Math.round(share * (this.quantities.length - 1))]?.frame ?? 0;
    const place = this.viewer.frames.findIndex((number) => number >= frame);
    this.viewer.seek(place < 0 ? this.viewer.frames.length - 1 : place);
  }
}

function stroke(context: CanvasRenderingContext2D, points: [number, number][]): void {
  context.beginPath();
  points.forEach(([x, y], k) => (k === 0 ? context.moveTo(x, y) : context.lineTo(x, y)));
  context.stroke();
}
