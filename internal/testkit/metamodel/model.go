// Package metamodel checks messages against the meta-model of the Language Server
// Protocol: the method and its direction, the types, and the members that are required or
// not allowed.
//
// It knows nothing of a server: it reads messages, and says what is wrong with them.
package metamodel

import (
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
)

// ErrAbsent says that the meta-model is not at hand, so that nothing is checked.
var ErrAbsent = errors.New("the meta-model of LSP is not at hand, so messages are not held against it")

// Variable names the environment variable that says where the meta-model is.
const Variable = "PATCHLS_METAMODEL"

// Place is where the meta-model is kept, from the repository's root.
const Place = "../shared/lsp/metaModel.json"

// own has the methods patchls/..., in the words of the meta-model.
//
//go:embed own.json
var own []byte

// Model is a meta-model. It does not change, and may be used concurrently.
type Model struct {
	methods map[string]*method
	types   map[string]*kind // aliases and enumerations, by name
	objects map[string]*object
}

// method is a request or a notification.
type method struct {
	Method       string `json:"method"`
	Direction    string `json:"messageDirection"`
	Params       *kind  `json:"params"`
	Result       *kind  `json:"result"`
	Registration *kind  `json:"registrationOptions"`

	request bool
}

// kind is a type, as the meta-model has it.
type kind struct {
	Kind    string          `json:"kind"`
	Name    string          `json:"name"`
	Items   []*kind         `json:"items"`
	Element *kind           `json:"element"`
	Key     *kind           `json:"key"`
	Value   json.RawMessage `json:"value"`

	to     *kind   // of a map: the values
	text   string  // of a stringLiteral
	object *object // of a literal
	allows []any   // of an enumeration: strings or numbers; nil if others may come
}

// object is a structure, the members of what it extends and mixes in included.
type object struct {
	members map[string]member
	needs   []string
}

type member struct {
	Name     string `json:"name"`
	Type     *kind  `json:"type"`
	Optional bool   `json:"optional"`
}

// Load reads the meta-model of LSP from a file and adds the methods of patchls. The
// environment's PATCHLS_METAMODEL goes before path. If there is no such file, the error
// is [ErrAbsent].
func Load(path string) (*Model, error) {
	if named := os.Getenv(Variable); named != "" {
		path = named
	}
	raw, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%w: there is no %s; %s may name another file", ErrAbsent, path, Variable)
	}
	if err != nil {
		return nil, err
	}
	return Parse(raw, own)
}

// Parse reads meta-models that complete one another.
func Parse(parts ...[]byte) (*Model, error) {
	m := &Model{methods: map[string]*method{}, types: map[string]*kind{}, objects: map[string]*object{}}
	structures := map[string]structure{}
	for _, raw := range parts {
		var p part
		if err := json.Unmarshal(raw, &p); err != nil {
			return nil, fmt.Errorf("meta-model: %w", err)
		}
		for _, r := range p.Requests {
			r.request = true
			m.methods[r.Method] = r
		}
		for _, n := range p.Notifications {
			m.methods[n.Method] = n
		}
		for _, a := range p.Aliases {
			m.types[a.Name] = a.Type
		}
		for _, e := range p.Enumerations {
			m.types[e.Name] = e.kind()
		}
		for _, s := range p.Structures {
			structures[s.Name] = s
		}
	}
	for name, s := range structures {
		m.objects[name] = newObject(s.all(structures))
	}
	err := m.settle(structures)
	return m, err
}

type part struct {
	Requests      []*method     `json:"requests"`
	Notifications []*method     `json:"notifications"`
	Structures    []structure   `json:"structures"`
	Enumerations  []enumeration `json:"enumerations"`
	Aliases       []struct {
		Name string `json:"name"`
		Type *kind  `json:"type"`
	} `json:"typeAliases"`
}

type structure struct {
	Name       string   `json:"name"`
	Extends    []*kind  `json:"extends"`
	Mixins     []*kind  `json:"mixins"`
	Properties []member `json:"properties"`
}

// all returns the members of s, its own last, so that they override inherited ones with
// the same name.
func (s structure) all(of map[string]structure) []member {
	var members []member
	for _, from := range [][]*kind{s.Extends, s.Mixins} {
		for _, k := range from {
			members = append(members, of[k.Name].all(of)...)
		}
	}
	return append(members, s.Properties...)
}

func newObject(members []member) *object {
	o := &object{members: map[string]member{}}
	for _, p := range members {
		o.members[p.Name] = p
	}
	for name, p := range o.members {
		if !p.Optional {
			o.needs = append(o.needs, name)
		}
	}
	return o
}

type enumeration struct {
	Name   string `json:"name"`
	Type   *kind  `json:"type"`
	Custom bool   `json:"supportsCustomValues"`
	Values []struct {
		Value any `json:"value"`
	} `json:"values"`
}

func (e enumeration) kind() *kind {
	k := *e.Type
	if !e.Custom {
		for _, v := range e.Values {
			k.allows = append(k.allows, v.Value)
		}
	}
	return &k
}

// settle decodes the values of types, and checks that all names are known.
func (m *Model) settle(structures map[string]structure) error {
	var walk func(k *kind) error
	walk = func(k *kind) error {
		if k == nil {
			return nil
		}
		var err error
		switch k.Kind {
		case "base", "array", "or", "and", "tuple":
		case "reference":
			if m.types[k.Name] == nil && m.objects[k.Name] == nil {
				err = fmt.Errorf("meta-model: nothing is called %s", k.Name)
			}
		case "stringLiteral":
			err = json.Unmarshal(k.Value, &k.text)
		case "map":
			if k.to == nil {
				k.to = new(kind)
				err = errors.Join(json.Unmarshal(k.Value, k.to), walk(k.to))
			}
		case "literal":
			var s structure
			if err = json.Unmarshal(k.Value, &s); err == nil {
				k.object = newObject(s.Properties)
				for _, p := range s.Properties {
					err = errors.Join(err, walk(p.Type))
				}
			}
		default:
			err = fmt.Errorf("meta-model: a kind of type that is not known: %q", k.Kind)
		}
		for _, inner := range append([]*kind{k.Element, k.Key}, k.Items...) {
			err = errors.Join(err, walk(inner))
		}
		return err
	}
	var err error
	for _, r := range m.methods {
		err = errors.Join(err, walk(r.Params), walk(r.Result), walk(r.Registration))
	}
	for k := range maps.Values(m.types) {
		err = errors.Join(err, walk(k))
	}
	for _, s := range structures {
		for _, p := range s.Properties {
			err = errors.Join(err, walk(p.Type))
		}
	}
	return err
}
