package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
)

func TestPlacesAreChangedAndChangedBack(t *testing.T) {
	var b strings.Builder
	for i := range 50 {
		fmt.Fprintf(&b, "a line that is long enough, and number %d\nshort\nand this one, which is longer, is there again and again\n", i)
	}
	start, count := b.String(), 7
	p, err := placesIn(start, count)
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	for i := range 2 * count {
		before := p.text()
		was, is := p.step()
		if strings.Count(before, was) != 1 || p.text() != strings.Replace(before, was, is, 1) || was == is {
			t.Fatalf("step %d: %q became %q, in\n%s", i, was, is, before)
		}
		seen[was] = true
	}
	if p.text() != start || len(seen) != 2*count {
		t.Errorf("after %d steps at %d places:\n%s", 2*count, len(seen)/2, p.text())
	}
	if _, err := placesIn(start, 51); err == nil {
		t.Error("51 places were found, where there are 50")
	}
}

// answering is an MCP server that gives these results, one after the other, each
// behind a notification.
func answering(t *testing.T, results ...string) toolServer {
	theirIn, ourOut := io.Pipe()
	ourIn, theirOut := io.Pipe()
	go func() {
		defer func() { _, _ = theirIn.Close(), theirOut.Close() }()
		requests := json.NewDecoder(theirIn)
		for _, result := range results {
			var m struct{ ID int }
			if requests.Decode(&m) != nil {
				return
			}
			// The client leaves in the middle where it finds an error; the test sees that.
			_, _ = fmt.Fprintf(theirOut, `{"jsonrpc":"2.0","method":"notifications/message","params":{}}`+"\n"+`{"jsonrpc":"2.0","id":%d,%s}`+"\n", m.ID, result)
		}
	}()
	c := &client{in: ourOut, lines: bufio.NewReader(ourIn), end: func() { _ = ourOut.Close() }}
	t.Cleanup(c.close)
	return toolServer{c}
}

func TestTheAnswerOfAToolIsChecked(t *testing.T) {
	const line = "the only line, which is long enough to be taken"
	shown := `"content":[{"type":"text","text":"1 ` + line + changedLine + `"}]`
	for _, tt := range []struct{ name, answer, want string }{
		{"right", `"result":{` + shown + `,"structuredContent":{"applied":true,"verified":true,"files":[{}]}}`, ""},
		{"not verified", `"result":{` + shown + `,"structuredContent":{"applied":true,"verified":false,"files":[{}]}}`, "not verified"},
		{"other text", `"result":{"content":[{"type":"text","text":"done"}],"structuredContent":{"applied":true,"verified":true,"files":[{}]}}`, "does not show the line"},
		{"an error of the tool", `"result":{"isError":true,"content":[{"type":"text","text":"no such file"}]}`, "no such file"},
		{"an error of the protocol", `"error":{"code":-32602,"message":"unknown tool"}`, "unknown tool"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			doc, err := placesIn(line+"\n", 1)
			if err != nil {
				t.Fatal(err)
			}
			e := toolEdits{doc: doc, server: answering(t, tt.answer), tool: strReplace, check: toolAnswer.verified}
			took, err := e.edit()
			if tt.want == "" && (err != nil || took <= 0) {
				t.Errorf("took %v, error %v", took, err)
			}
			if tt.want != "" && (err == nil || !strings.Contains(err.Error(), tt.want)) {
				t.Errorf("the error is %v, want one with %q", err, tt.want)
			}
		})
	}
	if _, err := (&toolEdits{doc: &places{lines: []string{line}, at: []int{0}}, server: answering(t), tool: editFile}).edit(); err == nil {
		t.Error("the end of the server was not noticed")
	}
}

func TestTheTableOfCallsLeavesOutWhoIsNotHere(t *testing.T) {
	figures := series{1e6, 3e6, 2e6}
	got := callTable([]int{10 * kilobyte, megabyte}, []map[string]series{
		{liveTool: figures, embeddedTool: figures}, {liveTool: {5e6}, embeddedTool: figures},
	})
	if want := []string{"server", "10 KB, p50", "10 KB, p99", "1 MB, p50", "1 MB, p99"}; !slices.Equal(got.Columns, want) {
		t.Errorf("the columns are %q, want %q", got.Columns, want)
	}
	if len(got.Lines) != 2 || !slices.Equal(got.Lines[0], []string{liveTool, "2.00 ms", "2.98 ms", "5.00 ms", "5.00 ms"}) {
		t.Errorf("the lines are %q", got.Lines)
	}
}
