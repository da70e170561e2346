// Package requests is the part of a hooks.Loader for HTTP hooks, the "url" of an entry. It links net/http and TLS.
package requests

import (
	"github.com/hookrun/hookrun/hooks"
	"github.com/hookrun/hookrun/internal/core/hookfile/host"
	"github.com/hookrun/hookrun/internal/net/httphook"
)

// Part sends the requests.
var Part = hooks.Part(host.NewPart(func(p *host.Parts) { p.Requests = httphook.Requests }))
