// Package personas has editors that behave like real ones as LSP clients: VS Code and
// Neovim, with and without the plugins of patchls, Zed, Helix, Eglot, Sublime Text and
// Kakoune as they were measured or read, and one that is hostile. Each is the embedded
// editor (editors/headless) with other habits:
//
//	p, _ := personas.Named("neovim")
//	e, err := headless.Start(ctx, pipe, p.Options(headless.Options{}))
//
// A [Persona] says as data how its editor departs from the embedded one. Where its
// didChanges are late, a change and its entry in the document's outbox are one step under
// the editor's lock. The outbox goes out in one didChange, in the buffer's order, and always
// before a didSave or didClose of that document and before a request of the editor about it.
// Between the two a reader of the buffer sees what the server does not know yet;
// [Pending] says so. Where the answer to an applyEdit comes first, the outbox
// waits for the answer to be written. What is pending when the connection ends is never
// written. The hostile editor keeps none of this but the order of what it does write.
package personas
