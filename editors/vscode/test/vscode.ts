// Stands in for VS Code in the tests of what the extension has it do to files. It acts on the disk by name, as VS Code does.
import * as fs from "node:fs";
import { dirname } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

export class Uri {
  readonly scheme = "file";
  constructor(readonly fsPath: string) {}
  static parse(uri: string): Uri {
    return new Uri(fileURLToPath(uri));
  }
  toString(): string {
    return pathToFileURL(this.fsPath).toString();
  }
}

/** A document with unsaved text. */
export class Document {
  readonly uri: Uri;
  readonly isUntitled = false;
  readonly eol = 1;
  isDirty = true;
  constructor(
    path: string,
    private readonly text: string,
    private readonly saving = () => {},
  ) {
    this.uri = new Uri(path);
  }
  getText(): string {
    return this.text;
  }
  save(): Promise<boolean> {
    this.saving();
    fs.mkdirSync(dirname(this.uri.fsPath), { recursive: true });
    fs.writeFileSync(this.uri.fsPath, this.text);
    this.isDirty = false;
    return Promise.resolve(true);
  }
}

export class WorkspaceEdit {
  readonly steps: (() => void)[] = [];
  createFile({ fsPath }: Uri): void {
    this.steps.push(() => {
      fs.mkdirSync(dirname(fsPath), { recursive: true });
      fs.writeFileSync(fsPath, "");
    });
  }
  deleteFile({ fsPath }: Uri): void {
    this.steps.push(() => fs.unlinkSync(fsPath));
  }
  renameFile({ fsPath }: Uri, to: Uri): void {
    this.steps.push(() => {
      fs.mkdirSync(dirname(to.fsPath), { recursive: true });
      fs.renameSync(fsPath, to.fsPath);
    });
  }
}

export const workspace = {
  textDocuments: [] as Document[],
  /** What another program does while VS Code looks for a file. */
  meanwhile: () => {},
  asRelativePath: ({ fsPath }: Uri) => fsPath,
  fs: {
    stat({ fsPath }: Uri) {
      workspace.meanwhile();
      return fs.promises.stat(fsPath);
    },
  },
  applyEdit({ steps }: WorkspaceEdit) {
    steps.forEach((step) => step());
    return Promise.resolve(true);
  },
  openTextDocument: ({ fsPath }: Uri) => Promise.resolve(new Document(fsPath, fs.readFileSync(fsPath, "utf8"))),
  getConfiguration: () => new Map(),
};

export const EndOfLine = { LF: 1, CRLF: 2 };
export const extensions = { all: [] };
export const window = { tabGroups: { all: [] } };
export const commands = { executeCommand: () => Promise.resolve() };
