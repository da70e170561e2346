package hookimport

import (
	"net/url"
	"path"
	"slices"

	"github.com/hookrun/hookrun/internal/core/endpoint"
	"github.com/hookrun/hookrun/internal/lib/strictjson"
)

// A hook of type http becomes an entry with "url".

// carriedHTTP lists the keys of an http hook that the entry keeps, some under other names.
var carriedHTTP = []string{"type", "url", "headers", "allowedEnvVars", "if", "timeout", "onFailure"}

// isCarried reports whether the entry keeps the value of a hook's key.
func (g *handler) isCarried(key string) bool {
	if g.hook.Request() != nil {
		return slices.Contains(carriedHTTP, key)
	}
	return slices.Contains(carriedCommand, key) && g.knows(key)
}

// copyEndpoint copies the URL, the headers and the names of their variables.
func (g *handler) copyEndpoint() {
	e, _ := g.hook.Endpoint() // no error: a hook with a forbidden URL was left out before
	g.set("url", e.URL)
	if len(e.Headers) > 0 {
		var headers strictjson.Fields
		for _, h := range e.Headers {
			headers = append(headers, strictjson.Field{Key: h.Name, Value: []byte(text(h.Value))})
		}
		g.to.Set("headers", []byte(entryJSON(headers)))
	}
	var names []string
	for _, name := range g.hook.Request().AllowedEnvVars {
		if slices.Contains(e.AllowedEnvVars, name) && endpoint.IsVariable(name) {
			names = append(names, name)
			continue
		}
		g.report(LeftOut, "allowedEnvVars", "%s is not carried: no header can stand for it", brief(name))
	}
	if len(names) > 0 {
		g.set("allowed_env_vars", names)
	}
	if g.doc.EnvAt.Line > 0 {
		g.item(LeftOut, "env", g.doc.EnvAt, `the variables of "env" are not carried for hooks of type http: `+
			`those that "allowed_env_vars" names are of hookrun's own environment`)
	}
}

// nameOfURL returns a name for a URL: the last part of the path, or the host.
func nameOfURL(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return "hook"
	}
	name := u.Hostname()
	if base := path.Base(u.Path); base != "." && base != "/" {
		name = base
	}
	return plainName(name)
}
