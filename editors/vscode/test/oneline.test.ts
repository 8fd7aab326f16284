import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { oneLine } from "../src/oneline";

const cases = JSON.parse(readFileSync("../../testdata/oneline.json", "utf8")) as {
  name: string;
  in: string;
  limit: number;
  want: string;
}[];

test("a text is fit for one line as the server makes it", () => {
  for (const { name, in: text, limit, want } of cases) {
    assert.equal(oneLine(text, limit), want, name);
  }
});
