package agent

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"syscall"
	"time"

	"go.lsp.dev/jsonrpc2"

	"github.com/patchls/patchls/internal/framing"
)

// accept lets agents in until ctx is done or the socket is broken.
func (s *Socket) accept(ctx context.Context) {
	for {
		conn, err := s.listen.AcceptUnix()
		switch {
		case err == nil:
			s.admit(ctx, conn)
		case ctx.Err() != nil:
			return
		case errors.Is(err, syscall.EMFILE), errors.Is(err, syscall.ENFILE), errors.Is(err, syscall.ECONNABORTED):
			s.log.Warn("no agent can be let in for now", "error", err)
			select {
			case <-time.After(100 * time.Millisecond): // files are closed meanwhile
			case <-ctx.Done():
				return
			}
		default:
			s.log.Error("no agents are let in any more", "error", err)
			return
		}
	}
}

// admit serves conn, or closes it at once if it is another user's or one too many.
func (s *Socket) admit(ctx context.Context, conn *net.UnixConn) {
	if err := s.sys.checkPeer(conn); err != nil {
		s.log.Warn("a connection to the agents' socket was refused", "reason", err)
		_ = conn.Close() // nobody is there who should hear of it
		return
	}
	select {
	case s.seats <- struct{}{}:
	default:
		s.log.Warn("an agent was refused, since too many are connected", "max_agents", s.opts.MaxAgents)
		sayFull(conn, s.opts.MaxAgents)
		_ = conn.Close()
		return
	}
	s.running.Go(func() {
		defer func() { <-s.seats }()
		err := s.host.Serve(ctx, &patient{UnixConn: conn, limit: s.opts.WriteTimeout}, s.token)
		if err != nil && ctx.Err() == nil {
			s.log.Info("the connection of an agent ended", "error", err)
		}
	})
}

// sayFull tells an agent why it is not let in. It is one short message, for which a
// connection that is new has room.
func sayFull(conn *net.UnixConn, most int) {
	body := fmt.Sprintf(`{"jsonrpc":"2.0","id":null,"error":{"code":%d,"message":"%d agents are connected, and one more is more than max_agents (%[2]d): wait until one has left"}}`,
		jsonrpc2.InvalidRequest, most)
	if conn.SetWriteDeadline(time.Now().Add(time.Second)) == nil {
		_, _ = conn.Write(framing.Append(nil, []byte(body)))
	}
}

// checkPeer says why the other end of conn is not to be spoken to. Where the system
// does not tell who it is, the folder's mode has kept others out.
func (sys *system) checkPeer(conn *net.UnixConn) error {
	uid, err := sys.peer(conn)
	switch {
	case errors.Is(err, errors.ErrUnsupported):
		return nil
	case err != nil:
		return err
	case uid != sys.uid:
		return errForeign
	}
	return nil
}

var errForeign = errors.New("the other end belongs to another user")

// patient is a connection whose other end has a limited time to read a message. One
// that never reads is closed: what it should read would fill the memory.
type patient struct {
	*net.UnixConn
	limit time.Duration
}

func (p *patient) Write(b []byte) (int, error) {
	if err := p.SetWriteDeadline(time.Now().Add(p.limit)); err != nil {
		return 0, err
	}
	n, err := p.UnixConn.Write(b)
	if errors.Is(err, os.ErrDeadlineExceeded) {
		_ = p.Close() // half a message is on its way; there is no going on
	}
	return n, err
}
