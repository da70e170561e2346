package hookfile

import (
	"path/filepath"
	"slices"
	"strings"

	"github.com/tidwall/gjson"

	"github.com/hookrun/hookrun/internal/spelling"
	"github.com/hookrun/hookrun/internal/toml"
)

// isCodexConfig reports whether a file is a config.toml of Codex, of which the tables under [hooks] are read.
func isCodexConfig(path string) bool { return strings.EqualFold(filepath.Ext(path), ".toml") }

// codexConfig reads the hooks of a config.toml, which are those of a hooks.json in other letters: they are written as JSON, and each
// place in that is known by its place in the file. What else is in the file is Codex's.
func (p *parser) codexConfig() {
	top, err := toml.Parse(p.doc)
	if fault, ok := err.(toml.Fault); ok {
		p.problem(fault.Offset, "parsing: %s", fault.Text)
		return
	}
	for _, m := range top.Members {
		if hint := spelling.Suggest(m.Key, []string{"hooks"}); hint != "" && m.Key != "hooks" {
			p.warn(m.Offset, "unknown field %s, which is passed over%s", quote(m.Key), hint)
		}
	}
	hooks := top.Get("hooks")
	if hooks == nil {
		hooks = &toml.Value{Kind: toml.Table}
	}
	// What Codex notes about hooks, as their hashes, stands beside the events.
	hooks.Members = slices.DeleteFunc(hooks.Members, func(m toml.Member) bool { return m.Key == "state" })
	const head = `{"hooks":`
	doc, from, err := hooks.AppendJSON([]byte(head), nil)
	if fault, ok := err.(toml.Fault); ok {
		p.problem(fault.Offset, "%s", fault.Text)
		return
	}
	p.doc, p.from, p.form, p.drops = string(doc)+"}", from, codexForm, ""
	p.clientFile(gjson.Parse(p.doc))
}
