/** Refusal says why an edit is not applied, for a model to read. Nothing was changed. */
export class Refusal extends Error {}

/** reasonOf words any error as a reason. */
export function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
