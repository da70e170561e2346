package hookimport

import (
	"strings"

	"github.com/tidwall/gjson"

	"github.com/hookrun/hookrun/internal/dialect"
	"github.com/hookrun/hookrun/protocol"
)

// carry makes an entry of the hook. Its texts are those of the client's file.
func (g *handler) carry(name string) {
	h := g.hook
	g.set("dialect", g.dialect.Name)
	if h.HTTP != nil {
		g.address()
	} else {
		g.ownCommand()
	}
	g.set("events", []string{string(g.event)})
	switch {
	case g.commandRegex.String() == "":
		if !g.ownMatcher() {
			return
		}
	case !g.onlyCommands():
		return
	default:
		g.set("matcher", "^"+g.form.CommandOf+"$")
		if g.when != nil {
			g.to.Set("when", []byte("["+strings.Join(g.when, ",")+"]"))
		}
	}
	if rule := h.If.String(); rule != "" {
		g.set("if", rule)
	}
	g.timeout()
	if h.OnFailure != nil && !h.Async && !g.dialect.CannotBlock(g.event) {
		g.set("on_failure", h.OnFailure[protocol.CauseExit].String()) // of all causes: the client has one word
	}
	if h.HTTP == nil {
		g.environment()
	}
	if h.Async {
		g.set("async", true)
	}
	if g.inFolder() {
		g.set("cwd", g.value("cwd").String())
	}
	g.otherKeys()
	g.add(name)
}

// ownCommand carries what the hook runs, as it stands in its file.
func (g *handler) ownCommand() {
	c := g.hook.Command
	line := g.value("command").String() // not the one of this system alone, and without the values of variables
	switch {
	case c.Argv != nil:
		g.set("command", append([]string{line}, dialect.Texts(g.value("args"))...))
	case c.PowerShell:
		g.set("command", []string{"pwsh", "-NoProfile", "-NonInteractive", "-Command", line})
	default:
		g.set("command", line)
	}
}

// ownMatcher carries the matcher. It reports whether the hook can ever run.
func (g *handler) ownMatcher() bool {
	pattern, ok := g.hook.Matcher.(dialect.Pattern)
	switch at := g.group + ".matcher"; {
	case !ok || g.matcher.Type == gjson.Null:
	case g.dialect.SubjectField(g.event) == "":
		if pattern.Word != "" && pattern.Word != "*" {
			g.item(LeftOut, at, g.matcher.Index, "a matcher means nothing at %s, here as in %s", g.event, g.form.Client)
		}
	case pattern.Fault() != "" && !pattern.Unread:
		return g.leaveOut("its matcher %s %s", brief(g.matcher.String()), pattern.Fault())
	default:
		g.set("matcher", g.matcher.String())
	}
	return true
}

// notes are what is so with every file of the client.
func (r *reader) notes() (notes []string) {
	if r.dialect.Run.Parallel {
		notes = append(notes, "here hooks run one after the other in the order of the file, and the first block ends "+
			"the call; "+r.form.Client+" runs all of them at once")
	}
	return append(notes, "the hooks are still in this file: when its client runs hookrun, take them out here, or each "+
		"runs twice")
}
