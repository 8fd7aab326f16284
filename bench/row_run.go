package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/patchls/patchls/editors/headless"
)

// What is measured of patchls run.
const (
	aloneStart = "start of echo"
	runStart   = "start of patchls run -- echo"
	aKey       = "a key"
	aWrite     = "a write"
)

// runRow measures patchls run: what it adds to the start of a program, and how long shadow and buffer take to have each other's text.
func runRow(e *env) (row, error) {
	r := row{
		Title: "A program among shadows",
		About: "patchls run, beside the headless editor with patchls serve, in which a file of 10 KB is open with unsaved text. A shadow is the temporary copy that the program sees. " +
			"“Start” is from exec to the first byte of echo, beside echo by itself. “A key” is from the last of ten keys to the shadow that has them. " +
			"“A write” is from close(2) of the shadow, to which a line was appended, to the editor's buffer that has the line; for 50 ms of that, patchls waits in case the program writes more.",
		Why: "patchls starts twice, the second time in the namespace, and asks the editors what is open before the program starts.",
	}
	if out, err := exec.Command(e.patchls, "run", "--", "true").CombinedOutput(); err != nil {
		r.Notes = []string{fmt.Sprintf("All of it was left out: %s", strings.TrimSpace(string(out)))}
		return r, nil //nolint:nilerr // the row says so
	}
	times, err := e.shadowTimes()
	if err != nil {
		return r, err
	}
	t := table{Columns: []string{"what", "median", "p99"}}
	for _, name := range []string{aloneStart, runStart, aKey, aWrite} {
		t.add(name, duration(times[name].median()), duration(times[name].quantile(.99)))
	}
	r.Tables = []table{t}
	inMS := func(x, less series) ratio {
		const ms = float64(time.Millisecond)
		return ratio{(x.median() - less.median()) / ms, (x.quantile(.25) - less.quantile(.75)) / ms, (x.quantile(.75) - less.quantile(.25)) / ms}
	}
	nothing := series{0}
	more := inMS(times[runStart], times[aloneStart])
	r.Goals = []goal{
		atMost("start, over the program's own", 30, more, "ms"),
		atMost("a key, p50", 20, inMS(times[aKey], nothing), "ms"),
		atMost("a write, p50", 60, inMS(times[aWrite], nothing), "ms"),
	}
	r.Felt = []felt{{"starting an agent by patchls run: what that adds", duration(more.Mid * float64(time.Millisecond)), "–"}}
	return r, nil
}

// shadowTimes measures all that in an editor of its own.
func (e *env) shadowTimes() (map[string]series, error) {
	live, err := startLive(e)
	if err != nil {
		return nil, err
	}
	defer live.close()
	text := e.source.first(10 * kilobyte)
	file := filepath.Join(live.root, "a.go")
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		return nil, err
	}
	b, err := live.typeIn(file)
	if err != nil {
		return nil, err
	}
	times, err := contest(e.rounds(50, 3), contestant{name: aloneStart, run: live.timed("echo")}, contestant{name: runStart, run: live.timed(e.patchls, "run", "--", "echo")})
	if err != nil {
		return nil, err
	}
	s, err := live.among(e, b, file)
	if err != nil {
		return nil, err
	}
	defer s.end()
	more, err := contest(e.rounds(100, 3), contestant{name: aKey, run: s.key}, contestant{name: aWrite, run: s.write})
	maps.Copy(times, more)
	return times, errors.Join(err, fileIs(file, text))
}

// timed returns a function that runs a program with this editor's environment, and measures the time to its first output.
func (l *liveEditor) timed(program string, args ...string) func() (float64, error) {
	return func() (float64, error) {
		began := time.Now()
		cmd, ends, err := spawn(l.environment, program, args...)
		if err != nil {
			return 0, err
		}
		_, err = ends.Read(make([]byte, 1))
		took := time.Since(began)
		return float64(took.Nanoseconds()), errors.Join(err, cmd.Wait())
	}
}

// shadowed is a document whose file has a shadow.
type shadowed struct {
	buffer *headless.Buffer
	file   string // as the program among the shadows sees it
	in     io.Closer
	cmd    *exec.Cmd
}

// among starts a program among shadows that waits, and returns when the file of a buffer has one.
func (l *liveEditor) among(e *env, b *headless.Buffer, file string) (*shadowed, error) {
	cmd, ends, err := spawn(l.environment, e.patchls, "run", "--", "sh", "-c", "echo $$; cat")
	if err != nil {
		return nil, err
	}
	s := &shadowed{buffer: b, in: ends, cmd: cmd}
	pid, err := bufio.NewReader(ends).ReadString('\n')
	if err == nil {
		s.file = "/proc/" + strings.TrimSpace(pid) + "/root" + file
		_, err = s.until(s.shows)
	}
	if err != nil {
		s.end()
		return nil, err
	}
	return s, nil
}

func (s *shadowed) end() {
	_ = s.in.Close()
	_ = s.cmd.Wait() // it ends with its input
}

// rest is how long the keeper is left alone, so that it has nothing more to do.
const rest = 200 * time.Millisecond

// until waits for something, and returns the nanoseconds until then.
func (s *shadowed) until(is func() bool) (float64, error) {
	began := time.Now()
	for !is() {
		if time.Since(began) > 10*time.Second {
			return 0, errors.New("the shadow and the buffer have other texts still")
		}
		time.Sleep(100 * time.Microsecond) // polls: waiting for an event would mean opening the file
	}
	took := time.Since(began)
	time.Sleep(rest)
	return float64(took.Nanoseconds()), nil
}

// shows reports whether the shadow is as long as the buffer's text. It does not read it: that would make the keeper wait.
func (s *shadowed) shows() bool {
	info, err := os.Stat(s.file)
	return err == nil && info.Size() == int64(len(s.buffer.Text()))
}

// key types, and returns the nanoseconds until the shadow has that.
func (s *shadowed) key() (float64, error) {
	for range 10 {
		if err := s.buffer.Insert(0, "k"); err != nil {
			return 0, err
		}
	}
	return s.until(s.shows)
}

// write writes a line as the program would, and returns the nanoseconds until the buffer has it.
func (s *shadowed) write() (float64, error) {
	const line = "// written\n"
	want := s.buffer.Text() + line
	f, err := os.OpenFile(s.file, os.O_WRONLY|os.O_APPEND, 0)
	if err != nil {
		return 0, err
	}
	_, err = f.WriteString(line)
	if err = errors.Join(err, f.Close()); err != nil {
		return 0, err
	}
	return s.until(func() bool { return s.buffer.Text() == want })
}
