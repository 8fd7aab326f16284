//go:build linux

package shadow

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"syscall"

	"golang.org/x/sys/unix"
)

// Start runs a program in a namespace with shadows, and returns its exit code. It starts this executable again as the
// keeper, with [KeeperFlag], which runs the program. If a signal ended the program, the same signal ends this process,
// or the exit code is 128 plus its number. A signal that arrives before the program has started cancels ctx.
func Start(ctx context.Context, program []string) (int, error) {
	if _, err := exec.LookPath(program[0]); err != nil {
		return 0, err
	}
	folder, err := os.MkdirTemp(cmp.Or(os.Getenv("XDG_RUNTIME_DIR"), os.TempDir()), "patchls-run-")
	if err != nil {
		return 0, err
	}
	keeper := exec.CommandContext(context.Background(), "/proc/self/exe", append([]string{"run", "--" + KeeperFlag, folder, "--"}, program...)...)
	keeper.Args[0] = os.Args[0]
	uid, gid := os.Geteuid(), os.Getegid()
	status, err := start(ctx, keeper, &syscall.SysProcAttr{
		Cloneflags:  syscall.CLONE_NEWUSER | syscall.CLONE_NEWNS,
		UidMappings: []syscall.SysProcIDMap{{ContainerID: uid, HostID: uid, Size: 1}},
		GidMappings: []syscall.SysProcIDMap{{ContainerID: gid, HostID: gid, Size: 1}},
		AmbientCaps: []uintptr{unix.CAP_SYS_ADMIN, unix.CAP_DAC_OVERRIDE, unix.CAP_SETPCAP},
		Pdeathsig:   syscall.SIGTERM, // the keeper forwards it
	})
	_ = os.Remove(folder) // it is empty: this process does not see what the keeper has mounted there
	if err != nil {
		return 0, noNamespace(err)
	}
	return end(status), nil
}

// startAgent runs the agent itself, without the keeper's capabilities. It must be called in a goroutine of its own,
// since it changes the thread for good.
func startAgent(ctx context.Context, program []string) (syscall.WaitStatus, error) {
	runtime.LockOSThread()  // for good: the thread ends with the goroutine, and is not used again
	const noRoot = 1 | 1<<1 // SECBIT_NOROOT, locked: root gets no capabilities
	if err := cmp.Or(
		unix.Prctl(unix.PR_SET_SECUREBITS, noRoot, 0, 0, 0),
		unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0), // or an executable's capabilities would be granted
		dropCapabilities(),
	); err != nil {
		return 0, err
	}
	return start(ctx, exec.CommandContext(context.Background(), program[0], program[1:]...), &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL})
}

// dropCapabilities leaves none to this thread, or that a program started by it could get.
func dropCapabilities() error {
	for c := uintptr(0); c <= unix.CAP_LAST_CAP; c++ {
		// The system may know fewer than this program does.
		if err := unix.Prctl(unix.PR_CAPBSET_DROP, c, 0, 0, 0); err != nil && !errors.Is(err, syscall.EINVAL) {
			return err
		}
	}
	var none [2]unix.CapUserData // which takes the ambient ones away as well
	return unix.Capset(&unix.CapUserHeader{Version: unix.LINUX_CAPABILITY_VERSION_3}, &none[0])
}

// start runs a command on the terminal of this process, forwards signals to it, and returns how it ended. It starts
// nothing once the context is done.
func start(ctx context.Context, cmd *exec.Cmd, how *syscall.SysProcAttr) (syscall.WaitStatus, error) {
	runtime.LockOSThread() // the command gets Pdeathsig when the thread that started it ends
	defer runtime.UnlockOSThread()
	signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE) // this program ignores SIGPIPE, which commands would inherit; of a handled signal they get the default
	cmd.Stdin, cmd.Stdout, cmd.Stderr, cmd.SysProcAttr = os.Stdin, os.Stdout, os.Stderr, how
	signals := make(chan os.Signal, 16)
	toForward := []os.Signal{os.Interrupt, syscall.SIGQUIT, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGUSR1, syscall.SIGUSR2}
	signal.Notify(signals, slices.DeleteFunc(toForward, signal.Ignored)...) // nohup ignores some
	defer close(signals)
	defer signal.Stop(signals)
	if ctx.Err() != nil { // later signals go to the command
		return syscall.WaitStatus(128+int(syscall.SIGTERM)) << 8, nil
	}
	if err := cmd.Start(); err != nil {
		return 0, err
	}
	go func() {
		tty, err := os.Open("/dev/tty")
		if err == nil {
			_ = tty.Close()
		}
		for s := range signals {
			// A terminal sends these to all processes that run on it.
			if err == nil && (s == os.Interrupt || s == syscall.SIGQUIT) {
				continue
			}
			_ = cmd.Process.Signal(s) // it may have ended
		}
	}()
	return wait(cmd.Process.Pid)
}

