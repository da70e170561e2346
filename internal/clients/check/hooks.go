package check

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/hookrun/hookrun/internal/clients/install/gitignore"
	"github.com/hookrun/hookrun/internal/core/dialect"
	"github.com/hookrun/hookrun/internal/core/hook"
	"github.com/hookrun/hookrun/internal/core/hookfile"
	"github.com/hookrun/hookrun/internal/core/launch"
	"github.com/hookrun/hookrun/internal/core/tenex"
	"github.com/hookrun/hookrun/internal/lib/secret"
	"github.com/hookrun/hookrun/internal/lib/shellword"
	"github.com/hookrun/hookrun/internal/lib/spelling"
	"github.com/hookrun/hookrun/protocol"
)

// gitNotes returns a note if git may commit a local file, which belongs to one person.
func gitNotes(path string) []hook.Diagnostic {
	text := ""
	switch gitignore.Of(path) {
	case gitignore.Tracked:
		text = "git tracks this file, which is one person's own; run git rm --cached " +
			shellword.Local(filepath.Base(path)) + " beside it, and add its name to .gitignore"
	case gitignore.Open:
		text = "git does not ignore this file, which is one person's own; add its name to .gitignore"
	default:
		return nil
	}
	return []hook.Diagnostic{{File: path, Text: text}}
}

// addError records an error about a file as a whole, and reports whether err is one.
func (f *File) addError(err error) bool {
	var problems hook.Diagnostics
	switch {
	case errors.As(err, &problems):
		f.Errors = append(f.Errors, problems...)
	case err != nil:
		f.Errors = append(f.Errors, hook.Diagnostic{File: f.Path, Text: err.Error()})
	}
	return err != nil
}

// warn adds warnings. A gate that no call can reach is an error: the file loads, but the gate seems to approve all.
func (f *File) warn(warnings []hook.Diagnostic) {
	for _, w := range warnings {
		if w.Unreachable {
			f.Errors = append(f.Errors, w)
		} else {
			f.Warnings = append(f.Warnings, w)
		}
	}
}

// check inspects the programs of a file's hooks, and reports doubtful hooks. all also has the hooks of the other files.
func (f *File) check(all *hookfile.Config, hooks []hook.Hook, workspace string, trust *Trust) {
	if workspace == "" {
		workspace = projectOf(f.Path)
	}
	workspace, err := filepath.Abs(workspace)
	if f.addError(err) {
		return
	}
	f.Tally = hook.Count(hooks, hook.ManagedLevel, time.Now())
	f.Hooks = f.Tally.Active()
	for _, o := range hook.Observing(hooks, time.Now()) {
		if o.Over || o.Soon {
			f.Warnings = append(f.Warnings, o.Diagnostic)
			continue
		}
		o.Gate = true
		f.Notes = append(f.Notes, o.Diagnostic)
	}
	binary, err := os.Executable()
	if err != nil {
		f.addError(fmt.Errorf("finding hookrun itself: %w", err))
		return
	}
	for i := range hooks {
		h := &hooks[i]
		if h.Disabled != "" {
			note := h.Diagnostic(fmt.Sprintf("hook %s is disabled: %s", spelling.Quote(h.Name), h.Disabled))
			note.Gate = true
			f.Notes = append(f.Notes, note)
			continue
		}
		f.warn(all.Doubts(h))
		if h.Unsupported() != "" {
			const text = "a hook of type %q needs a model or a client; hookrun skips it, with a warning in the outcome"
			f.Warnings = append(f.Warnings, h.Diagnostic(fmt.Sprintf(text, h.Unsupported())))
		}
		call := dialect.NewCall(dialect.Call{Workspace: workspace})
		env, dir := launch.Environ(h, call, nil, binary), launch.Dir(h, call)
		f.Errors = append(f.Errors, launch.Inspect(h, dir, env)...)
		f.Warnings = append(f.Warnings, launch.Doubts(h, dir, env)...)
		errors, warnings := trust.CannotStart(h, workspace, binary)
		f.Errors, f.Warnings = append(f.Errors, errors...), append(f.Warnings, warnings...)
		if h.Process().Keep > 0 {
			if why := trust.Cold(h, workspace, binary); why != nil {
				const text = "persistent hook %s is started by each call of a client: %v"
				f.Notes = append(f.Notes, h.Diagnostic(fmt.Sprintf(text, spelling.Quote(h.Name), why)))
			}
		}
	}
	if f.Level >= hook.ProjectLevel {
		warnings, notes := trust.Unresolved(hooks, workspace, binary)
		f.Warnings, f.Notes = append(f.Warnings, warnings...), append(f.Notes, notes...)
	}
	if slices.ContainsFunc(hooks, func(h hook.Hook) bool { return !isTenexOwn(&h) }) {
		f.Warnings = append(f.Warnings, failOpen(hooks)...)
	} else {
		f.Notes = append(f.Notes, failOpen(hooks)...)
	}
	f.Notes = append(f.Notes, secrets(f.Path, hooks, os.Environ())...)
}

