// What run.json says of the run as a whole: how long it took, where, and whether its claims held.

import type { RunReport } from "../data/server";
import type { Viewer } from "../viewer";
import { h, section } from "./dom";
import { bytes, count, duration, short } from "./numbers";

/** The sections about the run. */
export class RunFacts {
  private readonly facts = h("dl", { className: "facts" });
  private readonly bars = h("div", { className: "bars", id: "stages" });
  private readonly claims = h("ul", { className: "claims" });
  private readonly sections: { readonly stages: HTMLElement; readonly claims: HTMLElement };
  private shown: RunReport | null = null;
  private shownCounts = "";

  constructor(
    place: HTMLElement,
    private readonly viewer: Viewer,
  ) {
    this.sections = { stages: section("Stage times", true, this.bars), claims: section("Expectations", true, this.claims) };
    place.append(this.sections.stages, this.sections.claims, section("Run", true, this.facts));
  }

  update(): void {
    const { report } = this.viewer;
    const counts = JSON.stringify(this.viewer.counts);
    if (report === this.shown && counts === this.shownCounts) return;
    this.shown = report;
    this.shownCounts = counts;
    this.showFacts(report ?? {});
    this.showStages(report?.stages ?? {});
    this.showClaims(report?.expectations ?? []);
  }

  private showFacts(report: RunReport): void {
    const { counts, appearance } = this.viewer;
    const rows: [string, string | undefined][] = [
      ["Scene", report.scene],
      ["Method", appearance.method],
      ...(["points", "segments", "triangles", "grains"] as const).map((kind): [string, string | undefined] => [
        kind.charAt(0).toUpperCase() + kind.slice(1),
        counts[kind] > 0 ? count(counts[kind]) : undefined,
      ]),
      ["Steps", report.steps === undefined ? undefined : count(report.steps)],
      ["Step length", report.dt ? `${short(report.dt.mean)} s` : undefined],
      ["Time taken", report.seconds === undefined ? undefined : duration(report.seconds)],
      ["For a frame", report.seconds_per_frame ? duration(report.seconds_per_frame) : undefined],
      ["Memory", report.peak_rss_bytes ? bytes(report.peak_rss_bytes) : undefined],
      ["Machine", report.machine ? `${report.machine.cpu}, ${report.machine.threads} threads` : undefined],
      ["Version", report.fibra_version],
    ];
    this.facts.replaceChildren(
      ...rows.flatMap(([name, value]) => (value === undefined ? [] : [h("dt", {}, name), h("dd", {}, value)])),
    );
  }

  private showStages(stages: Readonly<Record<string, number>>): void {
    const entries = Object.entries(stages).filter(([, seconds]) => seconds > 0);
    const most = Math.max(...entries.map(([, seconds]) => seconds));
    this.sections.stages.hidden = entries.length === 0;
    this.bars.replaceChildren(
      ...entries.flatMap(([name, seconds]) => {
        const bar = h("b");
        bar.style.width = `${Math.max(1, (100 * seconds) / most)}%`;
        return [h("span", {}, name.replaceAll("_", " ")), bar, h("output", {}, duration(seconds))];
      }),
    );
  }

  private showClaims(claims: NonNullable<RunReport["expectations"]>): void {
    this.sections.claims.hidden = claims.length === 0;
    this.claims.replaceChildren(
      ...claims.map(({ name, measured, min, max, pass }) => {
        const allowed = `${min === null ? "" : `${short(min)} ≤ `}${short(measured)}${max === null ? "" : ` ≤ ${short(max)}`}`;
        return h("li", { className: pass ? "pass" : "" }, name, " ", h("small", {}, allowed));
      }),
    );
  }
}
