package lsp

import (
	"bytes"
	"context"
	"encoding/json"
	"log/slog"
	"maps"
	"reflect"
	"slices"

	"go.lsp.dev/jsonrpc2"
	"go.lsp.dev/protocol"

	"github.com/patchls/patchls/edits"
	"github.com/patchls/patchls/lsp/bounds"
	"github.com/patchls/patchls/lsp/commands"
	"github.com/patchls/patchls/lsp/rpc"
	"github.com/patchls/patchls/lsp/schema"
	"github.com/patchls/patchls/lsp/watch"
)

// settings are the client's wishes (docs/settings.md).
type settings struct {
	AdvertiseCommands     bool     `json:"advertise_commands"`
	AgentSocket           bool     `json:"agent_socket"`
	AllowOutsideWorkspace bool     `json:"allow_outside_workspace"`
	ProtectedPaths        []string `json:"protected_paths"`
	Match                 string   `json:"match"`
	SaveAfterEdit         string   `json:"save_after_edit"`
	Absorb                string   `json:"absorb"`
	Review                struct {
		CodeLens bool `json:"codeLens"`
	} `json:"review"` // how agents' changes are shown
	limits bounds.Limits
}

// The values of save_after_edit other than "never".
const (
	saveNew   = "new"   // a file that an edit makes is saved
	saveClean = "clean" // so is an edited file that had nothing unsaved before
)

// firstSettings returns the defaults, with the bounds that are given by name.
func firstSettings(given map[string]int64) *settings {
	set := &settings{
		AdvertiseCommands: true,
		AgentSocket:       true,
		ProtectedPaths:    []string{".git"},
		Match:             commands.MatchExact,
		SaveAfterEdit:     "never",
		Absorb:            watch.Merge,
		limits:            bounds.Defaults(),
	}
	set.Review.CodeLens = true
	for i := range bounds.All {
		if value, ok := given[bounds.All[i].Name]; ok {
			set.limits[i] = bounds.All[i].Allowed(value)
		}
	}
	return set
}

// readSettings returns a copy of base with the settings in raw. A key that is unknown or has a
// value of the wrong kind is logged and ignored, so that one mistake does not void the others;
// but an agent_socket of the wrong kind is taken for false.
func readSettings(base *settings, raw json.RawMessage, log *slog.Logger) *settings {
	copied := *base
	copied.ProtectedPaths = slices.Clone(base.ProtectedPaths) // json would write into base's
	set := &copied
	var given map[string]json.RawMessage
	if len(raw) == 0 {
		return set
	}
	if err := json.Unmarshal(raw, &given); err != nil {
		log.Warn("settings are no object, and ignored", "error", err)
		return set
	}
	known := map[string]any{}
	for _, m := range schema.Members(reflect.TypeOf(copied)) {
		known[m.Name] = reflect.ValueOf(set).Elem().FieldByIndex(m.Index).Addr().Interface()
	}
	for i := range bounds.All {
		if b := &bounds.All[i]; b.Setting {
			known[b.Name] = &set.limits[i]
		}
	}
	for _, key := range slices.Sorted(maps.Keys(given)) {
		dst, ok := known[key]
		if !ok {
			log.Warn("unknown setting, ignored", "setting", key, "nearest", edits.NearestName(key, slices.Sorted(maps.Keys(known))))
			continue
		}
		if bytes.Equal(given[key], []byte("null")) {
			continue
		}
		if err := json.Unmarshal(given[key], dst); err != nil {
			log.Warn("setting of the wrong kind, ignored", "setting", key, "error", err)
			if key == "agent_socket" {
				set.AgentSocket = false // a user who writes "no" does not mean yes
				log.Warn("no agents are let in", "setting", key)
			}
		}
	}
	set.limits.Correct(log)
	if set.Match != commands.MatchLenient {
		set.Match = commands.MatchExact
	}
	if !slices.Contains([]string{"never", saveNew, saveClean}, set.SaveAfterEdit) {
		log.Warn("setting of the wrong kind, ignored", "setting", "save_after_edit", "error", `it is none of "never", "new" and "clean"`)
		set.SaveAfterEdit = "never"
	}
	if !slices.Contains([]string{watch.Merge, watch.Ask, watch.Off}, set.Absorb) {
		log.Warn("setting of the wrong kind, ignored", "setting", "absorb", "error", `it is none of "merge", "ask" and "off"`)
		set.Absorb = watch.Merge
	}
	return set
}

// section is the name of the settings in a client's configuration.
const section = "patchls"

// didChangeConfiguration adopts the settings in the notification, or asks for them if the client
// only says that something changed.
func (s *server) didChangeConfiguration(params []byte) error {
	var p struct {
		Settings map[string]json.RawMessage `json:"settings"`
	}
	if err := json.Unmarshal(params, &p); err == nil && len(p.Settings[section]) > 0 {
		s.adopt(s.asked.Add(1), readSettings(s.initial, p.Settings[section], s.Log))
		s.updateEndpoint()
		return nil
	}
	if s.Editor().Configuration {
		s.Go(s.pullConfiguration)
	}
	return nil
}

// pullConfiguration asks the client for its settings.
func (s *server) pullConfiguration(ctx context.Context) {
	defer s.updateEndpoint()
	name, number := section, s.asked.Add(1)
	var answer jsonrpc2.RawMessage
	_, err := s.conn.Call(ctx, protocol.MethodWorkspaceConfiguration,
		&protocol.ConfigurationParams{Items: []protocol.ConfigurationItem{{Section: &name}}}, &answer)
	if err != nil {
		s.Log.Debug("no configuration", "error", err)
		return
	}
	var items []json.RawMessage
	if err := json.Unmarshal(answer, &items); err != nil || len(items) == 0 || bytes.Equal(items[0], []byte("null")) {
		return // the client has none: initializationOptions stay
	}
	s.adopt(number, readSettings(s.initial, items[0], s.Log))
}

// adopt makes set the settings of the server, unless later ones, of a higher number, are: an answer of the client may be read
// after a notification that came behind it.
func (s *server) adopt(number int64, set *settings) {
	s.adopting.Lock()
	defer s.adopting.Unlock()
	if number < s.adopted {
		return
	}
	s.adopted = number
	s.requests.In.Bound(set.limits[bounds.MaxMessageBytes])
	s.docs.LimitHistories(set.limits[bounds.MaxHistoryBytes])
	s.SetLimits(&set.limits)
	if was := s.settings.Swap(set); was.Review != set.Review && s.requests.Phase() != rpc.Created {
		s.refreshLenses()
	}
	s.patchDocs.Recheck()
}
