package hookfile

import (
	"cmp"
	"path/filepath"
	"strconv"
	"sync"
	"time"

	"github.com/tidwall/gjson"

	"github.com/hookrun/hookrun/internal/dialect"
	"github.com/hookrun/hookrun/internal/dialect/claude"
	"github.com/hookrun/hookrun/internal/dialect/codex"
	"github.com/hookrun/hookrun/internal/dialect/gemini"
	"github.com/hookrun/hookrun/internal/spelling"
	"github.com/hookrun/hookrun/protocol"
)

// form is how a client writes its hooks file: {"hooks": {EVENT: [{"matcher": …, "hooks": [HANDLER, …]}, …]}}. Claude Code began it,
// and others took it over with fields, units and a strictness of their own. All that differs is here; one reader reads them all.
type form struct {
	dialect *dialect.Dialect
	client  string // as messages name it
	folder  string // a file that lies in such a folder is in this form, whatever is in it

	// top are the fields of the document, the first about of them those about hooks. Where others belong to the client, only
	// what comes near one of these is worth a warning; closed: the client takes no others.
	top    []member
	about  int
	closed bool
	// switches are what stands under "hooksConfig", nil: there is no such field.
	switches []member

	group    []member
	common   []member // fields of handlers of every type
	handlers []handlerType

	pattern func(text, subject string) clientMatcher // subject is the field that it is held against
	timeout timeoutForm
	bash    bool // it runs command lines with bash, not with sh
	byPath  bool // it calls the shell by its full path
	expand  bool // $NAME in a text of the file stands for a variable
	plugins bool // a hooks.json may be a plugin's, with folders of its own

	variables []string // that hooks are given, and that the client writes into the text of a command as $NAME

	// What the client does with a file that has a fault, for messages; with one at an event, and in a group without hooks.
	drops       string
	dropsAt     func(protocol.Event) string // nil: the same
	dropsAGroup string                      // "": the same

	once      sync.Once
	names     []string         // of its events
	canonical []protocol.Event // the same moments
}

// member is a field of an object, and its type as package jsontype names it; with a ? null is as good as none.
type member struct{ key, is string }

// handlerType is a type of handler: its own fields, those it must have first, and the fields that equal hooks have in common.
type handlerType struct {
	name     string
	required int
	members  []member
	same     []string // nil: it is equal to none
	does     deed
}

// deed is what becomes of a handler.
type deed int

const (
	unsupported deed = iota // it needs a model or a client
	runs
	posts
)

// timeoutForm is how a timeout is written.
type timeoutForm struct {
	unit  time.Duration
	name  string        // of the unit
	less  string        // the unit that is meant by a number of more than an hour
	more  string        // the unit that is meant by a number of less than a second; "": none
	whole bool          // there are no fractions
	zero  time.Duration // what 0 stands for; 0: it is an error
	most  map[protocol.Event]time.Duration
}

// forms are all of them; the first is that of a file which no folder claims.
func forms() []*form { return []*form{claudeForm, codexForm, geminiForm} }

var claudeForm = &form{
	dialect: claude.Dialect, client: "Claude Code", folder: ".claude",
	// The top-level fields whose type the client checks. It discards a file for any that is wrong.
	top: []member{
		{"hooks", "any"}, {"disableAllHooks", "boolean"}, {"env", "object"}, {"allowedHttpHookUrls", "strings"}, {"httpHookAllowedEnvVars", "strings"},
		{"allowManagedHooksOnly", "boolean"}, {"permissions", "object"}, {"model", "string"}, {"apiKeyHelper", "string"}, {"cleanupPeriodDays", "number"},
		{"includeCoAuthoredBy", "boolean"}, {"attribution", "object"}, {"statusLine", "object"}, {"outputStyle", "string"}, {"language", "string"},
		{"forceLoginMethod", "string"}, {"enableAllProjectMcpServers", "boolean"}, {"enabledMcpjsonServers", "strings"},
		{"disabledMcpjsonServers", "strings"}, {"enabledPlugins", "object"}, {"extraKnownMarketplaces", "object"}, {"sandbox", "object"},
		{"alwaysThinkingEnabled", "boolean"}, {"spinnerTipsEnabled", "boolean"}, {"companyAnnouncements", "strings"}, {"availableModels", "strings"},
		{"awsAuthRefresh", "string"}, {"awsCredentialExport", "string"}, {"effortLevel", "string"},
	},
	about:  5,
	group:  []member{{"matcher", "string"}, {"hooks", "any"}},
	common: []member{{"type", "string"}, {"if", "string"}, {"timeout", "number"}, {"statusMessage", "string"}, {"once", "boolean"}},
	handlers: []handlerType{
		{"command", 1, []member{{"command", "string"}, {"args", "strings"}, {"shell", "bash|powershell"}, {"onFailure", "continue|block"}, {"async", "boolean"},
			{"asyncRewake", "boolean"}, {"rewakeMessage", "string"}, {"rewakeSummary", "string"}, {"holdsTools", "any"}, {"cloud", "device|skip"}},
			[]string{"command", "args", "if"}, runs},
		{"http", 1, []member{{"url", "string"}, {"headers", "object"}, {"allowedEnvVars", "strings"}, {"onFailure", "continue|block"}, {"cloud", "device|skip"}},
			[]string{"url", "if"}, posts},
		{"mcp_tool", 2, []member{{"server", "string"}, {"tool", "string"}, {"input", "object"}, {"onFailure", "any"}}, nil, unsupported},
		{"prompt", 1, []member{{"prompt", "string"}, {"model", "string"}, {"continueOnBlock", "boolean"}}, nil, unsupported},
		{"agent", 1, []member{{"prompt", "string"}, {"model", "string"}}, nil, unsupported},
	},
	pattern: func(text, _ string) clientMatcher { return NewPattern(text) },
	timeout: timeoutForm{unit: time.Second, name: "seconds", less: "milliseconds"},
	byPath:  true,
	plugins: true,
	drops:   claudeDrops,
	dropsAt: func(e protocol.Event) string {
		if e == "PreToolUse" || e == "PermissionRequest" {
			return claudeDrops
		}
		return "; Claude Code drops this entry for that, without a word"
	},
}

