package engine

import (
	"cmp"
	"fmt"
	"sync"

	"github.com/hookrun/hookrun/internal/launch"
	"github.com/hookrun/hookrun/internal/state"
	"github.com/hookrun/hookrun/internal/state/once"
)

// said is what sessions have been told. Those of one-shot commands are told by the mark of package once.
type said struct {
	mu  sync.Mutex
	all map[[2]string]bool // session, and what it was told of
}

// maxSaid bounds what is kept. Beyond it everything is forgotten, and said again.
const maxSaid = 10_000

// first reports whether the session has not said this before.
func (s *said) first(session, what string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	key := [2]string{session, what}
	if session != "" && s.all[key] {
		return false
	}
	if s.all == nil || len(s.all) >= maxSaid {
		s.all = map[[2]string]bool{}
	}
	s.all[key] = true
	return true
}

// unnamed warns once a session of a client's tool that hooks do not know by a name of the project's.
func (p *Plan) unnamed() (warnings []string) {
	text := p.set.config.Unnamed(&p.call)
	if text == "" || !p.first(p.call.Tool) {
		return nil
	}
	return []string{text}
}

// first reports whether the session of the call has not been told this before.
func (p *Plan) first(what string) bool {
	session := p.call.SessionID
	if !p.runner.options.OneShot {
		return p.runner.said.first(session, what)
	}
	dir := p.runner.options.StateDir
	if folder, err := state.Folder(); err == nil {
		dir = cmp.Or(dir, folder)
	}
	return dir == "" || once.First(dir, session, what)
}

// withoutBinary warns of hooks that use $HOOKRUN where there is none: such a gate cannot read the call.
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
