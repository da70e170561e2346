package cli

import (
	"cmp"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/hookrun/hookrun/docs"
	"github.com/hookrun/hookrun/internal/core/hookfile"
	"github.com/hookrun/hookrun/internal/lib/lazy"
	"github.com/hookrun/hookrun/internal/lib/printable"
	"github.com/hookrun/hookrun/internal/record/lastblock"
	"github.com/hookrun/hookrun/internal/record/stats"
	"github.com/hookrun/hookrun/internal/rules/pack"
	"github.com/hookrun/hookrun/protocol"
)

// lastReport is the last blocked call of a project, in the form of explain --last -o json.
type lastReport struct {
	Workspace string `json:"workspace"`
	// The call is absent if no blocked call is on record.
	Time     string `json:"time,omitempty"`
	Event    string `json:"event,omitempty"`
	Tool     string `json:"tool,omitempty"`
	About    string `json:"about,omitempty"` // the arguments or the prompt
	Decision string `json:"decision,omitempty"`
	Cause    string `json:"cause,omitempty"`
	File     string `json:"file,omitempty"` // file:line of the hook, or the hooks file
	Hook     string `json:"hook,omitempty"` // or the rule
	Reason   string `json:"reason,omitempty"`
	Fix      string `json:"fix,omitempty"`
	// Ways say how a person lets such calls pass.
	Ways []string     `json:"ways,omitempty"`
	Rule string       `json:"rule,omitempty"` // what hookrun pack says of the rule
	Page docs.Section `json:"page,omitzero"`
}

// printLast prints the last blocked call of the project.
func (f *callCommand) printLast(args []string, std Streams) (exit int, err error) {
	if err := errors.Join(noArgs(args), checkOutput(f.flags)); err != nil {
		return 0, err
	}
	r, err := f.last()
	if err != nil {
		return 0, err
	}
	return exitOK, writeAs(std, f.output, &r, r.String)
}

// last reports the last blocked call of the project.
func (f *callCommand) last() (r lastReport, err error) {
	if err := f.find(); err != nil {
		return r, err
	}
	dir, err := f.stateDir()
	if err != nil {
		return r, err
	}
	r.Workspace = f.folder
	line, err := lastblock.Read(dir, f.folder)
	if err != nil {
		return r, fmt.Errorf("reading the last blocked call: %w", err)
	}
	c, found := stats.ParseCall(line)
	if !found {
		return r, nil
	}
	r.Time, r.Event, r.Tool, r.About = c.Time.Local().Format(time.DateTime), c.Event, c.Tool, c.About
	r.Decision, r.Cause, r.Hook = cmp.Or(c.Decision, "block"), c.Cause, c.Hook
	r.Reason = cmp.Or(c.Error, c.Reason)
	if at, _, _ := strings.Cut(c.Error, ": "); position.Get().MatchString(at) { // FILE:LINE:COL: what
		r.File = at
	} else if f.project.HasFile {
		r.File = f.hooksFile()
	}
	for _, h := range c.Hooks {
		if h.Name == c.Hook && h.Source != "" {
			r.File = h.Source
		}
	}
	r.addFix()
	return r, nil
}

var (
	approveLine = lazy.Regexp{Text: `hookrun approve \w+`}
	position    = lazy.Regexp{Text: `:\d+:\d+$`}
)

// addFix adds what ends the block: by the agent, by a person, and the page about the message.
func (r *lastReport) addFix() {
	message := r.Reason
	isPolicy := r.Cause == string(protocol.CausePolicy)
	if isPolicy && !strings.Contains(message, "Rule: ") { // a hook's own words, which may quote any message
		message = "Tool call blocked by project hook ''"
	}
	s, found := docs.SectionOf(message)
	if !found {
		s, _ = docs.SectionOf("hookrun: " + message)
	}
	r.Page, r.Fix = s, s.Fix
	off := `in the file a narrower "matcher" or "if", or "enabled": false`
	of, name, _ := strings.Cut(r.Hook, "/")
	if p, err := pack.Named(of); err == nil && p.Rule(name) != nil {
		rule := p.Rule(name)
		r.Fix, r.Rule = rule.Instead(), describeRule(r.Hook, rule, false)
		off = fmt.Sprintf(`"except": [%q] in the file`, r.Hook)
	}
	if !isPolicy || strings.HasPrefix(r.File, hookfile.ManagedFile()+":") { // nobody here may switch off the latter
		return
	}
	if approve := approveLine.Get().FindString(r.Reason); approve != "" {
		r.Ways = append(r.Ways, "once: "+approve)
	}
	r.Ways = append(r.Ways, "in a session: HOOKRUN_SKIP="+r.Hook+" in the environment that starts the client",
		"for good: "+off)
}

// String returns the report for a person.
func (r *lastReport) String() string {
	var b strings.Builder
	if r.Time == "" {
		return "no blocked call is on record for " + printable.Escape(r.Workspace) + "\n"
	}
	line := func(label, text string) {
		if text != "" {
			fmt.Fprintf(&b, "%-8s %s\n", label, strings.ReplaceAll(printable.Lines(text), "\n", "\n         "))
		}
	}
	line("blocked", r.Time+"  "+strings.TrimSpace(r.Event+" "+r.Tool)+"  "+r.About)
	if r.Decision != "block" {
		line("answer", r.Decision)
	}
	line("file", r.File)
	switch {
	case r.Rule != "":
		line("rule", r.Hook)
	case r.Hook != "":
		line("hook", r.Hook)
	default:
		line("cause", r.Cause)
	}
	line("reason", r.Reason)
	line("fix", r.Fix)
	for i, way := range r.Ways {
		line(map[bool]string{true: "or"}[i == 0], way)
	}
	if r.Rule != "" {
		b.WriteString("\n" + r.Rule)
	}
	fmt.Fprintf(&b, "\nFrom hookrun's %s\n\n%s\n\n%s\n", r.Page.Page, r.Page.Title, r.Page.Text)
	return b.String()
}
