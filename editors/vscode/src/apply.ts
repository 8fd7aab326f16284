import type {
  ApplyWorkspaceEditParams,
  ApplyWorkspaceEditResult,
  CreateFile,
  DeleteFile,
  RenameFile,
  TextDocumentEdit,
  WorkspaceEdit,
} from "vscode-languageclient";
import type { Applied, Versions } from "./attempt";
import { type Prepared, prepareFile } from "./fileedit";
import type { Leads } from "./leads";
import { reasonOf } from "./refusal";
import { TextChange } from "./textedit";

type DocumentChange = TextDocumentEdit | CreateFile | RenameFile | DeleteFile;

/** Step is one of the changes, with its index in the list. */
interface Step {
  index: number;
  change: Prepared;
}

/** Params also say where the names lead of what is to be created, renamed or deleted. */
type Params = ApplyWorkspaceEditParams & { leads?: Leads };

/** Result also says which versions of the last document are the edit, so that the server need not infer them. */
interface Result extends ApplyWorkspaceEditResult {
  versions?: Versions;
}

/**
 * apply answers workspace/applyEdit. All documents are checked before any is touched, and
 * each is checked again right before it is edited. If the answer is a refusal, nothing of
 * the change at `failedChange` was made, unless the reason says so.
 */
export async function apply(params: Params, applied: Applied): Promise<Result> {
  let index = 0;
  let versions: Versions | undefined;
  try {
    const steps: Step[] = [];
    const changes = changesOf(params.edit);
    const leads = params.leads ?? {};
    for (index = 0; index < changes.length; index++) {
      const operation = changes[index] as DocumentChange;
      const next = changes[index + 1];
      const at = index;
      if (!("kind" in operation)) {
        steps.push({ index: at, change: await TextChange.prepare(operation) });
      } else if (operation.kind === "create" && next && !("kind" in next) && next.textDocument.uri === operation.uri) {
        steps.push({ index: at, change: await prepareFile(operation, leads, next) });
        index++;
      } else {
        steps.push({ index: at, change: await prepareFile(operation, leads) });
      }
    }
    for (const step of steps) {
      index = step.index;
      step.change.check();
    }
    for (const step of steps) {
      index = step.index;
      versions = await step.change.apply(applied);
    }
    return { applied: true, ...(versions && { versions }) };
  } catch (error) {
    return { applied: false, failureReason: reasonOf(error), failedChange: index };
  }
}

/** changesOf returns the edit as a list; the older form names no versions. */
function changesOf(edit: WorkspaceEdit): DocumentChange[] {
  return (
    edit.documentChanges ??
    Object.entries(edit.changes ?? {}).map(([uri, edits]) => ({ textDocument: { uri, version: null }, edits }))
  );
}
