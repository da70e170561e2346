package codex

import (
	"slices"
	"time"

	"github.com/hookrun/hookrun/internal/dialect"
	"github.com/hookrun/hookrun/internal/toml"
	"github.com/hookrun/hookrun/protocol"
)

const configFile = "config.toml"

var settings = &dialect.Settings{
	Client: "Codex", Folder: ".codex", Base: "hooks.json", Others: []string{configFile},
	FolderVariable: "CODEX_HOME",
	Top:            []dialect.Field{"hooks object", "description string?"},
	About:          2,
	Closed:         true,
	Group:          []dialect.Field{"matcher string?", "hooks any"},
	Common:         []dialect.Field{"type string"},
	Handlers: []dialect.HandlerType{
		{Name: "command", Required: 1, Members: []dialect.Field{
			"command string", "commandWindows string?", "timeout number?", "async boolean",
			"statusMessage string?", "additionalContextLimit number?",
		}, Kind: dialect.Runs},
		{Name: "mcp_tool", Required: 2, Members: []dialect.Field{
			"server string", "tool string", "input object", "timeout number?",
		}},
		{Name: "prompt", Members: []dialect.Field{"prompt any", "model any"}},
		{Name: "agent", Members: []dialect.Field{"prompt any", "model any"}},
	},
	Pattern: func(text, _ string) dialect.Pattern { return newPattern(text) },
	Timeout: dialect.TimeoutForm{
		Unit: time.Second, Name: "seconds", Whole: true, Zero: time.Second, Less: "milliseconds",
		Most: func(e protocol.Event) time.Duration {
			if e == "Interrupt" || e == "SessionEnd" {
				return 3 * time.Second
			}
			return 0
		},
	},
	Drops:      "; Codex drops the whole file for that",
	DropsGroup: "; Codex finds nothing to run there, without a word",
}

// format is that of config.toml. The tables under [hooks] are those of hooks.json in other letters: they are written as
// JSON, and each place in that is known by its place in the file. What else is in the file is Codex's.
var format = &dialect.Format{Extensions: []string{".toml"}, Read: readConfig}

func readConfig(doc string) dialect.File {
	f := dialect.ReadTOML(doc)
	if f.Top == nil {
		return f.File
	}
	hooks := f.Top.Get("hooks")
	if hooks == nil {
		hooks = &toml.Value{Kind: toml.Table}
	}
	// What Codex notes about hooks, as their hashes, stands beside the events.
	hooks.Members = slices.DeleteFunc(hooks.Members, func(m toml.Member) bool {
		if m.Key == "state" {
			f.Others = append(f.Others, "hooks.state")
		}
		return m.Key == "state"
	})
	return f.WithHooks(hooks)
}
