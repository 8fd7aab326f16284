package lsp

import (
	"bytes"
	"context"
	"encoding/json"
	"maps"
	"slices"

	"go.lsp.dev/jsonrpc2"
	"go.lsp.dev/protocol"

	"github.com/patchls/patchls/edits"
)

// settings are the client's wishes (contract 5).
type settings struct {
	AdvertiseCommands     bool     `json:"advertise_commands"`
	AgentSocket           bool     `json:"agent_socket"`
	AllowOutsideWorkspace bool     `json:"allow_outside_workspace"`
	ProtectedPaths        []string `json:"protected_paths"`
	ApplyTimeoutMS        int      `json:"apply_timeout_ms"`
	MaxDocumentBytes      int64    `json:"max_document_bytes"`
	Match                 string   `json:"match"`
}

// futureSettings are in the contract, and say nothing to this server yet.
var futureSettings = []string{"review"}

func defaultSettings() *settings {
	return &settings{
		AdvertiseCommands: true,
		AgentSocket:       true,
		ProtectedPaths:    []string{".git"},
		ApplyTimeoutMS:    8000,
		MaxDocumentBytes:  64 << 20,
		Match:             matchExact,
	}
}

// readSettings returns base, which it does not change, with what raw says. A key that is unknown
// or has a value of the wrong kind is logged and ignored, so that one slip does
// not take the others with it; but a door that somebody wrote of is not left open.
func (s *server) readSettings(base *settings, raw json.RawMessage) *settings {
	copied := *base
	copied.ProtectedPaths = slices.Clone(base.ProtectedPaths) // json would write into base's
	set := &copied
	var given map[string]json.RawMessage
	if len(raw) == 0 || bytes.Equal(raw, []byte("null")) {
		return set
	}
	if err := json.Unmarshal(raw, &given); err != nil {
		s.log.Warn("settings are no object, and ignored", "error", err)
		return set
	}
	known := map[string]any{
		"advertise_commands":      &set.AdvertiseCommands,
		"agent_socket":            &set.AgentSocket,
		"allow_outside_workspace": &set.AllowOutsideWorkspace,
		"protected_paths":         &set.ProtectedPaths,
		"apply_timeout_ms":        &set.ApplyTimeoutMS,
		"max_document_bytes":      &set.MaxDocumentBytes,
		"match":                   &set.Match,
	}
	names := append(slices.Sorted(maps.Keys(known)), futureSettings...)
	for _, key := range slices.Sorted(maps.Keys(given)) {
		dst, ok := known[key]
		if !ok {
			if !slices.Contains(futureSettings, key) {
				s.log.Warn("unknown setting, ignored", "setting", key, "nearest", edits.NearestName(key, names))
			}
			continue
		}
		if bytes.Equal(given[key], []byte("null")) {
			continue
		}
		err := json.Unmarshal(given[key], dst)
		switch {
		case err != nil && key == "agent_socket":
			set.AgentSocket = false // whoever writes "no" does not mean yes
			s.log.Warn("setting is neither true nor false, so no agents are let in", "setting", key, "error", err)
		case err != nil:
			s.log.Warn("setting of the wrong kind, ignored", "setting", key, "error", err)
		}
	}
	set.clamp()
	return set
}

// clamp keeps the bounds bounds.
func (set *settings) clamp() {
	def := defaultSettings()
	if set.ApplyTimeoutMS <= 0 {
		set.ApplyTimeoutMS = def.ApplyTimeoutMS
	}
	if set.Match != matchLenient {
		set.Match = matchExact
	}
	if set.MaxDocumentBytes <= 0 {
		set.MaxDocumentBytes = def.MaxDocumentBytes
	}
}

// section is the name of the settings in a client's configuration.
const section = "patchls"

// didChangeConfiguration takes the settings along, or asks for them where the
// client only says that something changed.
func (s *server) didChangeConfiguration(params []byte) error {
	var p struct {
		Settings map[string]json.RawMessage `json:"settings"`
	}
	if err := json.Unmarshal(params, &p); err == nil && len(p.Settings[section]) > 0 {
		s.settings.Store(s.readSettings(s.initial, p.Settings[section]))
		s.tendDoor()
		return nil
	}
	if s.client.Load().configuration {
		s.spawn(s.pullConfiguration)
	}
	return nil
}

// pullConfiguration asks the client for its settings.
func (s *server) pullConfiguration(ctx context.Context) {
	defer s.tendDoor()
	name := section
	var answer jsonrpc2.RawMessage
	_, err := s.conn.Call(ctx, protocol.MethodWorkspaceConfiguration,
		&protocol.ConfigurationParams{Items: []protocol.ConfigurationItem{{Section: &name}}}, &answer)
	if err != nil {
		s.log.Debug("no configuration", "error", err)
		return
	}
	var items []json.RawMessage
	if err := json.Unmarshal(answer, &items); err != nil || len(items) == 0 || bytes.Equal(items[0], []byte("null")) {
		return // the client has none: initializationOptions stay
	}
	s.settings.Store(s.readSettings(s.initial, items[0]))
}
