package reference

import (
	"bytes"
	"encoding/json"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/patchls/patchls/lsp/commands"
	"github.com/patchls/patchls/lsp/schema"
)

// given are the arguments of a reference tool as they were sent, those that are
// null left out. Names that the tool does not have are not among them.
type given struct {
	command string
	values  map[string]json.RawMessage
	nulls   []string
}

// givenArguments reads the one object of a call whose arguments A declares.
func givenArguments[A any](command string, arguments []json.RawMessage) (given, error) {
	g := given{command: command}
	raw := json.RawMessage("{}")
	switch {
	case len(arguments) > 1:
		return g, schema.Invalid("%s takes one object of named arguments, and %d values were sent", command, len(arguments))
	case len(arguments) == 1:
		raw = arguments[0]
	}
	if err := json.Unmarshal(raw, &g.values); err != nil {
		return g, schema.Invalid("The arguments of %s must be an object with names, not %s", command, schema.TypeName(raw))
	}
	return g.checked("", schema.Members(reflect.TypeFor[A]()))
}

// checked refuses names that are not among fields, and sorts out nulls.
func (g given) checked(prefix string, fields []schema.Member) (given, error) {
	for _, name := range slices.Sorted(maps.Keys(g.values)) {
		if !slices.ContainsFunc(fields, func(m schema.Member) bool { return m.Name == name }) {
			return g, schema.Unknown(g.command, prefix, name, fields)
		}
		if bytes.Equal(g.values[name], []byte("null")) {
			g.nulls = append(g.nulls, name)
			delete(g.values, name)
		}
	}
	return g, nil
}

// only refuses arguments that have no part in what is asked for, as by the action "read", which
// takes these and those that are always taken.
func (g given) only(what, which string, takes []string, always ...string) error {
	for _, name := range slices.Sorted(maps.Keys(g.values)) {
		if !slices.Contains(takes, name) && !slices.Contains(always, name) {
			return schema.Invalid("%q has no part in the %s %s, which takes %s", name, what, which, strings.Join(takes, ", "))
		}
	}
	return nil
}

// has reports whether the argument was given.
func (g given) has(name string) bool { return g.values[name] != nil }

// into decodes an argument into dst, a pointer, which stays as it is if there is
// none.
func (g given) into(name string, dst any) error {
	raw, ok := g.values[name]
	if !ok {
		return nil
	}
	return schema.DecodeValue(g.command, name, raw, dst)
}

// isString returns the argument if it is a string.
func (g given) isString(name string) (s string, ok bool) {
	raw, ok := g.values[name]
	if !ok {
		return "", false
	}
	return s, json.Unmarshal(raw, &s) == nil
}

// Options returns the arguments that every editing command takes.
func (g given) options() (commands.EditOptions, error) {
	var o commands.EditOptions
	for name, dst := range map[string]any{"rev": &o.Rev, "dry_run": &o.DryRun, "label": &o.Label, "confirm": &o.Confirm} {
		if err := g.into(name, dst); err != nil {
			return o, err
		}
	}
	return o, nil
}

// softNumber returns raw with a whole number that was sent as a string ("12") as
// a number, since Agent Zero's own tool takes both; anything else stays.
func softNumber(raw json.RawMessage) json.RawMessage {
	var s string
	if json.Unmarshal(raw, &s) != nil {
		return raw
	}
	n, err := strconv.Atoi(strings.TrimSpace(s))
	if err != nil {
		return raw
	}
	return json.RawMessage(strconv.Itoa(n))
}
