package lsp_test

import (
	"errors"
	"io"
	"net"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/patchls/patchls/internal/testkit/metamodel"
)

// metaModel is LSP's meta-model, nil if it is not available.
var metaModel = sync.OnceValues(func() (*metamodel.Model, error) {
	return metamodel.Load(filepath.Join("..", metamodel.Place))
})

// metaCheck holds what a server sends against LSP's meta-model.
type metaCheck struct {
	mu      sync.Mutex
	checker *metamodel.Checker // nil: nothing is checked
	faults  []string
}

func newMetaCheck() *metaCheck {
	m := &metaCheck{}
	if model, err := metaModel(); err == nil {
		m.checker = model.NewChecker()
	}
	return m
}

func (m *metaCheck) received(body []byte) {
	if m.checker != nil {
		m.mu.Lock()
		defer m.mu.Unlock()
		m.checker.Received(body)
	}
}

func (m *metaCheck) sent(body []byte) {
	if m.checker != nil {
		m.mu.Lock()
		defer m.mu.Unlock()
		for _, fault := range m.checker.Sent(body) {
			m.faults = append(m.faults, fault+": "+string(body))
		}
	}
}

func (m *metaCheck) found() []string {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.faults
}

// A violation on a watched pipe is found. If the meta-model is not available, this test
// is skipped and so shows that no test looks for violations.
func TestMessagesAreHeldAgainstTheMetaModel(t *testing.T) {
	if _, err := metaModel(); errors.Is(err, metamodel.ErrAbsent) {
		t.Skip(err)
	} else if err != nil {
		t.Fatal(err)
	}
	near, far := net.Pipe()
	c := &watchedConn{Conn: near, check: newWireCheck(), meta: newMetaCheck()}
	go func() {
		defer far.Close()
		_, _ = io.Copy(io.Discard, far)
	}()
	const body = `{"jsonrpc":"2.0","method":"window/logMessage","params":{"type":3}}`
	if _, err := io.WriteString(c, "Content-Length: 66\r\n\r\n"+body); err != nil {
		t.Fatal(err)
	}
	near.Close()
	if found := strings.Join(c.meta.found(), "\n"); !strings.Contains(found, `needs "message"`) {
		t.Errorf("found %q", found)
	}
}
