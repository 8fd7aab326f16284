// Bundles the extension into out/extension.js; with --test, each test into out/test, with a stand-in for VS Code.
import { build } from "esbuild";
import { readFileSync, readdirSync, writeFileSync } from "node:fs";

const common = { bundle: true, platform: "node", format: "cjs", target: "node20", logLevel: "warning" };

if (process.argv.includes("--test")) {
  const entryPoints = readdirSync("test").map((name) => `test/${name}`);
  const alias = { vscode: "./test/vscode.ts" };
  const logOverride = { "import-is-undefined": "silent" }; // of the stand-in, which has what the tests need
  await build({ ...common, entryPoints, alias, logOverride, outdir: "out/test", sourcemap: "inline" });
} else {
  const { metafile } = await build({
    ...common,
    entryPoints: ["src/extension.ts"],
    outfile: "out/extension.js",
    external: ["vscode"],
    minify: true,
    legalComments: "none",
    metafile: true,
  });
  writeFileSync("out/THIRD-PARTY.txt", licences(Object.keys(metafile.inputs)));
}

// licences returns the licences of the packages that these files are of; they ask to go with the bundle.
function licences(files) {
  const folders = new Set(files.flatMap((file) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(file)?.[0] ?? []));
  const texts = [...folders].sort().map((folder) => {
    const { name, version } = JSON.parse(readFileSync(`${folder}/package.json`, "utf8"));
    const file = readdirSync(folder).find((entry) => /^licen[cs]e/i.test(entry));
    if (!file) throw new Error(`${name} has no licence with it`);
    return `${name} ${version}\n\n${readFileSync(`${folder}/${file}`, "utf8").trim()}\n`;
  });
  return texts.join(`\n${"-".repeat(80)}\n\n`);
}
