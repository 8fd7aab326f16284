package metamodel

import (
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
)

// faults says what is wrong with v, which stands at where, as a value of type k.
func (m *Model) faults(k *kind, v any, where string) []string {
	switch k.Kind {
	case "reference":
		// Any JSON is an LSPAny, as its alias spells out at length.
		switch k.Name {
		case "LSPAny":
			return nil
		case "LSPObject":
			return ifNot(isA[map[string]any](v), where, "an object", v)
		}
		if o := m.objects[k.Name]; o != nil {
			return m.objectFaults(o, k.Name, v, where)
		}
		return m.faults(m.types[k.Name], v, where)
	case "base":
		return k.baseFaults(v, where)
	case "array":
		items, ok := v.([]any)
		var found []string
		for i, item := range items {
			found = append(found, m.faults(k.Element, item, fmt.Sprintf("%s[%d]", where, i))...)
		}
		return append(found, ifNot(ok, where, "an array", v)...)
	case "tuple":
		items, ok := v.([]any)
		if !ok || len(items) != len(k.Items) {
			return ifNot(false, where, fmt.Sprintf("an array of %d", len(k.Items)), v)
		}
		var found []string
		for i, item := range items {
			found = append(found, m.faults(k.Items[i], item, fmt.Sprintf("%s[%d]", where, i))...)
		}
		return found
	case "map":
		entries, ok := v.(map[string]any)
		found := ifNot(ok, where, "an object", v)
		for _, name := range slices.Sorted(maps.Keys(entries)) {
			found = append(found, m.faults(k.to, entries[name], where+"."+name)...)
		}
		return found
	case "stringLiteral":
		return ifNot(v == k.text, where, strconv.Quote(k.text), v)
	case "literal":
		return m.objectFaults(k.object, "it", v, where)
	case "and":
		return m.objectFaults(m.joined(k.Items), "it", v, where)
	}
	return m.orFaults(k, v, where)
}

// orFaults gives what is wrong with the alternative that comes nearest.
func (m *Model) orFaults(k *kind, v any, where string) []string {
	var best []string
	for _, item := range k.Items {
		found := m.faults(item, v, where)
		if len(found) == 0 {
			return nil
		}
		// A value of an entirely different type is reported at the value itself.
		if best == nil || len(found) < len(best) || !strings.HasPrefix(found[0], where+": ") && strings.HasPrefix(best[0], where+": ") {
			best = found
		}
	}
	return best
}

func (m *Model) objectFaults(o *object, name string, v any, where string) []string {
	entries, ok := v.(map[string]any)
	if !ok {
		return ifNot(false, where, "an object", v)
	}
	var found []string
	for _, need := range o.needs {
		if _, has := entries[need]; !has {
			found = append(found, fmt.Sprintf("%s: %s needs %q", where, name, need))
		}
	}
	for _, entry := range slices.Sorted(maps.Keys(entries)) {
		p, known := o.members[entry]
		if !known {
			found = append(found, fmt.Sprintf("%s: %s has no %q", where, name, entry))
			continue
		}
		found = append(found, m.faults(p.Type, entries[entry], where+"."+entry)...)
	}
	slices.Sort(found)
	return found
}

// joined is the object that has the members of all of kinds.
func (m *Model) joined(kinds []*kind) *object {
	var members []member
	for _, k := range kinds {
		members = slices.AppendSeq(members, maps.Values(m.objects[k.Name].members))
	}
	return newObject(members)
}

func (k *kind) baseFaults(v any, where string) []string {
	n, number := v.(json.Number)
	s, isText := v.(string)
	var ok bool
	switch k.Name {
	case "null":
		ok = v == nil
	case "boolean":
		ok = isA[bool](v)
	case "decimal":
		ok = number
	case "integer", "uinteger":
		least := int64(math.MinInt32)
		if k.Name == "uinteger" {
			least = 0
		}
		i, err := strconv.ParseInt(n.String(), 10, 64)
		ok = number && err == nil && i >= least && i <= math.MaxInt32
	case "URI", "DocumentUri":
		scheme, _, has := strings.Cut(s, ":")
		ok = isText && has && scheme != ""
	default:
		ok = isText
	}
	if ok && k.allows != nil && !slices.ContainsFunc(k.allows, func(a any) bool { return fmt.Sprint(a) == fmt.Sprint(v) }) {
		return ifNot(false, where, fmt.Sprintf("one of %v", k.allows), v)
	}
	return ifNot(ok, where, k.Name, v)
}

func isA[T any](v any) bool {
	_, is := v.(T)
	return is
}

// ifNot says what v should have been unless it is so.
func ifNot(ok bool, where, want string, v any) []string {
	if ok {
		return nil
	}
	raw, err := json.Marshal(v)
	if err != nil {
		raw = []byte(fmt.Sprint(v))
	}
	if len(raw) > 60 {
		raw = append(raw[:60:60], "..."...)
	}
	return []string{fmt.Sprintf("%s: is %s, not %s", where, raw, want)}
}
