// Keeps texts as npm's packages do. One line of JSON is one order; the answer is
// {"value": nanoseconds per edit} or {"error"}.
import { createRequire } from 'node:module'
import { readFileSync } from 'node:fs'
import { answerOrders } from './orders.mjs'

const require = createRequire(import.meta.url)
const { TextDocument } = require('vscode-languageserver-textdocument')
const { Text } = require('@codemirror/state')
const { PieceTreeTextBufferBuilder } = require('vscode-textbuffer')

const kinds = {
  textdocument(start) {
    const doc = TextDocument.create('file:///a', 'plaintext', 0, start)
    let version = 0
    doc.positionAt(0) // its lines are counted when it is opened
    return {
      change: (l1, c1, l2, c2, text) => TextDocument.update(doc,
        [{ range: { start: { line: l1, character: c1 }, end: { line: l2, character: c2 } }, text }], ++version),
      snapshot: () => doc.getText(),
      text: () => doc.getText(),
    }
  },
  codemirror(start) {
    let doc = Text.of(start.split('\n'))
    return {
      change(l1, c1, l2, c2, text) {
        const from = doc.line(l1 + 1).from + c1
        const to = l1 === l2 && c1 === c2 ? from : doc.line(l2 + 1).from + c2
        doc = doc.replace(from, to, Text.of(text.split('\n')))
      },
      snapshot: () => doc,
      text: () => doc.toString(),
    }
  },
  piecetree(start) {
    const builder = new PieceTreeTextBufferBuilder()
    builder.acceptChunk(start)
    const tree = builder.finish(false).create(1)
    return {
      change(l1, c1, l2, c2, text) {
        const from = tree.getOffsetAt(l1 + 1, c1 + 1)
        const to = l1 === l2 && c1 === c2 ? from : tree.getOffsetAt(l2 + 1, c2 + 1)
        if (to > from) tree.delete(from, to - from)
        if (text) tree.insert(from, text, true)
      },
      snapshot: () => tree.createSnapshot(''),
      text: () => tree.getLinesRawContent(),
    }
  },
}

// The sessions of typing that were read, by file; the last few only.
const read = new Map()
function session(file) {
  if (!read.has(file)) {
    if (read.size > 1) read.clear()
    read.set(file, JSON.parse(readFileSync(file, 'utf8')))
  }
  return read.get(file)
}

let kept // a snapshot is kept until the next one

answerOrders({
  replay({ kind, file, edits }) {
    const { start, end, changes } = session(file)
    const count = Math.min(edits || changes.length, changes.length)
    const buffer = kinds[kind](start)
    const began = process.hrtime.bigint()
    for (let i = 0; i < count; i++) {
      const c = changes[i]
      buffer.change(c[0], c[1], c[2], c[3], c[4])
      if (i % 100 === 99) kept = buffer.snapshot()
    }
    const took = Number(process.hrtime.bigint() - began)
    kept = undefined
    if (end && count === changes.length && buffer.text() !== end) throw new Error(`${kind} has another text at the end`)
    return took / count
  },

  // Heap bytes per byte of a text on disk, once it is open.
  heap({ kind, file, bytes }) {
    const used = () => { gc(); gc(); const m = process.memoryUsage(); return m.heapUsed + m.external }
    const before = used()
    const buffer = kinds[kind](readFileSync(file, 'utf8'))
    buffer.change(0, 0, 0, 0, '')
    const after = used()
    kept = buffer
    return (after - before) / bytes
  },
})
