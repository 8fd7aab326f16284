import assert from "node:assert/strict";
import { test } from "node:test";
import { Backoff } from "../src/backoff";

test("a server that crashes at once is started later each time, and then no more", () => {
  const backoff = new Backoff();
  const waits: (number | undefined)[] = [];
  for (let now = 0; waits.at(-1) !== undefined || waits.length === 0; now += 10_000) {
    backoff.start(now);
    waits.push(backoff.crashed(now + 100));
  }
  assert.deepEqual(waits, [500, 1000, 2000, 4000, 8000, undefined]);
  backoff.reset();
  assert.equal(backoff.crashed(100_000), 500);
});

test("a server that ran for a while begins anew", () => {
  const backoff = new Backoff();
  backoff.start(0);
  assert.equal(backoff.crashed(100), 500);
  assert.equal(backoff.crashed(200), 1000);
  backoff.start(1000);
  assert.equal(backoff.crashed(61_000), 500);
});
