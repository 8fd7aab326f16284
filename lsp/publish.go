package lsp

import (
	"context"
	"slices"
	"sync"

	"go.lsp.dev/protocol"

	"github.com/patchls/patchls/workspace/paths"
)

// Diagnostics are about the patches that a document holds. Those that a client pulls are
// none: the server has it pull (lsp/apply).

// diagnostic is LSP's Diagnostic.
type diagnostic struct {
	Range    protocol.Range              `json:"range"`
	Severity protocol.DiagnosticSeverity `json:"severity"`
	Code     string                      `json:"code,omitempty"`
	Source   string                      `json:"source"`
	Message  string                      `json:"message"`
	Related  []relatedInformation        `json:"relatedInformation,omitempty"`
}

// relatedInformation is LSP's DiagnosticRelatedInformation.
type relatedInformation struct {
	Location struct {
		URI   string         `json:"uri"`
		Range protocol.Range `json:"range"`
	} `json:"location"`
	Message string `json:"message"`
}

// diagnosticsSource is what editors show diagnostics as coming from.
const diagnosticsSource = "patchls"

// publisher sends diagnostics, all on one goroutine. It is safe for concurrent use.
type publisher struct {
	mu     sync.Mutex
	wanted []paths.Key   // whose diagnostics may have changed
	wake   chan struct{} // nil until the first is
	sent   map[paths.Key]publishParams
}

// publishParams are LSP's PublishDiagnosticsParams.
type publishParams struct {
	URI         string       `json:"uri"`
	Version     *int32       `json:"version,omitempty"`
	Diagnostics []diagnostic `json:"diagnostics"`
}

// publish has the client told of a document's diagnostics, if they are others than it
// was told last. It never waits.
func (s *server) publish(key paths.Key) {
	if !s.client.Load().Display.Diagnostics {
		return
	}
	p := &s.publisher
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.wake == nil {
		p.wake, p.sent = make(chan struct{}, 1), map[paths.Key]publishParams{}
		s.spawn(s.publishAll)
	}
	if !slices.Contains(p.wanted, key) {
		p.wanted = append(p.wanted, key)
	}
	select {
	case p.wake <- struct{}{}:
	default:
	}
}

func (s *server) publishAll(ctx context.Context) {
	p := &s.publisher
	for {
		select {
		case <-ctx.Done():
			return
		case <-p.wake:
		}
		p.mu.Lock()
		wanted := p.wanted
		p.wanted = nil
		p.mu.Unlock()
		for _, key := range wanted {
			s.publishOne(key)
		}
	}
}

// publishOne tells of the document as it is now. The client keeps what it was told of
// a document that it has closed, so that is taken back.
func (s *server) publishOne(key paths.Key) {
	sent := s.publisher.sent
	was, told := sent[key]
	now := publishParams{URI: was.URI, Diagnostics: []diagnostic{}}
	doc := s.docs.Get(key)
	if doc != nil {
		all, ok := s.patchDiagnostics(doc)
		if !ok {
			return
		}
		now.URI, now.Diagnostics = doc.URI, append(now.Diagnostics, all...)
		if s.client.Load().Display.Versions {
			now.Version = &doc.Version
		}
	}
	if now.same(was) || !told && len(now.Diagnostics) == 0 {
		return
	}
	if sent[key] = now; doc == nil {
		delete(sent, key)
	}
	s.notify(protocol.MethodTextDocumentPublishDiagnostics, now)
}

// same reports whether p says what o did, and of the same version: what was said of
// another one the client may have passed over.
func (p publishParams) same(o publishParams) bool {
	if (p.Version == nil) != (o.Version == nil) || p.Version != nil && *p.Version != *o.Version {
		return false
	}
	return p.URI == o.URI && slices.EqualFunc(p.Diagnostics, o.Diagnostics, func(a, b diagnostic) bool {
		return a.Range == b.Range && a.Severity == b.Severity && a.Code == b.Code && a.Message == b.Message && slices.Equal(a.Related, b.Related)
	})
}

// diagnostic answers what the engine has the client ask, so that it sends what it holds back.
func (s *server) diagnostic(context.Context, []byte) (work, error) {
	return func(context.Context) (any, error) {
		return struct {
			Kind  string     `json:"kind"`
			Items []struct{} `json:"items"`
		}{"full", []struct{}{}}, nil
	}, nil
}
