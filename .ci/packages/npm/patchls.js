#!/usr/bin/env node
// Runs the patchls of this platform, which npm installs as an optional dependency.
const { spawn } = require("node:child_process");

const platform = `${process.platform}-${process.arch}`;
let program;
try {
  program = require.resolve(`@patchls/${platform}/bin/patchls${process.platform === "win32" ? ".exe" : ""}`);
} catch {
  console.error(
    `patchls: the package @patchls/${platform} is not installed. Install again without --omit=optional; ` +
      "if there is none for your platform, see https://github.com/patchls/patchls/blob/HEAD/docs/install.md",
  );
  process.exit(1);
}

const child = spawn(program, process.argv.slice(2), { stdio: "inherit" });
process.on("SIGINT", () => {}); // a terminal sends it to both
for (const signal of ["SIGTERM", "SIGHUP"]) process.on(signal, () => child.kill(signal));
child.on("error", (error) => {
  console.error(`patchls: ${error.message}`);
  process.exit(1);
});
child.on("exit", (code, signal) => {
  process.exitCode = code ?? 1;
  if (signal) {
    process.removeAllListeners(signal);
    process.kill(process.pid, signal);
  }
});
