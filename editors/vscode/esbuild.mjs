// Bundles the extension into out/extension.js; with --test, each test into out/test.
import { build } from "esbuild";
import { readFileSync, readdirSync, writeFileSync } from "node:fs";

const common = { bundle: true, platform: "node", format: "cjs", target: "node20", logLevel: "warning" };

if (process.argv.includes("--test")) {
  const entryPoints = readdirSync("test").map((name) => `test/${name}`);
  await build({ ...common, entryPoints, outdir: "out/test", sourcemap: "inline" });
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
