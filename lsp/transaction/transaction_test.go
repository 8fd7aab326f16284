package transaction

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/patchls/patchls/edits"
	"github.com/patchls/patchls/lsp/apply"
	"github.com/patchls/patchls/lsp/bounds"
	"github.com/patchls/patchls/lsp/call"
	"github.com/patchls/patchls/lsp/host"
	"github.com/patchls/patchls/lsp/review"
	"github.com/patchls/patchls/lsp/shares"
	"github.com/patchls/patchls/workspace"
)

// Each try of a change is planned with the command's share.
func TestPlanningWithAShare(t *testing.T) {
	all := shares.New()
	run := &Run{Ctx: t.Context(), Bounded: t.Context(), share: all.Share(t.Context())}
	planned, free := false, all.Free()
	err := (&transaction{Run: run}).apply(&step{plan: func() (*apply.Change, error) {
		planned = all.Free() == free-1
		return nil, nil
	}})
	if err != nil || !planned {
		t.Errorf("planned with a share: %t, %v", planned, err)
	}
}

// A command's time runs while others have the share that it needs to read its patch.
func TestReadingAPatchIsInTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		all := shares.New()
		for all.Free() > 0 {
			t.Cleanup(all.Share(t.Context()).Take())
		}
		limits := bounds.Defaults()
		s := &Session{Shares: all, Name: func() string { return "" }, Server: &Server{Host: &host.Host{Base: t.Context(), After: time.After}}}
		s.SetLimits(&limits)
		_, err := s.Patch(call.New("", "apply_patch").Under(t.Context()), s.Arrivals.Take(), "apply_patch", PatchArgs{Patch: "no patch"})
		if !edits.IsKind(err, edits.TimedOut) {
			t.Errorf("%v", err)
		}
	})
}

// A dry run whose time is up while its answer is made has no answer, which would lack files.
func TestAnAnswerThatIsTooLate(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	run := &Run{Ctx: ctx, Bounded: t.Context(), work: edits.NewWork(ctx.Err)}
	if answer, err := (&transaction{Run: run, dryRun: true}).result(nil, &step{}); !edits.IsKind(err, edits.Cancelled) {
		t.Errorf("%+v, %v", answer, err)
	}
}

// An error of the server itself takes no news: it stays for the next answer.
func TestNewsStaysAfterAFault(t *testing.T) {
	s := &Session{Conversation: &review.Conversation{}, Server: &Server{EditLog: &review.Log{}, Documents: &workspace.Documents{}}}
	s.Conversation.Add("the user reverted", review.Part{Edit: &review.Edit{ID: "e1"}, Step: review.Step{ShownPath: "a.txt"}})
	fault := errors.New("internal error")
	if _, err := s.Tell(t.Context(), (*Result)(nil), fault); !errors.Is(err, fault) {
		t.Errorf("%v", err)
	}
	r := &Result{}
	if _, err := s.Tell(t.Context(), r, nil); err != nil || len(r.Notes) != 1 {
		t.Errorf("%q, %v", r.Notes, err)
	}
}