const claudeDrops = "; Claude Code drops the whole file for that, without a word"

var codexForm = &form{
	dialect: codex.Dialect, client: "Codex", folder: ".codex",
	top:    []member{{"hooks", "object"}, {"description", "string?"}},
	about:  2,
	closed: true,
	group:  []member{{"matcher", "string?"}, {"hooks", "any"}},
	common: []member{{"type", "string"}},
	handlers: []handlerType{
		{"command", 1, []member{{"command", "string"}, {"commandWindows", "string?"}, {"timeout", "number?"}, {"async", "boolean"},
			{"statusMessage", "string?"}, {"additionalContextLimit", "number?"}}, nil, runs},
		{"mcp_tool", 2, []member{{"server", "string"}, {"tool", "string"}, {"input", "object"}, {"timeout", "number?"}}, nil, unsupported},
		{"prompt", 0, []member{{"prompt", "any"}, {"model", "any"}}, nil, unsupported},
		{"agent", 0, []member{{"prompt", "any"}, {"model", "any"}}, nil, unsupported},
	},
	pattern: func(text, _ string) clientMatcher { return newCodexPattern(text) },
	timeout: timeoutForm{unit: time.Second, name: "seconds", whole: true, zero: time.Second, less: "milliseconds",
		most: map[protocol.Event]time.Duration{"Interrupt": 3 * time.Second, "SessionEnd": 3 * time.Second}},
	drops:       "; Codex drops the whole file for that",
	dropsAGroup: "; Codex finds nothing to run there, without a word",
}

var geminiForm = &form{
	dialect: gemini.Dialect, client: "Gemini CLI", folder: ".gemini",
	top:   []member{{"hooks", "any"}, {"hooksConfig", "object"}},
	about: 2,
	// The list and the switch once stood under "hooks".
	switches: []member{{"enabled", "boolean"}, {"disabled", "strings"}, {"notifications", "boolean"}},
	group:    []member{{"matcher", "string?"}, {"sequential", "boolean"}, {"hooks", "any"}},
	common:   []member{{"type", "string"}, {"name", "string"}, {"description", "string"}, {"timeout", "number"}, {"env", "object"}},
	handlers: []handlerType{
		{"command", 1, []member{{"command", "string"}}, []string{"name", "command"}, runs},
	},
	pattern: func(text, subject string) clientMatcher { return newGeminiPattern(text, subject == "tool_name") },
	timeout: timeoutForm{unit: time.Millisecond, name: "milliseconds", less: "microseconds", more: "seconds"},
	bash:    true,
	expand:  true,

	variables: []string{"GEMINI_PROJECT_DIR", "GEMINI_CWD", "GEMINI_SESSION_ID", "GEMINI_PLANS_DIR", "CLAUDE_PROJECT_DIR"},
}

// formOf finds the form of a file; nil: it is not in a client's form. Its place says so or, wherever it lies, that its "hooks" is an
// object; that one names no client, so as counts then, and without it the file is Claude Code's, as one without any hooks is by its name.
func formOf(path string, as string, hooks gjson.Result) *form {
	placed := formOfFolder(path)
	name := filepath.Base(path)
	if placed == nil && !hooks.IsObject() && (hooks.IsArray() || name != "settings.json" && name != "settings.local.json" && name != "hooks.json") {
		return nil
	}
	for _, f := range forms() {
		if as == f.dialect.Name {
			return f
		}
	}
	return cmp.Or(placed, claudeForm)
}

// formOfFolder finds the form that a file has by the folder that it lies in, nil if that says nothing.
func formOfFolder(path string) *form {
	absolute, err := filepath.Abs(path)
	if err != nil {
		return nil
	}
	folder := filepath.Base(filepath.Dir(absolute))
	for _, f := range forms() {
		if f.folder == folder {
			return f
		}
	}
	return nil
}

// events are the names of the client's events: a file can have a hundred thousand wrong ones to compare with them.
func (f *form) events() []string {
	f.once.Do(func() {
		for _, e := range f.dialect.Events() {
			f.names = append(f.names, string(e))
			f.canonical = append(f.canonical, e.Canonical())
		}
	})
	return f.names
}

// meant says which event may be meant by a name that is none of the client's: one that comes near, or another's for the same moment.
func (f *form) meant(event protocol.Event) string {
	if hint := spelling.Suggest(string(event), f.events()); hint != "" {
		return hint
	}
	canonical := event.Canonical()
	for i, name := range f.names {
		if f.canonical[i] == canonical {
			return "; did you mean " + strconv.Quote(name) + "?"
		}
	}
	return ""
}
