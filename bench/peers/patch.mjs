// Patches texts as npm's packages do. The answer is the nanoseconds from the text
// and the patch, both strings, to the new text.
import { createRequire } from 'node:module'
import { readFileSync } from 'node:fs'
import { answerOrders } from './orders.mjs'

const require = createRequire(import.meta.url)
const { applyPatch } = require('diff')
const DiffMatchPatch = require('diff-match-patch')

const read = new Map()
function text(file) {
  if (!read.has(file)) read.set(file, readFileSync(file, 'utf8'))
  return read.get(file)
}

function timed(f, want) {
  const began = process.hrtime.bigint()
  const got = f()
  const took = Number(process.hrtime.bigint() - began)
  if (got !== want) throw new Error('the patched text is another one')
  return took
}

answerOrders({
  // indented: the patch's lines are indented in another way.
  diff({ was, patch, want, indented }) {
    const source = text(was), unified = text(patch)
    const options = indented ? { compareLine: (_, line, __, sent) => line.trim() === sent.trim() } : {}
    return timed(() => applyPatch(source, unified, options), text(want))
  },
  dmp({ was, want }) {
    const dmp = new DiffMatchPatch()
    dmp.Diff_Timeout = 0
    const source = text(was), target = text(want)
    const patches = lineDiff(dmp, source, target)
    return timed(() => dmp.patch_apply(patches, source)[0], target)
  },
  forget() { read.clear(); return 0 },
})

// lineDiff makes dmp's patch from a diff of lines, as its documentation advises.
function lineDiff(dmp, a, b) {
  const { chars1, chars2, lineArray } = dmp.diff_linesToChars_(a, b)
  const diffs = dmp.diff_main(chars1, chars2, false)
  dmp.diff_charsToLines_(diffs, lineArray)
  return dmp.patch_make(a, diffs)
}
