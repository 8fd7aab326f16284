/** How long to wait before each start that follows a crash, in milliseconds. */
const delays = [500, 1000, 2000, 4000, 8000];

/** After this time, in milliseconds, a crash is not put down to the start of the server. */
const healthyAfter = 60_000;

/** Backoff decides when to restart a server that has crashed, and when to give it up. */
export class Backoff {
  private crashes = 0;
  private started = 0;

  /** start is called when the server is started. */
  start(now: number): void {
    this.started = now;
  }

  /** crashed returns how long to wait before the next start, in milliseconds, or undefined to give up. */
  crashed(now: number): number | undefined {
    if (now - this.started >= healthyAfter) {
      this.crashes = 0;
    }
    return delays[this.crashes++];
  }

  /** reset forgets the crashes, as when the user restarts the server. */
  reset(): void {
    this.crashes = 0;
  }
}
