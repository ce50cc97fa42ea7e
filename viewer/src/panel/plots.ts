// Small plots of the run's quantities over its frames, with a mark at the present frame.

import { categorical, css } from "../data/colour_maps";
import { readable } from "../data/colour_values";
import { extent, plotGroups, rowAt, type Plot } from "../data/quantities";
import type { FrameQuantities, RunReport } from "../data/server";
import type { Viewer } from "../viewer";
import { h, painted, section, sharpen, themeColour } from "./dom";
import { short } from "./numbers";

const TALL = 84;
const LOW = 38;
const PAD = 4;

interface Drawn {
  plot: Plot;
  readonly canvas: HTMLCanvasElement;
  readonly outputs: readonly HTMLOutputElement[];
  readonly colours: readonly string[];
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
    const groups = plotGroups(this.quantities);
    const names = JSON.stringify(groups.map(({ name, plots }) => [name, plots.map(({ series }) => series.map(({ name }) => name))]));
    if (names === this.names) {
      // Only the values are new. Somebody may be dragging along a plot, so it stays where it is.
      groups.flatMap(({ plots }) => plots).forEach((plot, k) => (this.drawn[k].plot = plot));
      return;
    }
    this.names = names;
    this.drawn = [];
    const parts: HTMLElement[] = [];
    for (const { name, plots } of groups) {
      parts.push(h("h3", {}, name));
      for (const plot of plots) parts.push(this.figure(plot));
    }
    this.place.replaceChildren(...parts);
  }

  private figure(plot: Plot): HTMLElement {
    const canvas = h("canvas", { tabIndex: -1 });
    const isMany = plot.series.length > 1;
    canvas.style.height = `${isMany ? TALL : LOW}px`;
    const colours = plot.series.map((_, k) => (isMany ? css(categorical(k)) : ""));
    const outputs = plot.series.map(() => h("output"));
    const captions = plot.series.map(({ name }, k) =>
      isMany
        ? h("span", { className: "series" }, painted(h("i"), colours[k]), readable(name), outputs[k])
        : h("span", { className: "series" }, readable(name), outputs[k]),
    );
    this.drawn.push({ plot, canvas, outputs, colours });
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

  private draw({ plot, canvas, outputs, colours }: Drawn, row: number): void {
    const { width, height, context } = sharpen(canvas);
    plot.series.forEach(({ values }, k) => (outputs[k].textContent = short(values[row])));
    const range = extent(plot.series);
    if (!range || width === 0) return;
    const [low, high] = range;
    const last = Math.max(1, this.quantities.length - 1);
    const x = (k: number) => PAD + (k / last) * (width - 2 * PAD);
    // A line that never changes lies in the middle.
    const y = (value: number) => (high > low ? height - PAD - ((value - low) / (high - low)) * (height - 2 * PAD) : height / 2);
    context.lineWidth = 1;
    context.strokeStyle = themeColour("line");
    if (low < 0 && high > 0) stroke(context, [[0, y(0)], [width, y(0)]]);
    context.lineWidth = 1.5;
    plot.series.forEach(({ values }, k) => {
      context.strokeStyle = context.fillStyle = colours[k] || themeColour("accent");
      context.beginPath();
      let isDown = false;
      values.forEach((value, at) => {
        const isThere = value !== null && Number.isFinite(value);
        if (isThere && isDown) context.lineTo(x(at), y(value));
        else if (isThere) context.moveTo(x(at), y(value));
        isDown = isThere;
      });
      context.stroke();
    });
    context.lineWidth = 1;
    context.strokeStyle = themeColour("dim");
    stroke(context, [[x(row), 0], [x(row), height]]);
    plot.series.forEach(({ values }, k) => {
      const value = values[row];
      if (value === null || value === undefined) return;
      context.fillStyle = colours[k] || themeColour("accent");
      context.beginPath();
      context.arc(x(row), y(value), 2.5, 0, 2 * Math.PI);
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
