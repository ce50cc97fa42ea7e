// Watches the run on the server: new frames, how far it is, and whether the server is still there.

import { getFrames, getReport, isReplaced, type FrameList, type RunReport } from "./data/server";

/** Time between looks at a run that is going [ms]. */
const WHILE_RUNNING = 1000;

/** Time between looks at a run that has ended; it may be gone on with [ms]. */
const WHEN_ENDED = 4000;

/** What a look at the server found. */
export interface News {
  readonly list: FrameList;
  /** None when nothing has changed since the last one. */
  readonly report: RunReport | null;
}

/** Asks the server again and again. */
export class Follower {
  private known = "";
  private list: FrameList;

  /** `run`: the one whose appearance is known. */
  constructor(
    run: string | undefined,
    private readonly tell: (news: News) => void,
    private readonly tellLost: (reason: string) => void,
  ) {
    this.list = { run, status: "running", frames: [] };
  }

  /** Looks once, and then for as long as the page is open. */
  async start(): Promise<void> {
    const wait = await this.look();
    setTimeout(() => void this.start(), wait);
  }

  private async look(): Promise<number> {
    // A tab that nobody sees need not ask.
    if (document.hidden && this.known !== "") return WHILE_RUNNING;
    try {
      const list = await getFrames();
      if (isReplaced(this.list, list)) {
        // Objects, bodies and units may be others, too: nothing of the old run holds.
        location.reload();
        return WHEN_ENDED;
      }
      this.list = list;
      const state = `${list.status} ${list.frames.length} ${list.frames.at(-1)}`;
      const report = state === this.known ? null : await getReport();
      this.known = state;
      this.tell({ list, report });
      return list.status === "running" ? WHILE_RUNNING : WHEN_ENDED;
    } catch (error) {
      this.known = "lost";
      this.tellLost(error instanceof Error ? error.message : String(error));
      return WHEN_ENDED;
    }
  }
}
