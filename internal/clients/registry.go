// Package clients lists all clients and protocols: the set that the binary links.
package clients

import (
	"github.com/hookrun/hookrun/internal/clients/acs"
	"github.com/hookrun/hookrun/internal/clients/antigravity"
	"github.com/hookrun/hookrun/internal/clients/claude"
	"github.com/hookrun/hookrun/internal/clients/client"
	"github.com/hookrun/hookrun/internal/clients/cline"
	"github.com/hookrun/hookrun/internal/clients/codex"
	"github.com/hookrun/hookrun/internal/clients/copilot"
	"github.com/hookrun/hookrun/internal/clients/crush"
	"github.com/hookrun/hookrun/internal/clients/cursor"
	"github.com/hookrun/hookrun/internal/clients/droid"
	"github.com/hookrun/hookrun/internal/clients/gemini"
	"github.com/hookrun/hookrun/internal/clients/junie"
	"github.com/hookrun/hookrun/internal/clients/kimi"
	"github.com/hookrun/hookrun/internal/clients/kiro"
	"github.com/hookrun/hookrun/internal/clients/massgen"
	"github.com/hookrun/hookrun/internal/clients/opencode"
	"github.com/hookrun/hookrun/internal/clients/qwen"
	"github.com/hookrun/hookrun/internal/clients/set"
	"github.com/hookrun/hookrun/internal/clients/vscode"
	"github.com/hookrun/hookrun/internal/clients/windsurf"
	"github.com/hookrun/hookrun/internal/core/dialect"
)

// every is the Set of all clients. A new client is one line here, and a folder.
var every = &set.Set{Members: func() []*client.Client {
	return []*client.Client{
		antigravity.Client,
		claude.Client,
		cline.Client,
		codex.Client,
		copilot.Client,
		crush.Client,
		cursor.Client,
		droid.Client,
		gemini.Client,
		junie.Client,
		kimi.Client,
		kiro.Client,
		opencode.Client,
		qwen.Client,
		vscode.Client,
		windsurf.Client,
	}
}, Protocols: protocols}

func protocols() []*dialect.Dialect { return []*dialect.Dialect{massgen.Dialect, acs.Dialect} }

// All returns the Set of all clients.
func All() *set.Set { return every }

// Stranger is the error about an input of another client.
type Stranger = set.Stranger
