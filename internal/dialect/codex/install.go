package codex

import (
	"fmt"

	"github.com/hookrun/hookrun/internal/dialect"
	"github.com/hookrun/hookrun/internal/toml"
	"github.com/hookrun/hookrun/protocol"
)

var install = &dialect.Installation{
	Events:       []string{"UserPromptSubmit", "PreToolUse", "PostToolUse"},
	WindowsShell: dialect.PowerShell,
	JSON:         dialect.WithoutMark,
	Note: "Codex runs a hook only when its user has trusted the project and the hook, and asks again when the entry " +
		"changes: start codex and look at /hooks; until then codex exec runs each call without the hook and without " +
		"a word",
	Unseen: []dialect.Unseen{
		{What: "runs write_stdin without a hook", Event: protocol.PreTool, Tools: []string{"shell"}},
		{What: "shows what a command that runs on has printed so far without a hook",
			Event: protocol.PostTool, Tools: []string{"shell"}},
	},
	Program:   "codex",
	Versions:  []string{"0.169.0"},
	Variables: []string{"CODEX_SANDBOX", "CODEX_THREAD_ID"},
	Installer: installer{},
}

// installer is the code of install, with the defaults of dialect.BaseInstaller.
type installer struct{ dialect.BaseInstaller }

// Switches: the switch is in config.toml, under an old name and a new one. No JSON is TOML.
func (installer) Switches(doc string) (found []dialect.Switch) {
	top, err := toml.Parse(doc)
	if err != nil || top.Get("features") == nil {
		return nil
	}
	for _, key := range []string{"hooks", "codex_hooks"} {
		if v := top.Get("features").Get(key); v != nil && v.Kind == toml.Bool {
			found = append(found, dialect.Switch{
				Name: "features." + key, Off: v.Text == "false",
				What: fmt.Sprintf("features.%s is false, so Codex runs no hook", key),
				Mend: fmt.Sprintf("take %s out of [features] in that file", key),
			})
		}
	}
	return found
}

func (installer) TrustAnew() string { return "have Codex trust the entry anew" }

func (installer) Servers(w dialect.Where, _ func(path string) string) []dialect.ServerFile {
	return files.ServerFiles(w, configFile, servers)
}

func servers(doc string) (all []dialect.Server) {
	top, err := toml.Parse(doc)
	if err != nil || top.Get("mcp_servers") == nil {
		return nil
	}
	for _, m := range top.Get("mcp_servers").Members {
		s := dialect.Server{Name: m.Key, At: m.Offset}
		if v := m.Value.Get("command"); v != nil && v.Kind == toml.String {
			s.Line = append(s.Line, v.Text)
		}
		if v := m.Value.Get("args"); v != nil {
			for _, a := range v.Items {
				s.Line = append(s.Line, a.Text)
			}
		}
		v := m.Value.Get("enabled")
		s.Off = v != nil && v.Text == "false"
		all = append(all, s)
	}
	return all
}
