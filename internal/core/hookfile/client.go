package hookfile

import (
	"cmp"
	"path/filepath"
	"slices"
	"sort"
	"strconv"
	"strings"

	"github.com/hookrun/hookrun/internal/core/dialect"
	"github.com/hookrun/hookrun/internal/core/hook"
	"github.com/hookrun/hookrun/internal/lib/strictjson/document"
	"github.com/hookrun/hookrun/protocol"
)

// Normalized is a file in a client's form, with the client's Document.
type Normalized struct {
	*Config
	Document *dialect.Document
	Hooks    []hook.Hook // in the order of Document.Entries
}

// ParseNormalized is ParseAs for callers that need more than the hooks of a client's file. Document is nil if the file
// is in another form.
func (parts Parts) ParseNormalized(path string, doc []byte, as *dialect.Dialect) (*Normalized, error) {
	p := parts.newParser(File{Path: path, Level: levelOf(path)}, doc, as)
	cfg, err := p.parse()
	if err != nil {
		return nil, err
	}
	return &Normalized{cfg, p.document, p.inOrder}, nil
}

// normalize lets the client's reader parse a document, and takes the hooks.
func (p *parser) normalize(text string) {
	p.document = dialect.NewDocument(p.File, text, p.dialect, p.At)
	p.document.Project = filepath.Base(p.File) == FileName
	p.document.ClientsWithEvent = p.clientsWithEvent
	p.document.Common = p.common
	p.document.Loads = func(path string) bool {
		doc, err := readFile(path)
		if err == nil {
			_, err = p.parts.ParseAs(path, doc, p.dialect)
		}
		return err == nil
	}
	p.dialect.Files.Reader.Normalize(p.document)
	for _, key := range p.parts.ownKeys(text) {
		p.document.Warn(key.Index, "%s is a key of hookrun's own form, and means nothing in that of %s; put it in %s",
			key.Raw, p.dialect.Files.Client, FileName).Gate = true
	}
	p.diagnostics()
	if p.dialect.HasHooksFile() {
		p.clientSettings()
	}
	for i := range p.document.Entries {
		p.inOrder = append(p.inOrder, p.hookOf(&p.document.Entries[i]))
	}
	p.config.Hooks = slices.Clone(p.inOrder)
	rank := func(i int) int { return slices.Index(p.dialect.Variants(), p.config.Hooks[i].Dialect) }
	sort.SliceStable(p.config.Hooks, func(i, j int) bool { return rank(i) < rank(j) }) // order of running at a call
	p.config.agents = p.document.Agents
}

// position returns a position in the file, without a text.
func (p *parser) position(at document.Position) hook.Diagnostic {
	return hook.Diagnostic{File: p.File, Line: at.Line, Column: at.Column}
}

// diagnostics takes over the document's diagnostics. If the client drops a faulty entry alone, the fault is a warning.
func (p *parser) diagnostics() {
	p.Warnings = append(p.Warnings, p.document.Warnings...)
	if p.onFault != dialect.DropsEntry {
		p.Problems = append(p.Problems, p.document.Problems...)
		return
	}
	for _, problem := range p.document.Problems {
		problem.Gate = true
		p.Warnings = append(p.Warnings, problem)
	}
}

// clientSettings takes over the document's settings for all hooks of the client.
func (p *parser) clientSettings() {
	d := p.document
	p.settings = &hook.ClientSettings{Env: d.Env, URLs: d.URLs, Variables: d.Variables}
	if p.level >= hook.ProjectLevel {
		p.settings.ProjectEnv = d.Env
	}
	if off := d.Switched(); off != nil {
		p.settings.Off, p.settings.OffBy, p.settings.OffAt = &off.Off, off.By, p.position(off.At)
		p.settings.OffAt.Text, p.settings.OffAt.Gate = off.Text, true
	}
	for _, name := range d.Disabled {
		p.settings.Disabled = append(p.settings.Disabled, name.Name)
	}
	p.config.settings = map[*dialect.Files]*hook.ClientSettings{p.dialect.Files: p.settings}
}

// hookOf returns the hook for an entry.
func (p *parser) hookOf(e *dialect.Entry) hook.Hook {
	h := hook.Hook{
		Dialect: p.dialect.Of(e.Event), Name: e.Name, Unnamed: e.Unnamed, Events: []protocol.Event{e.Event},
		Agent: e.Agent, NotAgents: e.NotAgents,
		Timeout: e.Timeout, OnFailure: e.OnFailure, Env: append([]string{}, e.Env...), Folder: e.Folder,
		Async: e.Async, Sequential: e.Sequential, DedupKey: e.DedupKey, Disabled: e.Off,
		File: p.File, Line: e.Line, Column: e.Column, Settings: p.settings,
	}
	switch {
	case e.Unsupported != "":
		h.Handler = hook.Unsupported(e.Unsupported)
	case e.HTTP != nil:
		h.Handler = &hook.Request{Endpoint: *e.HTTP, By: p.parts.Requests}
	default:
		h.Handler = &hook.Process{Command: hook.Command(e.Command)}
	}
	if p.dialect.HasHooksFile() {
		h.Form, h.OfClient = p.dialect.Files, !p.document.Project
	}
	if e.Runs.Line > 0 {
		h.RunsAt = p.position(e.Runs)
	}
	if e.Inherit != nil {
		h.Inherit = &hook.Inherited{Names: e.Inherit}
	}
	if e.HTTP != nil && p.parts.Requests == nil {
		d := p.position(e.Runs)
		d.Text = e.Who + `: "url": this program sends no requests`
		p.Problems = append(p.Problems, d)
	}
	p.conditionsOf(&h, e)
	if !e.Unnamed {
		h.Name = oneLine(e.Name)
	}
	switch line := strconv.Itoa(h.Line); {
	case h.Name != "":
	case h.Unsupported() != "":
		h.Name = h.Unsupported() + " hook of line " + line
	default:
		h.Name, h.Unnamed = cmp.Or(oneLine(h.String()), "hook of line "+line), true
	}
	return h
}

// conditionsOf sets the hook's conditions.
func (p *parser) conditionsOf(h *hook.Hook, e *dialect.Entry) {
	if e.Globs != nil {
		h.Matcher, _ = hook.NewGlobs(*e.Globs)
	}
	if e.Pattern != nil {
		h.Matcher = *e.Pattern
		if e.Pattern.Err == nil && h.Dialect.SubjectField(e.Event) == "tool_name" {
			p.patternDoubts(h, *e.Pattern, p.position(e.MatcherAt), e.GroupWho)
		}
	}
	switch {
	case e.If == "":
	case p.parts.Rules == nil:
		d := p.position(e.IfAt)
		d.Text = e.Who + `: "if": this program has no rules, so it cannot decide ` + quote(e.If)
		p.Problems = append(p.Problems, d)
	default:
		if h.If = p.parts.Rules.If(e.If); !h.If.Malformed() {
			p.ruleDoubt(h, p.position(e.IfAt), e.Who+": ")
		}
	}
	if e.When != nil {
		c, _ := hook.ConditionAt("tool_input.command") // no error: the path is valid
		if c.Text = e.When.Text; e.When.Accepts != nil {
			c.Finds(e.When.Accepts)
		}
		h.When = []hook.Condition{c}
	}
}

// oneLine returns the text of a command as a hook's name for messages.
func oneLine(text string) string { return brief(strings.Join(strings.Fields(text), " ")) }

// warnOfDeadGate warns about a condition that no call meets.
func warnOfDeadGate(v document.Value, format string, args ...any) {
	w := v.Warn(format, args...)
	w.Gate, w.Unreachable = true, true
}
