// Applies a patch to a text with jsdiff, once for each line of its input: node patch.mjs TEXT PATCH. It prints the
// nanoseconds that took, and the hash of what came of it.
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { applyPatch } from 'diff'

const [text, patch] = process.argv.slice(2).map((name) => readFileSync(name, 'utf8'))
createInterface(process.stdin).on('line', () => {
  const began = process.hrtime.bigint()
  const made = applyPatch(text, patch)
  const took = process.hrtime.bigint() - began
  console.log(`${took} ${createHash('sha256').update(String(made)).digest('hex')}`)
})
