package agent

import (
	"context"
	"crypto/rand"
	"fmt"
	"net"
	"strconv"
	"strings"

	"github.com/Microsoft/go-winio"
	"golang.org/x/sys/windows"
)

// pipes is where named pipes are. A path that only begins like it, such as one of another machine, is none of ours.
const pipes = `\\.\pipe\`

// listen makes a named pipe at path, which must not exist yet. Only this user can open it, and only from this machine. No
// other process can take the name until the listener is closed.
func listen(path string) (net.Listener, error) {
	mine, err := onlyMineSDDL()
	if err != nil {
		return nil, err
	}
	const buffer = 64 << 10
	return winio.ListenPipe(path, &winio.PipeConfig{SecurityDescriptor: mine, InputBufferSize: buffer, OutputBufferSize: buffer})
}

// dial connects to a pipe. The server learns only that this process may connect: it cannot act as this user.
func dial(ctx context.Context, path string) (net.Conn, error) {
	return winio.DialPipeAccessImpLevel(ctx, path, windows.GENERIC_READ|windows.GENERIC_WRITE, winio.PipeImpLevelAnonymous)
}

// peerUID returns the owner of the pipe, as ownerOf does. For an agent that is the server's user. A
// client that could open the pipe belongs to the same user.
func peerUID(conn net.Conn) (uid int, err error) {
	pipe, ok := conn.(interface{ Fd() uintptr })
	if !ok {
		return 0, fmt.Errorf("a %T is not a pipe", conn)
	}
	access, err := windows.GetSecurityInfo(windows.Handle(pipe.Fd()), windows.SE_KERNEL_OBJECT, windows.OWNER_SECURITY_INFORMATION)
	if err != nil {
		return 0, err
	}
	return userOf(access)
}

// socketPath returns a pipe name for a new server, which another user cannot guess.
func (sys *system) socketPath() (string, error) {
	return pipes + "patchls-" + strconv.Itoa(sys.pid) + "-" + rand.Text(), nil
}

// checkSocket returns an error if no token should be sent to path. The owner of a pipe can be
// seen only once the pipe is open: checkPeer checks it.
func (sys *system) checkSocket(path string) error {
	if name, ok := strings.CutPrefix(path, pipes); !ok || strings.ContainsAny(name, `\/`) {
		return fmt.Errorf("%s is not a socket", path)
	}
	return nil
}

// removeSocket has nothing to remove: a pipe ends with its process.
func (sys *system) removeSocket(Entry) bool { return true }
