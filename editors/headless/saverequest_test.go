package headless

import (
	"path/filepath"
	"strings"
	"testing"
)

// TestSaveRequest: patchls/save saves the buffers that it names, nothing else,
// and answers for each.
func TestSaveRequest(t *testing.T) {
	dir := tempDir(t)
	e, s := start(t, Options{}, nil)
	for _, name := range []string{"a", "b", "c"} {
		_ = open(t, e, writeFile(t, filepath.Join(dir, name), name)).Insert(0, "x")
	}
	writeFile(t, filepath.Join(dir, "c"), "changed")
	openText(t, e, "untitled:1", "x")
	uri := func(name string) string { return mustURI(t, filepath.Join(dir, name)) }
	m := s.Call("patchls/save", map[string]any{"uris": []string{uri("a"), uri("c"), uri("closed"), "untitled:1"}})
	var got struct {
		Results []struct {
			URI   string
			Saved bool
			Error string
		}
	}
	if err := unmarshal(m.Result, &got); err != nil || len(got.Results) != 4 {
		t.Fatalf("%v %s", err, m.Result)
	}
	for i, want := range []struct{ uri, err string }{
		{uri("a"), ""}, {uri("c"), "changed by another program"}, {uri("closed"), "not open"}, {"untitled:1", "no file"},
	} {
		r := got.Results[i]
		if r.URI != want.uri || r.Saved != (want.err == "") || !strings.Contains(r.Error, want.err) || (r.Error == "") != r.Saved {
			t.Errorf("%d: %+v, want %+v", i, r, want)
		}
	}
	wantFile(t, filepath.Join(dir, "a"), "xa")
	wantFile(t, filepath.Join(dir, "b"), "b")
	wantFile(t, filepath.Join(dir, "c"), "changed")
	if m := s.Call("patchls/save", []int{1}); m.Error == nil || m.Error.Code != -32602 {
		t.Errorf("bad parameters gave %+v", m)
	}
}
