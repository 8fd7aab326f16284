// What the package holds, which VS Code and the marketplace show of it.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import * as path from "node:path";
import { after, before, test } from "node:test";

type Files = Map<string, Buffer>;
const { readZip }: { readZip(file: string, filter: (name: string) => boolean): Promise<Files> } = createRequire(
  path.resolve("package.json"),
)("@vscode/vsce/out/zip");

const folder = mkdtempSync(path.join(tmpdir(), "patchls-vsix-"));
after(() => rmSync(folder, { recursive: true }));

let files: Files;
before(async () => {
  const file = path.join(folder, "patchls.vsix");
  execFileSync("npm", ["run", "--silent", "vsix", "--", "--skip-license", "--out", file], { stdio: "pipe" });
  files = await readZip(file, () => true);
});

const text = (name: string) => files.get(`extension/${name}`)?.toString() ?? "";
const manifest = JSON.parse(readFileSync("package.json", "utf8"));

test("the package has the extension, its icon, and the media of the walkthrough", () => {
  const steps: { media: { image?: string; markdown?: string } }[] = manifest.contributes.walkthroughs[0].steps;
  const media = steps.map(({ media }) => media.image ?? media.markdown);
  const wanted = ["out/extension.js", manifest.icon, ...media];
  assert.deepEqual(
    wanted.filter((name) => (files.get(`extension/${name}`)?.length ?? 0) === 0),
    [],
  );
});

test("the icon is a PNG of 128 by 128", () => {
  const icon = files.get(`extension/${manifest.icon}`) ?? Buffer.alloc(24);
  assert.equal(icon.toString("latin1", 1, 4), "PNG");
  assert.deepEqual([icon.readUInt32BE(16), icon.readUInt32BE(20)], [128, 128]);
});

test("the links of the README lead to what the repository has", () => {
  const home = manifest.repository.url.replace(/\.git$/, "");
  const links = [...text("readme.md").matchAll(/(!?)\[[^\]]*\]\(([^)]+)\)/g)];
  assert.ok(links.filter(([, image]) => image === "!").length > 0);
  for (const [, image, link = ""] of links) {
    const base = `${home}/${image === "!" ? "raw" : "blob"}/HEAD/`;
    const target = new URL(link).href;
    assert.ok(target.startsWith(base), `${link} is not below ${base}`);
    const [file = ""] = target.slice(base.length).split("#");
    assert.ok(existsSync(path.join("../..", file)), link);
  }
});

test("without the server the package is small", () => {
  const size = [...files.values()].reduce((sum, { length }) => sum + length, 0);
  assert.ok(size < 1_000_000, `${size} bytes`);
});

test("on Windows, where npm is a script, the package is made by way of the shell", () => {
  const [home, asked] = [path.join(folder, "clone", "editors", "vscode"), path.join(folder, "asked")];
  mkdirSync(home, { recursive: true });
  for (const name of ["package.mjs", "package.json"]) copyFileSync(name, path.join(home, name));
  for (const name of ["LICENSE", "THIRD_PARTY.md"]) writeFileSync(path.join(folder, "clone", name), "");
  const shell = path.join(folder, "cmd.exe"); // which alone knows npm
  writeFileSync(shell, `#!/bin/sh\necho "$2" >> '${asked}'\n`, { mode: 0o755 });
  const asWindows = "data:text/javascript,Object.defineProperty(process,'platform',{value:'win32'})";
  execFileSync(
    process.execPath,
    ["--import", asWindows, "package.mjs", "--server", "package.json", "--release", "1.2.3", "--target", "win32-x64"],
    { cwd: home, env: { comspec: shell, PATH: "" }, stdio: "pipe" },
  );
  assert.deepEqual(readFileSync(asked, "utf8").trim().split("\n"), [
    "npm run --silent build",
    "npm run --silent vsix -- 1.2.3 --no-update-package-json --target win32-x64 --out patchls.vsix",
  ]);
  assert.ok(existsSync(path.join(home, "bin", "patchls.exe")));
});
