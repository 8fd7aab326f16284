/** How much of a name is shown, and of a message: VS Code cuts one at 1000 characters. */
const longestName = 60;
const longestMessage = 1000;

/** Blanks, of which one is left. */
const blanks = /[\t-\r \u0085\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]+/gu;

/** Characters that control how others are shown, or are not seen. */
const unfit =
  /[\u0000-\u001f\u007f-\u009f\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\u{e0000}-\u{e007f}]/gu;

/**
 * oneLine makes a text that comes from an agent, or from the name of a file, fit to stand in one line that the user
 * reads, where it is neither a link nor an icon. The server has the same in workspace/paths/oneline.go, and
 * testdata/oneline.json holds both to it.
 */
export function oneLine(text: string, limit = longestName): string {
  const fit = text
    .replace(blanks, " ")
    .replace(/^ | $/gu, "")
    .replace(unfit, "\ufffd")
    .replaceAll("[", "［")
    .replaceAll("]", "］")
    .replaceAll("$(", "＄(");
  const characters = Array.from(fit);
  if (characters.length <= limit) {
    return fit;
  }
  const head = Math.floor((limit - 1) / 3);
  const tail = limit - 1 - head;
  return `${characters.slice(0, head).join("")}…${characters.slice(characters.length - tail).join("")}`;
}

/** message is oneLine of a sentence in which there are such texts. */
export function message(text: string): string {
  return oneLine(text, longestMessage);
}
