// Notes to the user over the picture: one for each matter, until it is settled.

import { h } from "./dom";

/** The notes that hold at present. */
export class Messages {
  private readonly notes = new Map<string, HTMLElement>();

  constructor(private readonly place: HTMLElement) {}

  /** Says something about a matter, in place of what was said about it before. */
  set(matter: string, text: string): void {
    let note = this.notes.get(matter);
    if (!note) {
      note = h("p");
      this.notes.set(matter, note);
      this.place.append(note);
    }
    if (note.textContent !== text) note.textContent = text;
  }

  /** The matter is settled. */
  clear(matter: string): void {
    this.notes.get(matter)?.remove();
    this.notes.delete(matter);
  }
}
