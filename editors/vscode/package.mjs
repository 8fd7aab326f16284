// Makes patchls.vsix: the extension, and the server for one platform beside it.
//
//   npm run package [-- --target linux-arm64]
//
// make packages has built the servers: --server is one of them, and --release their version.
import { execFileSync } from "node:child_process";
import { copyFileSync, mkdirSync, readFileSync, rmSync } from "node:fs";
import { parseArgs } from "node:util";

const systems = { linux: "linux", darwin: "darwin", win32: "windows" };
const architectures = { x64: "amd64", arm64: "arm64" };

const { target, server, release, out } = parseArgs({
  options: {
    target: { type: "string", default: `${process.platform}-${process.arch}` },
    server: { type: "string" },
    release: { type: "string", default: JSON.parse(readFileSync("package.json", "utf8")).version },
    out: { type: "string", default: "patchls.vsix" },
  },
}).values;
const [system, architecture] = target.split("-");
const [GOOS, GOARCH] = [systems[system], architectures[architecture]];
if (!GOOS || !GOARCH) throw new Error(`there is no server for ${target}`);

const run = (program, args, options = {}) => execFileSync(program, args, { stdio: "inherit", ...options });
// On Windows npm is a script, which only a shell starts.
const npm = (script, ...args) =>
  run("npm", ["run", "--silent", script, ...args], { shell: process.platform === "win32" });

rmSync("bin", { recursive: true, force: true });
mkdirSync("bin");
const binary = `bin/patchls${GOOS === "windows" ? ".exe" : ""}`;
if (server) copyFileSync(server, binary);
else {
  const env = { ...process.env, CGO_ENABLED: "0", GOOS, GOARCH };
  const flags = `-ldflags=-s -w -X main.release=v${release}`;
  run("go", ["build", "-trimpath", flags, "-o", binary, "../../cmd/patchls"], { env });
}
// THIRD_PARTY.md has the licences of what the server is built with, as esbuild.mjs collects those of the extension.
for (const text of ["LICENSE", "THIRD_PARTY.md"]) copyFileSync(`../../${text}`, text);
npm("build");
npm("vsix", "--", release, "--no-update-package-json", "--target", target, "--out", out);
