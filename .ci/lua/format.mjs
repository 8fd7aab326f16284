// Formats the Lua files that are named with StyLua, as stylua.toml says. With --write as the
// first argument it writes them; else it names those that are not as they should be, and fails.
import { readFileSync, writeFileSync } from "node:fs";
import * as stylua from "@johnnymorganz/stylua";

// What the program stylua reads by itself and its library does not.
function read(path) {
  const config = stylua.Config.new();
  const enums = { syntax: stylua.LuaVersion, indent_type: stylua.IndentType };
  for (const line of readFileSync(path, "utf8").split("\n").filter(Boolean)) {
    const [name, value] = line.split(" = ");
    const set = value.startsWith('"') ? enums[name]?.[JSON.parse(value)] : Number(value);
    if (!(name in config) || !Number.isInteger(set)) {
      throw new Error(`${path}: ${line}: this is not known here`);
    }
    config[name] = set;
  }
  return config;
}

const [, , settings, ...args] = process.argv;
const write = args[0] === "--write";
for (const path of write ? args.slice(1) : args) {
  const text = readFileSync(path, "utf8");
  const formatted = stylua.formatCode(text, read(settings), undefined, stylua.OutputVerification.Full);
  if (formatted === text) {
    continue;
  } else if (write) {
    writeFileSync(path, formatted);
  } else {
    const lines = formatted.split("\n");
    const line = text.split("\n").findIndex((old, i) => old !== lines[i]) + 1;
    console.error(`${path}:${line}: the format is not StyLua's; .ci/lua/check --write writes it`);
    process.exitCode = 1;
  }
}
