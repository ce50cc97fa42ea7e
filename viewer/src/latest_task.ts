// Coalesces requests for slow work that arrive faster than they can be processed.

/** Processes one request at a time. Of the requests that arrive meanwhile, only the latest is kept. */
export class LatestTask<T> {
  private next: { readonly request: T } | null = null;
  private isBusy = false;

  /** `work` must not reject. */
  constructor(private readonly work: (request: T) => Promise<void>) {}

  submit(request: T): void {
    this.next = { request };
    if (!this.isBusy) void this.processAll();
  }

  /** Discards the request that has not started. */
  cancel(): void {
    this.next = null;
  }

  private async processAll(): Promise<void> {
    this.isBusy = true;
    while (this.next) {
      const { request } = this.next;
      this.next = null;
      await this.work(request);
    }
    this.isBusy = false;
  }
}
