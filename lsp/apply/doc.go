// Package apply has an editor make one change of one document, and finds out what became of it.
//
//	outcome, err := engine.Apply(ctx, change, "patchls.str_replace")
//
// A [Change] says what is planned and on which text. It is sent as one workspace/applyEdit, for one
// version of one document; one request is unanswered at a time.
//
// The editor's own answer proves nothing. Some editors say yes and drop the edit, make it later, or
// make it on a text that they have not told of; some say no and have made a part of it. So an observer
// follows every change of the document from before the sending on, and the verdict is about the
// text: an [Outcome] is an edit that the editor's own text was seen to have. Nor does the text tell
// who changed it. What may be the user's own doing is an error that says so, and nothing is taken
// out again that is not proven to be the edit's.
//
// The wait for a request has four phases (phase.go):
//
//	phase     what is known                             goes on to
//	waiting   neither the answer nor the edit is there  grace, with the first of them
//	grace     one of them is there                      flushing, if a yes shows nothing yet; else expired
//	flushing  the editor sends what it holds back       expired
//	expired   the editor has had its time               the verdict
//
// In every phase the wait ends as soon as the answer and the text agree (verdict.go). Otherwise what
// the document shows at the end, taken at one moment, gives the verdict (judge.go):
//
//	the edit is there                    an Outcome
//	it is not, and cannot come any more  a [NotAppliedError]: plan it again on the text as it is now
//	the editor said no                   an error of kind rejected_by_editor; the text is as it was
//	the text allows both readings        an error of kind not_settled, which says what is known
//
// An edit in the wrong place, a second copy of it or a part of it is taken out again first
// (repair.go), by the inverse of what the editor was seen to do, carried over what was typed since.
// A [Retry] says how often a change is planned again, and what the error is then.
package apply
