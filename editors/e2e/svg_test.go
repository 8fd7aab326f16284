//go:build unix

package main

import (
	"encoding/xml"
	"errors"
	"io"
	"strings"
	"testing"
)

func TestDrawing(t *testing.T) {
	svg := drawing("a <b>\x1b[1;38;2;1;2;3mbold\x1b[0m\n\x1b[7mback\x1b[27m \x1b[48;5;196mred\x1b[49m\n", 20)
	for _, want := range []string{
		`>&lt;b&gt;</text>`, // as it is on the screen
		`x="26.8"`,          // the third column
		`fill="#010203" textLength="33.6" font-weight="bold"`, // in its colour
		`<rect x="10.0" y="28" width="33.6" height="18" fill="` + ink + `"/>`,
		`fill="#ff0000"`,
	} {
		if !strings.Contains(svg, want) {
			t.Errorf("%s\nlacks %s", svg, want)
		}
	}
	for d := xml.NewDecoder(strings.NewReader(svg)); ; {
		_, err := d.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}
