import { execFile } from "node:child_process";
import { accessSync, constants, statSync } from "node:fs";
import { homedir } from "node:os";
import * as path from "node:path";
import { promisify } from "node:util";

/** Program is the path of a program and the version that it reports. */
export interface Program {
  path: string;
  version: string;
}

/** MissingError reports that no program was found, or that it does not run. */
export class MissingError extends Error {}

export interface Surroundings {
  /** The user's setting, "" for none. */
  configured: string;
  /** The extension's folder, which may have a program in bin. */
  extension: string;
  /** The PATH. */
  searched: string;
  platform: NodeJS.Platform;
}

/** locate finds the program: the configured one, else the extension's own, else the one on the PATH. */
export function locate({ configured, extension, searched, platform }: Surroundings): string {
  const name = platform === "win32" ? "patchls.exe" : "patchls";
  if (configured !== "") {
    const full = configured.replace(/^~(?=$|[/\\])/, homedir());
    if (!isProgram(full)) {
      throw new MissingError(`The setting patchls.path is ${configured}, which is no program that can be run.`);
    }
    return full;
  }
  const folders = searched.split(path.delimiter).filter((folder) => path.isAbsolute(folder));
  const candidates = [path.join(extension, "bin"), ...folders].map((folder) => path.join(folder, name));
  const found = candidates.find(isProgram);
  if (found === undefined) {
    throw new MissingError("The program patchls was not found: it is neither with the extension nor on the PATH.");
  }
  return found;
}

/** ask asks the program for its version, so that one that cannot run is noticed before it is needed. */
export async function ask(file: string): Promise<Program> {
  try {
    const { stdout } = await promisify(execFile)(file, ["version"], { timeout: 10_000 });
    return { path: file, version: stdout.trim() };
  } catch (error) {
    throw new MissingError(`${file} does not run: ${error instanceof Error ? error.message : String(error)}`);
  }
}

function isProgram(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return statSync(file).isFile();
  } catch {
    return false;
  }
}
