package headless

import (
	"encoding/json"
	"strings"
)

// configuration answers workspace/configuration: Settings is the section
// "patchls"; everything else is not configured.
func (e *Editor) configuration(params json.RawMessage) (any, error) {
	var p struct {
		Items []struct {
			Section string `json:"section"`
		} `json:"items"`
	}
	if err := json.Unmarshal(params, &p); err != nil {
		return nil, badParams("workspace/configuration", err)
	}
	values := make([]any, len(p.Items))
	for i, item := range p.Items {
		values[i] = e.section(item.Section)
	}
	return values, nil
}

// section returns the value at a dotted name, nil if there is none.
func (e *Editor) section(name string) any {
	if e.opts.Settings == nil {
		return nil
	}
	var at any = map[string]any{"patchls": e.opts.Settings}
	if name == "" {
		return at
	}
	for key := range strings.SplitSeq(name, ".") {
		m, _ := at.(map[string]any)
		at = m[key]
	}
	return at
}
