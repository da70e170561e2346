package hookimport

import (
	"fmt"
	"net/url"
	"path"
	"slices"
	"strings"

	"github.com/hookrun/hookrun/internal/dialect/tenex"
	"github.com/hookrun/hookrun/internal/httphook"
	"github.com/hookrun/hookrun/protocol"
)

// A hook of type http becomes an entry with "url".

// carriedHTTP are the keys of such a hook that its entry has, under names of its own.
var carriedHTTP = []string{"type", "url", "headers", "allowedEnvVars", "if", "timeout", "onFailure"}

// carried reports whether the entry has what a key of the hook says.
func (g *handler) carried(key string) bool {
	if g.hook.HTTP != nil {
		return slices.Contains(carriedHTTP, key)
	}
	return slices.Contains(g.client.carried, key)
}

// runs is the path of what the hook runs, or posts to.
func (g *handler) runs() string {
	if g.hook.HTTP != nil {
		return g.path + ".url"
	}
	return g.path + ".command"
}

// endpoint carries what the hook posts to.
func (g *handler) endpoint() {
	e, _ := g.hook.Endpoint() // an address that is not allowed was left out before
	g.set("url", e.URL)
	if len(e.Headers) > 0 {
		var b strings.Builder
		for i, h := range e.Headers {
			if i > 0 {
				b.WriteByte(',')
			}
			fmt.Fprintf(&b, "%s:%s", text(h.Name), text(h.Value))
		}
		g.to.Set("headers", []byte("{"+b.String()+"}"))
	}
	var names []string
	for _, name := range g.hook.HTTP.AllowedEnvVars {
		if slices.Contains(e.AllowedEnvVars, name) && httphook.IsVariable(name) {
			names = append(names, name)
			continue
		}
		g.say(LeftOut, "allowedEnvVars", "%s is not carried: no header can stand for it", brief(name))
	}
	if len(names) > 0 {
		g.set("allowed_env_vars", names)
	}
	if g.env.Exists() {
		g.item(LeftOut, "env", g.env.Index, `the variables of "env" are not carried for hooks of type http: `+
			`those that "allowed_env_vars" names are of hookrun's own environment`)
	}
	g.item(Differs, g.runs(), g.value("url").Index, "an answer without a key of an answer says nothing in %s, and is unreadable here: "+
		"let the server answer {} or nothing", g.client.name)
}

// httpFailures are what a request without an answer amounts to, where that is not so by itself. The client has one cause for
// all of them but a timeout.
func (g *handler) httpFailures(from, to *protocol.Call) map[string]string {
	policy := map[string]string{}
	for _, cause := range g.causes() {
		theirs := protocol.CauseExit
		if cause == protocol.CauseTimeout {
			theirs = cause
		}
		wanted := g.client.dialect.FailureDecision(from, theirs, g.hook.OnFailure)
		if wanted != tenex.Dialect.ForHTTP().FailureDecision(to, cause) {
			policy[string(cause)] = wanted.String()
		}
	}
	return policy
}

func (g *handler) causes() []protocol.Cause {
	return []protocol.Cause{protocol.CauseUnstarted, protocol.CauseTimeout, protocol.CauseOutput, protocol.CauseExit}
}

// nameOfURL makes a name of an address: that of what is asked for there, else the host.
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
