// The least language server that vscode-languageserver makes: what it costs to start.
import { createRequire } from 'node:module'

const { createConnection } = createRequire(import.meta.url)('vscode-languageserver/node')
const connection = createConnection(process.stdin, process.stdout)
connection.onInitialize(() => ({ capabilities: {} }))
connection.listen()
