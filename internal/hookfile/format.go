package hookfile

import (
	"github.com/tidwall/gjson"

	"github.com/hookrun/hookrun/internal/dialect"
	"github.com/hookrun/hookrun/internal/hook"
	"github.com/hookrun/hookrun/protocol"
)

// format takes what the dialect reads in a file that is not JSON.
func (p *parser) format(doc string) {
	f := p.dialect.Format.Read(doc)
	at := func(to dialect.Position) hook.Diagnostic {
		return hook.Diagnostic{File: p.file, Line: to.Line, Column: to.Column}
	}
	for _, d := range f.Diagnostics {
		problem := at(d.Position)
		problem.Text, problem.Gate = d.Text, d.Gate
		if d.Warning {
			p.config.Warnings = append(p.config.Warnings, problem)
		} else {
			p.problems = append(p.problems, problem)
		}
	}
	if f.JSON != "" {
		p.doc, p.from = f.JSON, f.From
		p.clientFile(gjson.Parse(p.doc))
	}
	for _, e := range f.Entries {
		h := hook.Hook{
			Dialect: p.dialect, Name: e.Name, Unnamed: true,
			Events: []protocol.Event{e.Event}, Agent: e.Agent, NotAgents: e.NotAgents,
			Command: hook.Command{Shell: e.Shell, Script: e.Script, Callable: e.Function}, RunsAt: at(e.Runs),
			Timeout: e.Timeout, OnFailure: e.OnFailure, File: p.file, Line: e.Line, Column: e.Column,
		}
		if e.Inherit != nil {
			h.Inherit = &hook.Inherited{Names: e.Inherit}
		}
		if e.Matcher != nil {
			h.Matcher, _ = hook.NewGlobs(*e.Matcher)
		}
		p.config.Hooks = append(p.config.Hooks, h)
	}
	p.config.agents = f.Agents
}
