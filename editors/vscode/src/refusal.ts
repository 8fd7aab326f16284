/** Refusal says, for a model to read, why an edit is not applied. Nothing was changed unless it says so. */
export class Refusal extends Error {}

/** reasonOf returns the message of any error, as a reason. */
export function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