// wait waits for the end of a process. When the process is stopped, as by Ctrl-Z, this process stops itself as well,
// since the shell waits for this one.
func wait(pid int) (syscall.WaitStatus, error) {
	for {
		var status syscall.WaitStatus
		_, err := syscall.Wait4(pid, &status, syscall.WUNTRACED, nil)
		switch {
		case errors.Is(err, syscall.EINTR):
		case err != nil:
			return 0, err
		case !status.Stopped():
			return status, nil
		case slices.Contains([]syscall.Signal{syscall.SIGTSTP, syscall.SIGTTIN, syscall.SIGTTOU}, status.StopSignal()) && isStopped(pid):
			_ = syscall.Kill(os.Getpid(), status.StopSignal())
		}
	}
}

// isStopped reports whether a process is still stopped: the terminal stops this process together with it, and both may
// have been continued since.
func isStopped(pid int) bool {
	stat, _ := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid)) // a process that has ended is not stopped
	_, state, _ := bytes.Cut(stat[bytes.LastIndexByte(stat, ')')+1:], []byte(" "))
	return bytes.HasPrefix(state, []byte("T"))
}

// end returns the exit code of a process. If a signal ended it, end raises the same signal, or returns 128 + its number.
func end(status syscall.WaitStatus) int {
	if !status.Signaled() {
		return status.ExitStatus()
	}
	s := status.Signal()
	if slices.Contains([]syscall.Signal{syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGKILL}, s) { // for others Go prints stacks
		runtime.LockOSThread()
		signal.Reset(s)
		_ = unix.Tgkill(os.Getpid(), unix.Gettid(), s)
	}
	return 128 + int(s) // as shells do
}

// noNamespace explains the error of a system that does not let this process make a namespace.
func noNamespace(err error) error {
	if !errors.Is(err, os.ErrPermission) && !errors.Is(err, syscall.ENOSPC) && !errors.Is(err, syscall.EINVAL) {
		return err
	}
	if mounts, _ := os.ReadFile("/proc/self/mountinfo"); bytes.Contains(mounts, []byte(" - tmpfs patchls ")) {
		return errors.New("patchls run is running already, and this is a program in it: start the other program without patchls run, it sees the unsaved text as well")
	}
	return fmt.Errorf("patchls run needs a user namespace, which this system refuses (%w). "+
		"Look at kernel.unprivileged_userns_clone (to be 1), user.max_user_namespaces (not 0) and kernel.apparmor_restrict_unprivileged_userns (to be 0, "+
		"or AppArmor to have a profile for patchls) with sysctl; a container must be started so that it may make one. "+
		"Without it give the agent patchls mcp, or let it write the files: what it writes is merged into the editor's text (docs/agents.md)", err)
}

// hold stops the program, with all that it has started, while an editor does not answer, which may have any file open
// with unsaved text. What the user has suspended stays so. hold stops nothing once the user has sent a signal, which a
// stopped program could not follow.
func (k *keeper) hold(silent error) {
	switch {
	case silent != nil && k.asked.Err() == nil:
		if k.stopped == nil {
			k.say("the program waits: %v", silent)
			k.stopped = map[int]bool{}
		}
		for sent := map[int]bool{}; ; {
			n := len(sent)
			for _, pid := range processes() { // a shell that sees its child stop would take the terminal
				if !sent[pid] && !isStopped(pid) {
					sent[pid], k.stopped[pid] = true, true
					_ = syscall.Kill(pid, syscall.SIGSTOP) // it may have ended
				}
			}
			if len(sent) == n { // they can start no more
				return
			}
		}
	case k.stopped != nil:
		for _, pid := range slices.Backward(processes()) {
			if k.stopped[pid] {
				_ = syscall.Kill(pid, syscall.SIGCONT)
			}
		}
		k.stopped = nil
	}
}

// processes returns the program and what it has started: the processes of this namespace, but for the keeper.
func processes() (all []int) {
	namespace := func(pid int) string {
		name, _ := os.Readlink(fmt.Sprintf("/proc/%d/ns/mnt", pid)) // of one that has ended, and of another user's, none
		return name
	}
	own := namespace(os.Getpid())
	if own == "" || own == namespace(os.Getppid()) {
		return nil
	}
	names, _ := filepath.Glob("/proc/[0-9]*")
	for _, name := range names {
		if pid, err := strconv.Atoi(filepath.Base(name)); err == nil && pid != os.Getpid() && namespace(pid) == own {
			all = append(all, pid)
		}
	}
	slices.Sort(all)
	return all
}
