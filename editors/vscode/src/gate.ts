/** Gate is shut while agents are paused. Edits that the user asks for pass it even then. */
export class Gate {
  private readonly passes = new Set<string>();
  paused = false;

  constructor(private readonly changed: (paused: boolean) => void) {}

  pause(paused: boolean): void {
    this.paused = paused;
    this.changed(paused);
  }

  /** pass lets edits with this label through while the work is done. */
  async pass<T>(label: string, work: () => Promise<T>): Promise<T> {
    this.passes.add(label);
    try {
      return await work();
    } finally {
      this.passes.delete(label);
    }
  }

  isShut(label: string | undefined): boolean {
    return this.paused && !(label !== undefined && this.passes.has(label));
  }
}
