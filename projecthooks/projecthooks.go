package projecthooks

import (
	"github.com/hookrun/hookrun/hooks"
	"github.com/hookrun/hookrun/internal/clients/parts"
	"github.com/hookrun/hookrun/internal/core/hookfile/host"
	"github.com/hookrun/hookrun/internal/trust"
)

// The types are those of package hooks.
type (
	// LoadOptions say which hooks files Load reads. The zero value reads all scopes.
	LoadOptions = hooks.LoadOptions
	// Config is the hooks of one or more files, in order. A nil or zero Config was never loaded: no Runner takes it.
	Config = hooks.Config
	// HookInfo describes a hook of a file, or a hook that is a Go function.
	HookInfo = hooks.HookInfo
	// Diagnostic is one error or warning at a position in a file.
	Diagnostic = hooks.Diagnostic
	// Diagnostics are all errors of a Load, one a line. errors.Is and errors.As find each of them.
	Diagnostics = hooks.Diagnostics
)

// Empty is a Config without hooks, for a program without hooks files.
var Empty *Config = all.Empty()

// all knows all clients, rules and packs, sends requests, and checks trust.
var all = hooks.Loader{Parts: []hooks.Part{hooks.Part(host.NewPart(func(p *host.Parts) {
	p.Parts, p.Trust = parts.All(), trust.Check
}))}}

// Load reads the hooks of the project of dir; "" is the current folder. The project is the nearest folder upwards with
// a `.tenex-hooks.json` or `.tenex-hooks.local.json`, but not above dir's git repository or the home folder. The hooks
// of the machine and of the user come first. A missing file has no hooks.
//
// Errors in files are returned as Diagnostics, with the errors of all files. If the error is not nil, run no tool: no
// hook could block one.
func Load(dir string, o LoadOptions) (*Config, error) { return all.Load(dir, o) }

// Parse reads the text of one hooks file, for tests and for programs that keep hooks elsewhere. Diagnostics show the
// name, and its extension tells MassGen's YAML and Codex's TOML from JSON.
func Parse(name string, text []byte) (*Config, error) { return all.Parse(name, text) }
