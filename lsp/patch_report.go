package lsp

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/patchls/patchls/edits"
)

// backReport is what came of taking back.
type backReport struct {
	back    []string
	emptied []string
	held    []heldFile
	unclear string // a file that is neither as it was nor as the patch wants it
}

type heldFile struct {
	path string
	why  error
}

// String words the report in one or more sentences.
func (r backReport) String() string {
	r.back = slices.DeleteFunc(r.back, func(path string) bool {
		return slices.ContainsFunc(r.held, func(h heldFile) bool { return h.path == path })
	})
	clean := len(r.emptied)+len(r.held) == 0 && r.unclear == ""
	if clean && len(r.back) == 0 {
		return "No file was changed."
	}
	var b strings.Builder
	verb := "was"
	if len(r.back) > 1 {
		verb = "were"
	}
	switch put := edits.Listed(r.back) + " " + verb + " put back"; {
	case clean:
		return "Nothing is changed: " + put + "."
	case len(r.back) > 0:
		b.WriteString(put + ". ")
	}
	for _, path := range r.emptied {
		fmt.Fprintf(&b, "%s could not be deleted again and is left empty. ", path)
	}
	for _, h := range r.held {
		if errors.Is(h.why, errUnseen) {
			fmt.Fprintf(&b, "%s may still hold its part of the patch (%v). ", h.path, h.why)
			continue
		}
		fmt.Fprintf(&b, "%s could not be put back (%s) and still holds its part of the patch. ", h.path, strings.TrimSuffix(h.why.Error(), "."))
	}
	if r.unclear != "" {
		fmt.Fprintf(&b, "%s has another text than before. ", r.unclear)
	}
	return strings.TrimSuffix(b.String(), " ")
}
