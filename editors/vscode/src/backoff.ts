/** How long to wait before each start that follows a crash, in milliseconds. */
const delays = [500, 1000, 2000, 4000, 8000];

/** A server that ran for so long has not crashed because of its start. */
const healthyAfter = 60_000;

/** Backoff says when a server that crashed is to be started again, and when no more. */
export class Backoff {
  private crashes = 0;
  private started = 0;

  /** start is called when the server is started. */
  start(now: number): void {
    this.started = now;
  }

  /** crashed returns how long to wait; nothing means that it is to be given up. */
  crashed(now: number): number | undefined {
    if (now - this.started >= healthyAfter) {
      this.crashes = 0;
    }
    return delays[this.crashes++];
  }

  /** reset forgets the crashes, because the user said so. */
  reset(): void {
    this.crashes = 0;
  }
}
