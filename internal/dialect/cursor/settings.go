package cursor

import (
	"strings"
	"time"

	"github.com/hookrun/hookrun/internal/dialect"
	"github.com/hookrun/hookrun/internal/jsregexp"
)

var settings = &dialect.Settings{
	Client: "Cursor", Folder: ".cursor", Base: "hooks.json",
	Top:         []dialect.Field{"version number", "hooks object"},
	About:       2,
	Flat:        true,
	DefaultType: "command",
	Common: []dialect.Field{"type string", "timeout number", "matcher string", "loop_limit number?",
		"failClosed boolean"},
	Handlers: []dialect.HandlerType{
		{Name: "command", Required: 1, Members: []dialect.Field{"command string"}, Kind: dialect.Runs},
		{Name: "prompt", Required: 1, Members: []dialect.Field{"prompt string", "model string?"}},
	},
	Pattern:         newPattern,
	Timeout:         dialect.TimeoutForm{Unit: time.Second, Name: "seconds", Less: "milliseconds"},
	FolderVariables: []string{"CURSOR_PROJECT_DIR", "CLAUDE_PROJECT_DIR"},
	Drops:           "; Cursor may drop the whole file for that",
}

// newPattern reads a matcher: a regular expression, found anywhere. Without more, or as *, it is everything.
func newPattern(text, _ string) dialect.Pattern {
	p := dialect.Pattern{Text: text, Word: strings.TrimSpace(text)}
	if p.Word != "" && p.Word != "*" {
		p.JavaScript, p.Err = jsregexp.Compile(p.Word)
		p.Unread = p.Err != nil // the client may read it
	}
	return p
}
