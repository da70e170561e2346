package codex

import (
	"slices"
	"strings"
	"time"

	"github.com/hookrun/hookrun/internal/dialect"
	"github.com/hookrun/hookrun/internal/spelling"
	"github.com/hookrun/hookrun/internal/strictjson"
	"github.com/hookrun/hookrun/internal/toml"
	"github.com/hookrun/hookrun/protocol"
)

const configFile = "config.toml"

var settings = &dialect.Settings{
	Client: "Codex", Folder: ".codex", Base: "hooks.json", Others: []string{configFile},
	FolderVariable: "CODEX_HOME",
	Top:            dialect.Schema("hooks object", "description string?"),
	About:          2,
	Closed:         true,
	Group:          dialect.Schema("matcher string?", "hooks any"),
	Common:         dialect.Schema("type string"),
	Handlers: []dialect.HandlerType{
		{Name: "command", Required: 1, Members: dialect.Schema(
			"command string", "commandWindows string?", "timeout number?", "async boolean",
			"statusMessage string?", "additionalContextLimit number?",
		), Kind: dialect.Runs},
		{Name: "mcp_tool", Required: 2, Members: dialect.Schema(
			"server string", "tool string", "input object", "timeout number?",
		)},
		{Name: "prompt", Members: dialect.Schema("prompt any", "model any")},
		{Name: "agent", Members: dialect.Schema("prompt any", "model any")},
	},
	Pattern: func(text, _ string) dialect.Pattern { return newPattern(text) },
	Timeout: dialect.TimeoutForm{
		Unit: time.Second, Name: "seconds", Whole: true, Zero: time.Second, Less: "milliseconds",
		Most: map[protocol.Event]time.Duration{"Interrupt": 3 * time.Second, "SessionEnd": 3 * time.Second},
	},
	Drops:      "; Codex drops the whole file for that",
	DropsGroup: "; Codex finds nothing to run there, without a word",
}

// format is that of config.toml. The tables under [hooks] are those of hooks.json in other letters: they are written as
// JSON, and each place in that is known by its place in the file. What else is in the file is Codex's.
var format = &dialect.Format{Extensions: []string{".toml"}, Read: readConfig}

func readConfig(doc string) (f dialect.File) {
	doc = strings.TrimPrefix(doc, "\ufeff")
	places := strictjson.Locator{Doc: doc}
	say := func(offset int, text string, warning bool) {
		d := dialect.Diagnostic{Text: text, Warning: warning}
		d.Line, d.Column = places.Position(offset)
		f.Diagnostics = append(f.Diagnostics, d)
	}
	if at := strictjson.InvalidUTF8(doc); at >= 0 {
		say(at, "parsing: not UTF-8; save the file as UTF-8", false)
		return f
	}
	top, err := toml.Parse(doc)
	if fault, ok := err.(toml.Fault); ok {
		say(fault.Offset, "parsing: "+fault.Text, false)
		return f
	}
	for _, m := range top.Members {
		if m.Key == "hooks" {
			continue
		}
		f.Others = append(f.Others, m.Key)
		if hint := spelling.Suggest(m.Key, []string{"hooks"}); hint != "" {
			say(m.Offset, "unknown field "+spelling.Quote(m.Key)+", which is passed over"+hint, true)
		}
	}
	hooks := top.Get("hooks")
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
	text, from, err := hooks.AppendJSON([]byte(`{"hooks":`), nil)
	if fault, ok := err.(toml.Fault); ok {
		say(fault.Offset, fault.Text, false)
		return f
	}
	f.JSON, f.From = string(text)+"}", from
	return f
}
