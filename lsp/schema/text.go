package schema

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/patchls/patchls/edits"
)

// CheckText refuses arguments that encoding/json would change silently: it replaces bytes
// that are not UTF-8 and halves of surrogate pairs by U+FFFD, and takes the last of several
// values of one name. The text of an edit must be what was sent. raw is valid JSON.
func CheckText(raw json.RawMessage) error {
	_, err := jsontext.NewDecoder(bytes.NewBuffer(raw)).ReadValue()
	wrong, ok := errors.AsType[*jsontext.SyntacticError](err)
	if !ok {
		return nil
	}
	what := `is not UTF-8: send it as UTF-8, or as \u escapes`
	switch {
	case errors.Is(wrong, jsontext.ErrDuplicateName):
		what = "is given twice: send it once"
	case bytes.HasPrefix(raw[wrong.ByteOffset:], []byte(`\u`)):
		what = fmt.Sprintf("has %s, which is half of a character: send both halves, or the character itself", raw[wrong.ByteOffset:][:6])
	}
	name := "The name of an argument"
	if wrong.JSONPointer != "" {
		name = strconv.Quote(argumentName(wrong.JSONPointer))
	}
	return &edits.Error{Kind: edits.InvalidParams, Message: fmt.Sprintf("%s %s.", name, what)}
}

// argumentName returns the name of the argument at p as errors write it: edits[1].content.
func argumentName(p jsontext.Pointer) string {
	var name strings.Builder
	for token := range p.Tokens() {
		if n, err := strconv.ParseUint(token, 10, 32); err == nil {
			fmt.Fprintf(&name, "[%d]", n)
		} else {
			name.WriteString("." + token)
		}
	}
	return strings.TrimPrefix(name.String(), ".")
}
