/** How many characters of a name and of a message are shown. VS Code cuts a message at 1000. */
const longestName = 60;
const longestMessage = 1000;

/** A run of blanks, which becomes one space. */
const blanks = /[\t-\r \u0085\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]+/gu;

/** Characters that are invisible or control how others are shown. */
const unfit =
  /[\u0000-\u001f\u007f-\u009f\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\u{e0000}-\u{e007f}]/gu;

/**
 * oneLine makes a text from an agent, or the name of a file, fit to be shown to the user in one line, where it can be
 * neither a link nor an icon. The server does the same in workspace/paths/oneline.go, and both are tested with
 * testdata/oneline.json.
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

/** message is oneLine for a whole sentence that contains such texts. */
export function message(text: string): string {
  return oneLine(text, longestMessage);
}
