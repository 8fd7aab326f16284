//go:build unix

package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/patchls/patchls/internal/testkit/metamodel"
)

func framed(body string) string { return fmt.Sprintf("Content-Length: %d\r\n\r\n%s", len(body), body) }

// What passes is written down and goes on as it is, however it is cut.
func TestTheRecorderPassesAll(t *testing.T) {
	stream := framed(`{"a":1}`) + framed(`{"b":"é"}`)
	for size := 1; size <= len(stream); size++ {
		var log, out bytes.Buffer
		r := &recorder{to: json.NewEncoder(&log)}
		from, to := io.Pipe()
		go func() {
			for piece := range slices.Chunk([]byte(stream), size) {
				_, _ = to.Write(piece)
			}
			to.Close()
		}()
		r.pass(&out, from, fromServer)
		if out.String() != stream {
			t.Fatalf("in pieces of %d: passed %q", size, out.String())
		}
		if got := log.String(); strings.Count(got, "\n") != 2 || !strings.Contains(got, `"body":"{\"a\":1}"`) || !strings.Contains(got, `"from":"server"`) {
			t.Fatalf("in pieces of %d: wrote %s", size, got)
		}
	}
}

const smallModel = `{"requests":[{"method":"ask","messageDirection":"clientToServer","result":{"kind":"base","name":"null"}}],
	"notifications":[{"method":"tell","messageDirection":"serverToClient"}]}`

func TestLogsAreHeldAgainstTheMetaModel(t *testing.T) {
	model, err := metamodel.Parse([]byte(smallModel))
	if err != nil {
		t.Fatal(err)
	}
	folder := t.TempDir()
	var log bytes.Buffer
	to := json.NewEncoder(&log)
	for _, e := range []entry{
		{From: fromClient, Body: `{"jsonrpc":"2.0","id":1,"method":"ask"}`},
		{From: fromServer, Body: `{"jsonrpc":"2.0","id":1,"result":5}`},
		{From: fromServer, Body: `{"jsonrpc":"2.0","method":"tell"}`},
		{From: fromServer, Body: `{"jsonrpc":"2.0","method":"patchls/own"}`},
	} {
		if err := to.Encode(e); err != nil {
			t.Fatal(err)
		}
	}
	log.WriteString(`{"from":"server","body":"cut sh`)
	if err := os.WriteFile(filepath.Join(folder, "1.jsonl"), log.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	report, err := checkWire(folder, model)
	if err != nil {
		t.Fatal(err)
	}
	found := strings.Join(report.faults(), "\n")
	if report.Messages != 3 || len(report.Faults) != 2 || !strings.Contains(found, "the result of ask: is 5, not null") || !strings.Contains(found, "patchls/own: there is no such method") {
		t.Errorf("%d messages, found %s", report.Messages, found)
	}
	if own := ownMethods(report.Methods); !slices.Equal(own, []string{"patchls/own (1)"}) {
		t.Errorf("own methods %q", own)
	}
	if report, err = checkWire(folder, nil); err != nil || report.Messages != 3 || len(report.Faults) > 0 {
		t.Errorf("without a meta-model: %+v, %v", report, err)
	}
}

func TestTheTableFailsARunForWhatIsNew(t *testing.T) {
	var out bytes.Buffer
	wire := newWireReport()
	wire.Messages, wire.Faults["tell: takes no params"] = 7, 2
	news := printTable(&out, []outcome{
		{Editor: "vi", Version: "1", Runs: []caseRun{{Name: "a", Checks: []check{{What: "a/text"}}}}, Wire: wire},
		{Editor: "ed", Left: "no apt-get"},
		{Editor: "nano", Failed: "start: no such file", Wire: newWireReport()},
	}, nil)
	for _, want := range []string{"vi, on the wire (2 times): tell: takes no params", "nano: start: no such file"} {
		if !slices.Contains(news, want) {
			t.Errorf("news %q lack %q", news, want)
		}
	}
	for _, want := range []string{"1 of 1", "left out: no apt-get", "7 messages of the servers, 1 kinds of violations"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("%s\nlacks %q", out.String(), want)
		}
	}
}
