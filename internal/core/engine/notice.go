package engine

import (
	"cmp"
	"fmt"
	"sync"

	"github.com/hookrun/hookrun/internal/core/launch"
	"github.com/hookrun/hookrun/internal/core/once"
	"github.com/hookrun/hookrun/internal/lib/state"
)

// notices records the warnings already given to each session. One-shot commands use package once instead.
type notices struct {
	mu    sync.Mutex
	given map[[2]string]bool // session, and the subject of the warning
}

// maxNotices bounds the record. A full record is dropped, so the warnings come again.
const maxNotices = 10_000

// first reports whether this is the session's first warning about a subject.
func (s *notices) first(session, what string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	key := [2]string{session, what}
	if session != "" && s.given[key] {
		return false
	}
	if s.given == nil || len(s.given) >= maxNotices {
		s.given = map[[2]string]bool{}
	}
	s.given[key] = true
	return true
}

// unnamed warns once a session if hooks do not know a client's tool by a name of the project, and at each call if the
// tool may be of the MCP server of a hook that does not run.
func (p *Plan) unnamed() (warnings []string) {
	if !p.mayWarn {
		return nil
	}
	if text := p.set.config.OtherServerWarning(&p.call); text != "" {
		warnings = append(warnings, text)
	}
	if text := p.set.config.UnnamedToolWarning(&p.call); text != "" && p.first(p.call.Tool) {
		warnings = append(warnings, text)
	}
	return warnings
}

// first reports whether this is the first warning about a subject in the session of the call.
func (p *Plan) first(what string) bool {
	session := p.call.SessionID
	if !p.runner.options.OneShot {
		return p.runner.notices.first(session, what)
	}
	dir := p.runner.options.StateDir
	if folder, err := state.Folder(); err == nil {
		dir = cmp.Or(dir, folder)
	}
	return dir == "" || once.First(dir, session, what)
}

// ofMainWorktree returns a message, once a session, that the hooks are the main worktree's.
func (p *Plan) ofMainWorktree() []string {
	tree, cannotTell := p.set.config.Worktree, p.settings.CannotTell
	if tree == "" || p.call.SessionID == "" || cannotTell != nil && cannotTell() {
		return nil
	}
	text := fmt.Sprintf("hookrun: the hooks of %s apply here: the worktree %s has no hooks file of its own",
		p.call.Workspace, tree)
	if !p.first(text) {
		return nil
	}
	return []string{text}
}

// withoutBinary warns of hooks that use $HOOKRUN if no hookrun was found: such a gate cannot read the call.
func (p *Plan) withoutBinary() (warnings []string) {
	if p.runner.binary != "" {
		return nil
	}
	for _, h := range p.run {
		if launch.CallsBinary(h, launch.Dir(h, &p.call)) {
			const text = "hook '%s' uses $HOOKRUN, which is not set: no hookrun was found; set HOOKRUN in " +
				"Options.Env, or put hookrun on PATH"
			warnings = append(warnings, fmt.Sprintf(text, shownName(h)))
		}
	}
	return warnings
}
