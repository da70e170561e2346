package hookimport

import (
	"strings"

	"github.com/tidwall/gjson"

	"github.com/hookrun/hookrun/internal/clients/client"
	"github.com/hookrun/hookrun/internal/core/dialect"
	"github.com/hookrun/hookrun/protocol"
)

// makeEntry makes an entry of the hook, with the texts of the client's file.
func (g *handler) makeEntry(name string) {
	h := g.hook
	g.set("dialect", h.Dialect.Name)
	if h.Request() != nil {
		g.copyEndpoint()
	} else {
		g.copyCommand()
	}
	g.set("events", []string{string(g.entry.Event)})
	switch {
	case g.entry.When == nil:
		if !g.copyMatcher() {
			return
		}
	case !g.addCommandRegex():
		return
	default:
		g.set("matcher", "^"+g.entry.Pattern.Only+"$")
		if g.when != nil {
			g.to.Set("when", []byte("["+strings.Join(g.when, ",")+"]"))
		}
	}
	if rule := h.IfText(); rule != "" {
		g.set("if", rule)
	}
	g.copyTimeout()
	if h.OnFailure != nil && !h.Async && !h.Dialect.CannotBlock(g.entry.Event) {
		g.set("on_failure", h.OnFailure[protocol.CauseExit].String()) // the same for all causes
	}
	if h.Request() == nil {
		g.copyEnvironment()
	}
	if h.Async {
		g.set("async", true)
	}
	if g.hasOwnFolder() {
		g.set("cwd", g.value("cwd").String())
	}
	g.otherKeys()
	g.add(name)
}

// copyCommand copies the hook's command, as written in the file.
func (g *handler) copyCommand() {
	c := g.hook.Process().Command
	line := g.value("command").String() // for all systems, with variables unexpanded
	switch {
	case c.Argv != nil:
		g.set("command", append([]string{line}, client.Texts(g.value("args"))...))
	case c.PowerShell:
		g.set("command", []string{"pwsh", "-NoProfile", "-NonInteractive", "-Command", line})
	default:
		g.set("command", line)
	}
}

// copyMatcher copies the matcher, and reports whether the hook can ever run.
func (g *handler) copyMatcher() bool {
	pattern, ok := g.hook.Matcher.(dialect.Pattern)
	switch at := g.entry.From.Group + ".matcher"; {
	case !ok || g.entry.From.Matcher.Type == gjson.Null:
	case g.hook.Dialect.SubjectField(g.entry.Event) == "":
		if pattern.Word != "" && pattern.Word != "*" {
			g.item(LeftOut, at, g.entry.MatcherAt, "a matcher means nothing at %s, here as in %s", g.entry.Event,
				g.form.Client)
		}
	case pattern.Fault() != "" && !pattern.AlwaysRuns():
		return g.leaveOut("its matcher %s %s", brief(g.entry.From.Matcher.String()), pattern.Fault())
	default:
		g.set("matcher", g.entry.From.Matcher.String())
	}
	return true
}
