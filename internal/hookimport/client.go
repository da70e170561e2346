package hookimport

import "github.com/hookrun/hookrun/protocol"

// client is what an import must know of a client beside its dialect: which keys of its file say what hooks do, how its
// matchers are written, and in which ways its hooks are read differently, whatever they are.
type client struct {
	dialect *protocol.Dialect
	name    string

	// Keys of the document: the one that switches all hooks off, their variables, an object of switches, and what is
	// for hooks that cannot be carried anyway.
	off, env, switches string
	forOthers          []string

	carried []string // keys of a handler that are carried
	group   []string // keys of a group that are, beside matcher and hooks

	// A matcher of these characters alone is names with separators between them; "": every matcher is an expression.
	listed, separators string
	rust               bool // expressions are Rust's, as far as RE2 has them, and else JavaScript's
	trims              bool // blanks around a matcher do not count

	// otherWords: its hooks answer in words of their own, which an entry does not read. So what cannot be read must not
	// pass.
	otherWords bool

	notes []string
}

const letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_"

const (
	inTurn  = "here hooks run one after the other in the order of the file, and the first block ends the call; "
	written = "timeouts that the client gives by itself, and what it makes of a signal, a timeout or an " +
		"unreadable answer, are written out in the entries"
	ownWords = "where a hook gives no reason, the words are hookrun's own; "
	twice    = "the hooks are still in this file: when its client asks hookrun, take them out here, or each runs " +
		"twice"
	textIsSaid = "what a hook prints at exit 0, if it is no JSON, goes to the model here; "
)

func clientOf(d *protocol.Dialect) *client {
	for i := range clients {
		if clients[i].dialect == d {
			return &clients[i]
		}
	}
	return nil
}

var clients = []client{
	{
		dialect: protocol.ClaudeCode, name: "Claude Code",
		off: "disableAllHooks", env: "env", forOthers: []string{"allowedHttpHookUrls", "httpHookAllowedEnvVars"},
		carried: []string{"type", "command", "args", "shell", "if", "timeout", "onFailure", "async"},
		listed:  letters + "-|, ", separators: "|,",
		notes: []string{
			"before a tool every exit code but 0 blocks here; Claude Code takes 2 alone for that, and reads JSON " +
				"beside every code",
			inTurn + "Claude Code runs all of them at once, and equal ones once",
			ownWords + "an answer that Claude Code cannot use, with another event's name or none, counts here for " +
				"what it says",
			textIsSaid + "Claude Code shows it to nobody before and after a tool",
			"hooks run in the project's folder, also where the session has moved to another",
			written, twice,
		},
	},
	{
		dialect: protocol.Codex, name: "Codex",
		carried: []string{"type", "command", "timeout", "async"},
		listed:  letters + "|", separators: "|", rust: true,
		notes: []string{
			"before a tool every exit code but 0 blocks here; Codex takes 2 with a text on stderr for that, and lets " +
				"all others pass",
			ownWords + "an answer that Codex cannot use, for an unknown key, an allow alone, a deny without a reason " +
				"or a byte order mark, counts here for what it says, and so does one beside exit 2",
			inTurn + "Codex runs all of them at once",
			textIsSaid + "Codex drops it before and after a tool",
			written, twice,
		},
	},
	{
		dialect: protocol.Gemini, name: "Gemini CLI",
		switches: "hooksConfig",
		carried:  []string{"type", "command", "name", "timeout", "env"},
		group:    []string{"sequential"},
		trims:    true, otherWords: true,
		notes: []string{
			"before a tool every exit code but 0 blocks here, and the reason is what stands on stderr; Gemini CLI " +
				"takes the text on stdout first, lets exit 1 pass, all codes without a text, and those with a JSON " +
				"answer that allows",
			"JSON on stderr is no answer here; in Gemini CLI it is one, also beside exit 0",
			"hooks get hookrun's input, in which the events are called PreToolUse, PostToolUse and UserPromptSubmit",
			inTurn + "Gemini CLI asks all of them, and joins all reasons",
			textIsSaid + "Gemini CLI shows it to the user",
			written, twice,
		},
	},
}

// notCarried are the keys of a handler that are not carried, and why.
var notCarried = map[string]string{
	"statusMessage":          "it is shown to the user of the client while the hook runs",
	"description":            "it is for people",
	"once":                   "a hook runs at each call here, not only at the first of a session",
	"asyncRewake":            "here every hook is waited for",
	"rewakeMessage":          "here every hook is waited for",
	"rewakeSummary":          "here every hook is waited for",
	"holdsTools":             "here every hook holds its tool",
	"cloud":                  "there is no cloud here",
	"commandWindows":         "an entry has one command for all systems",
	"additionalContextLimit": "here a context may be as long as it likes",
}
