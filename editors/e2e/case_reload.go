//go:build unix

package main

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

// editOrReload is a case of the editors with a plugin, which make bench runs.
var editOrReload = []testCase{{"edit-or-reload", editsOrReloads}}

// editsOrReloads: an agent edits a text of 100 KB, and another program writes such a file, which the user has the editor
// read anew. How long each takes is printed.
func editsOrReloads(t *trial) {
	var text strings.Builder
	for i := range 2500 {
		fmt.Fprintf(&text, "line %d, of some forty characters of text\n", i)
	}
	for _, name := range []string{"edited.txt", "reloaded.txt"} {
		t.write(name, text.String())
		t.open(name)
	}
	for ; t.rounds < t.seat.rounds; t.rounds++ {
		was := fmt.Sprintf("line %d,", t.rounds*37%2500)
		t.edit("str_replace", args{"path": t.path("edited.txt"), "old_str": was, "new_str": "edited " + was})
		now := strings.Replace(text.String(), was, "written "+was, 1)
		began := time.Now()
		t.write("reloaded.txt", now)
		t.must("reload", t.Reload(t.path("reloaded.txt")))
		t.reloads = append(t.reloads, time.Since(began))
		t.must("text", t.same("reloaded.txt", now))
	}
}

// reloadsOf says how long edits took, and reloads.
func reloadsOf(o outcome) string {
	for _, r := range o.Runs {
		if len(r.Reloads) > 0 {
			return fmt.Sprintf("An edit in %s takes %s, writing and reloading the file %s (medians of %d).", o.Editor, median(r.Answers), median(r.Reloads), len(r.Reloads))
		}
	}
	return ""
}

func median(all []time.Duration) time.Duration {
	all = slices.Sorted(slices.Values(all))
	return all[len(all)/2].Round(10 * time.Microsecond)
}
