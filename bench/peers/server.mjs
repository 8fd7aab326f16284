// A language server that keeps the open documents and does nothing else, by
// vscode-languageserver or, with --rpc, by vscode-jsonrpc alone. It answers
// patchls/synced when it has taken in what came before, and bench/text with the
// text's hash.
import { createRequire } from 'node:module'
import { createHash } from 'node:crypto'

const require = createRequire(import.meta.url)
const { TextDocument } = require('vscode-languageserver-textdocument')

const capabilities = { textDocumentSync: { openClose: true, change: 2 } }
const hash = (doc) => createHash('sha256').update(doc ? doc.getText() : '').digest('hex')

if (process.argv.includes('--rpc')) {
  const rpc = require('vscode-jsonrpc/node')
  const connection = rpc.createMessageConnection(new rpc.StreamMessageReader(process.stdin), new rpc.StreamMessageWriter(process.stdout))
  const docs = new Map()
  connection.onRequest('initialize', () => ({ capabilities }))
  connection.onRequest('shutdown', () => null)
  connection.onRequest('patchls/synced', () => null)
  connection.onRequest('bench/text', ({ uri }) => hash(docs.get(uri)))
  connection.onNotification('exit', () => process.exit(0))
  connection.onNotification('textDocument/didOpen', ({ textDocument: d }) =>
    docs.set(d.uri, TextDocument.create(d.uri, d.languageId, d.version, d.text)))
  connection.onNotification('textDocument/didChange', ({ textDocument: d, contentChanges }) =>
    TextDocument.update(docs.get(d.uri), contentChanges, d.version))
  connection.onNotification('textDocument/didClose', ({ textDocument: d }) => docs.delete(d.uri))
  connection.listen()
} else {
  const { createConnection, TextDocuments } = require('vscode-languageserver/node')
  const connection = createConnection(process.stdin, process.stdout)
  const docs = new TextDocuments(TextDocument)
  connection.onInitialize(() => ({ capabilities }))
  connection.onRequest('patchls/synced', () => null)
  connection.onRequest('bench/text', ({ uri }) => hash(docs.get(uri)))
  docs.listen(connection)
  connection.listen()
}
