package setup

import (
	"errors"
	"strings"

	"github.com/pelletier/go-toml/v2"
)

func decodeTOML(s string) (any, error) {
	var m map[string]any
	err := toml.Unmarshal([]byte(s), &m)
	return m, err
}

// valueOfTOML returns the value that the lines of a part define.
func valueOfTOML(p part) (any, error) {
	tree, err := decodeTOML(p.Text)
	if err != nil {
		return nil, err
	}
	found, _ := lookUp(tree, p.keys())
	if len(found) != 1 {
		return nil, errors.New("the lines make no " + p.At)
	}
	return found[0], nil
}

// addTOML adds a part that s lacks, and sets p.Text to the text that it has added.
func addTOML(s string, p *part) (string, error) {
	if s != "" {
		p.Text = "\n" + p.Text
		if !strings.HasSuffix(s, "\n") {
			p.Text = "\n" + p.Text
		}
	}
	if strings.Contains(s, "\r\n") {
		p.Text = strings.ReplaceAll(p.Text, "\n", "\r\n")
	}
	return s + p.Text, nil
}

// cutTOML returns s without the text of a part, which must occur exactly once.
func cutTOML(s string, p part) (string, error) {
	before, after, found := strings.Cut(s, p.Text)
	if !found || strings.Contains(after, p.Text) {
		return s, errors.New("its lines do not stand there once as they were written")
	}
	return before + after, nil
}
