// Package apply has an editor make one change of one document, and establishes the outcome.
//
//	outcome, err := engine.Apply(ctx, change, "patchls.str_replace")
//
// A [Change] says what is planned and on which text. It is sent as one workspace/applyEdit,
// for one version of one document. Only one request is unanswered at a time.
//
// The editor's own answer proves nothing. Some editors say yes and drop the edit, make it later, or make it on a text that
// they have not reported; some say no after making a part of it. So an observer follows every change of the document from
// before the request is sent, and the verdict is about the text: an [Outcome] is an edit that the editor's own text has
// shown. But the text does not show who changed it. If the user may have made the change, the result is an error that says
// so, and nothing is taken out again that is not proven to be the edit's.
//
// The wait for a request has four phases (phase.go):
//
//	phase     what is known                             goes on to
//	waiting   neither the answer nor the edit has come  grace, with the first of them
//	grace     one of them has come                      flushing, if a yes shows nothing yet; else expired
//	flushing  the editor sends what it holds back       expired
//	expired   the editor's time is up                   the verdict
//
// In every phase the wait ends as soon as the answer and the text agree (verdict.go). Otherwise
// the verdict is about what the document shows at the end, all of it at one moment (judge.go):
//
//	the text has the edit             an Outcome
//	it does not, and may be retried   a [NotAppliedError]: plan it again on the text as it is now
//	the editor said no                an error of kind rejected_by_editor; the text is as it was
//	the text allows both readings     an error of kind not_settled, which says what is known
//
// An edit in the wrong place, a second copy of it or a part of it is taken out again first
// (verdict.go), by the inverse of the change that made it, carried over what was typed since.
// A [Retry] decides how often a change is planned again, and which error is returned then.
package apply