// cleanEnvironment says how a file in the dialect's format keeps the caller's variables from hooks.
func cleanEnvironment(d *dialect.Dialect) string {
	const top = ` at the top of the file keeps them back, and a list there names those that hooks need`
	switch {
	case d == tenex.Dialect:
		return `"inherit_env": false` + top
	case d.Files != nil && !d.Files.IsPlaced(): // not a client's file; the format has the key
		return `x-inherit_env: false` + top
	}
	return `hookrun import makes entries of these hooks, for which "inherit_env" can keep them back`
}

// secrets notes once per file if hooks inherit variables that look like secrets without a setting in the file.
func secrets(file string, hooks []hook.Hook, env []string) []hook.Diagnostic {
	getting, mend := 0, ""
	for i := range hooks {
		h := &hooks[i]
		if h.Starts() && h.Disabled == "" && h.Inherit == nil {
			getting++
			mend = cleanEnvironment(h.Dialect)
		}
	}
	var names []string
	for _, v := range env {
		if name, _, _ := strings.Cut(v, "="); secret.Variable(name) {
			names = append(names, name)
		}
	}
	if getting == 0 || len(names) == 0 {
		return nil
	}
	slices.Sort(names)
	verb := "gets"
	if getting > 1 {
		verb = "get"
	}
	text := fmt.Sprintf("%s %s variables that look like secrets: %s; %s", spelling.Count(getting, "hook"), verb,
		spelling.Brief(strings.Join(names, ", "), 500), mend)
	return []hook.Diagnostic{{File: file, Text: text}}
}

// isTenexOwn reports whether an entry has only what TENEX's own files have, whose users know TENEX's rule for timeouts.
func isTenexOwn(h *hook.Hook) bool {
	return h.Process().Argv != nil && h.Matcher == nil && h.If == nil &&
		len(h.When)+len(h.Env)+len(h.Files) == 0 &&
		h.Timeout == 0 && h.OnFailure == nil && h.Dialect == tenex.Dialect && h.Process().Workers == 0
}

// failOpen warns once about all gates of a file that fail open at a timeout, unless on_failure sets the policy for
// timeouts. Failing open is the default of .tenex-hooks.json, and few users expect that.
func failOpen(hooks []hook.Hook) []hook.Diagnostic {
	call := dialect.Call{Event: protocol.PreTool}
	var gates []string
	var first *hook.Hook
	for i := range hooks {
		h := &hooks[i]
		_, isSet := h.OnFailure[protocol.CauseTimeout]
		isGate := h.Rule() == nil && h.Dialect == tenex.Dialect &&
			slices.Contains(h.Events, protocol.PreTool)
		if isSet || !isGate || h.Disabled != "" ||
			h.FailureDecision(&call, protocol.CauseTimeout) != protocol.Continue {
			continue
		}
		if gates = append(gates, strconv.Quote(spelling.Brief(h.Name, 80))); first == nil {
			first = h
		}
	}
	const most = 10
	rest := ""
	if len(gates) > most {
		gates, rest = gates[:most], fmt.Sprintf(" and %d more", len(gates)-most)
	}
	if first == nil {
		return nil
	}
	text := fmt.Sprintf("hook %s fails open: when it times out, the tool runs; "+
		`to close it add "on_failure": "block", or {"timeout": "continue"} if it is meant to`, gates[0])
	if len(gates) > 1 {
		text = fmt.Sprintf("hooks %s%s fail open: when one times out, the tool runs; "+
			`to close them add "on_failure": "block", or {"timeout": "continue"} where it is meant to`,
			strings.Join(gates, ", "), rest)
	}
	return []hook.Diagnostic{first.Diagnostic(text)}
}
