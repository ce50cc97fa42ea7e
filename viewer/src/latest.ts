// Work that takes time, asked for faster than it can be done.

/** Does one piece of work at a time; of what is asked for meanwhile only the last counts. */
export class Latest<T> {
  private next: { readonly wish: T } | null = null;
  private isBusy = false;

  /** `work` must not fail. */
  constructor(private readonly work: (wish: T) => Promise<void>) {}

  ask(wish: T): void {
    this.next = { wish };
    if (!this.isBusy) void this.go();
  }

  /** Gives up what has not begun. */
  cancel(): void {
    this.next = null;
  }

  private async go(): Promise<void> {
    this.isBusy = true;
    while (this.next) {
      const { wish } = this.next;
      this.next = null;
      await this.work(wish);
    }
    this.isBusy = false;
  }
}
