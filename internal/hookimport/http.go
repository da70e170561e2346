package hookimport

import (
	"net/url"
	"path"
	"slices"

	"github.com/hookrun/hookrun/internal/httphook"
	"github.com/hookrun/hookrun/internal/strictjson"
)

// A hook of type http becomes an entry with "url".

// carriedHTTP are the keys of such a hook that its entry has, under names of its own.
var carriedHTTP = []string{"type", "url", "headers", "allowedEnvVars", "if", "timeout", "onFailure"}

// carried reports whether the entry has the value of a key of the hook.
func (g *handler) carried(key string) bool {
	if g.hook.HTTP != nil {
		return slices.Contains(carriedHTTP, key)
	}
	return slices.Contains(carriedCommand, key) && g.knows(key)
}

// address carries the address, the headers and the names of their variables.
func (g *handler) address() {
	e, _ := g.hook.Endpoint() // an address that is not allowed was left out before
	g.set("url", e.URL)
	if len(e.Headers) > 0 {
		var headers strictjson.Fields
		for _, h := range e.Headers {
			headers = append(headers, strictjson.Field{Key: h.Name, Value: []byte(text(h.Value))})
		}
		g.to.Set("headers", []byte(inJSON(headers)))
	}
	var names []string
	for _, name := range g.hook.HTTP.AllowedEnvVars {
		if slices.Contains(e.AllowedEnvVars, name) && httphook.IsVariable(name) {
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

// nameOfURL makes a name of an address: the last part of its path, else the host.
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
