package pack

import (
	"slices"
	"strings"

	"github.com/hookrun/hookrun/internal/rules/shellline"
)

// gitState is what the commands of a line have done to a repository so far, whatever way the line has taken.
type gitState struct {
	// branches may be checked out now, and previous before; "" is none of which a rule knows. A * in a name stands for
	// a part that the line computes.
	branches, previous []string
	staged, saved      []work // surely
	applied, merged    []string
}

// work is uncommitted work in a file or a folder.
type work struct {
	path string // absolute; "": the whole repository
	what workKind
}

// workKind is a set of kinds of files.
type workKind uint8

const (
	tracked workKind = 1 << iota
	untracked
	ignored
	ofOthers // of repositories inside, which no command of this one saves
)

// isIn reports whether other work includes the work.
func (w work) isIn(all []work) bool {
	for _, other := range all {
		if other.path == "" || other.path == w.path || w.path != "" && below(other.path, w.path) {
			w.what &^= other.what
		}
	}
	return w.what == 0
}

// maxNames limits the branches that are followed.
const maxNames = 16

// or returns what is sure of two states, of which the line may be in one. nil is a state that cannot be.
func (s *gitState) or(other *gitState) *gitState {
	switch {
	case s == other, other == nil:
		return s
	case s == nil:
		return other
	}
	both := gitState{branches: either(s.branches, other.branches), previous: either(s.previous, other.previous)}
	both.staged, both.saved = bothSave(s.staged, other.staged), bothSave(s.saved, other.saved)
	both.applied, both.merged = bothHave(s.applied, other.applied), bothHave(s.merged, other.merged)
	return &both
}

// either returns the names in one of two lists.
func either(a, b []string) []string {
	for _, name := range b {
		if !slices.Contains(a, name) {
			a = append(slices.Clip(a), name)
		}
	}
	if len(a) > maxNames {
		return []string{"*"}
	}
	return a
}

// bothHave returns the names in both lists.
func bothHave(a, b []string) []string {
	return slices.DeleteFunc(slices.Clone(a), func(name string) bool { return !slices.Contains(b, name) })
}

// bothSave returns the work in both lists.
func bothSave(a, b []work) (both []work) {
	for _, w := range a {
		if w.isIn(b) {
			both = append(both, w)
		}
	}
	for _, w := range b {
		if w.isIn(a) && !slices.Contains(both, w) {
			both = append(both, w)
		}
	}
	return both
}

// gitFlow follows the commands of a call through one repository.
type gitFlow struct {
	call    *Call
	gits    map[int]*gitCall // of the repository, by the index of the command
	before  map[int]*gitState
	indexes [][2]int // of the commands of the line, in the commands of the call: from and to
	exits   *gitState
	anyTime gitState // for commands that run at an unknown time
	repeats int      // the number of loops and the like around the command
	unsaves bool     // a command takes back what others have saved
	neverIs bool     // and the time of this command is unknown, so what is saved is never sure
}

// lineFlow is the flow of a line of a call, whose first command is Commands[base].
type lineFlow struct {
	flow *shellline.Step
	base int
}

// before returns what the call has done to the repository of a command before the command runs.
func (c *Call) before(g *gitCall) *gitState {
	const most = 16 // repositories that are followed
	f := c.gitFlows[g.repo.key]
	switch {
	case f == nil && len(c.gitFlows) == most:
		return &gitState{branches: []string{"*"}}
	case f == nil:
		f = c.followGit(g.repo)
		if c.gitFlows == nil {
			c.gitFlows = map[string]*gitFlow{}
		}
		c.gitFlows[g.repo.key] = f
	}
	state := f.before[g.index]
	if state == nil || f.neverIs {
		return f.unknown(state.or(&f.anyTime))
	}
	return state
}

// unknown returns a state of an unknown time.
func (f *gitFlow) unknown(at *gitState) *gitState {
	next := *at
	next.branches, next.previous = either(at.branches, f.anyTime.branches), []string{"*"}
	if f.unsaves || f.neverIs {
		next.staged, next.saved, next.applied, next.merged = nil, nil, nil, nil
	}
	return &next
}

// followGit follows the lines of a call through a repository.
func (c *Call) followGit(r *gitRepo) *gitFlow {
	f := &gitFlow{call: c, gits: map[int]*gitCall{}, before: map[int]*gitState{}}
	start := gitState{branches: r.branches(), previous: []string{"*"}}
	if c.flows == nil { // the commands that a text may hold
		start.branches = []string{""}
	}
	f.anyTime = start
	for i := range c.gits() {
		if g := &c.gitCalls[i]; g.repo.key == r.key {
			f.gits[g.index] = g
			f.anyTime.branches = either(f.anyTime.branches, c.checksOut(g, &start))
			f.unsaves = f.unsaves || g.unsaves()
		}
	}
	if c.flows == nil {
		at := &start
		for i := range c.Commands {
			at = f.git(i, at)
		}
		return f
	}
	isGitHub := func(command Command) bool { return command.Program == "gh" }
	if len(f.gits) > 1 || slices.ContainsFunc(c.Commands, isGitHub) {
		for i, line := range c.flows {
			end := len(c.Commands)
			if i+1 < len(c.flows) {
				end = c.flows[i+1].base
			}
			f.line(line, end, &start)
		}
	}
	return f
}

// line follows a line whose commands end before an index.
func (f *gitFlow) line(line lineFlow, end int, at *gitState) {
	f.indexes = f.indexes[:0]
	for i := line.base; i < end; i++ {
		switch of := f.call.Commands[i].ofLine; {
		case of == len(f.indexes):
			f.indexes = append(f.indexes, [2]int{i, i + 1})
		case of == len(f.indexes)-1:
			f.indexes[of][1] = i + 1
		}
	}
	f.script([]*shellline.Step{line.flow}, at)
}

// script is sequence for the one step of a line. Behind set -e, a failure of a command on its own ends the line.
func (f *gitFlow) script(steps []*shellline.Step, at *gitState) (done, failed *gitState) {
	s := steps[0]
	if s.Kind != shellline.Sequence {
		return f.step(s, at)
	}
	var ended *gitState
	isStrict := false
	done, failed = at, at
	for _, part := range s.Parts {
		done, failed = f.step(part, at)
		at = done.or(failed)
		if part.Kind != shellline.Single {
			continue
		}
		if isStrict {
			at, ended = done, ended.or(failed)
		}
		isStrict = isStrict || f.isSetE(part)
	}
	return done, failed.or(ended)
}

// isSetE reports whether a command is set -e, and no command of the call takes an option back.
func (f *gitFlow) isSetE(s *shellline.Step) bool {
	if s.Command >= len(f.indexes) || slices.ContainsFunc(f.call.Commands, unsets) {
		return false
	}
	c := &f.call.Commands[f.indexes[s.Command][0]]
	return c.Program == "set" && slices.ContainsFunc(c.Args, func(w Word) bool {
		option, ok := strings.CutPrefix(w.Text, "-")
		return w.Text == "errexit" || ok && !w.Computed && strings.Contains(option, "e") && option[0] != '-'
	})
}

// unsets reports whether a command may take back an option of the shell.
func unsets(c Command) bool {
	takesBack := func(w Word) bool { return w.Computed || strings.HasPrefix(w.Text, "+") }
	return c.Program == "set" && slices.ContainsFunc(c.Args, takesBack)
}

// step returns the states after a step that succeeds, and after one that fails.
func (f *gitFlow) step(s *shellline.Step, at *gitState) (done, failed *gitState) {
	if at == nil {
		return nil, nil
	}
	switch s.Kind {
	case shellline.Single:
		return f.single(s, at)
	case shellline.Both:
		done = at
		for _, part := range s.Parts {
			var ends *gitState
			done, ends = f.step(part, done)
			failed = failed.or(ends)
		}
	case shellline.Either:
		failed = at
		for _, part := range s.Parts {
			var ends *gitState
			ends, failed = f.step(part, failed)
			done = done.or(ends)
		}
	case shellline.Inverse:
		failed, done = f.sequence(s.Parts, at)
	case shellline.Branches:
		for i, part := range s.Parts {
			if i%2 == 1 || i == len(s.Parts)-1 { // behind a condition, or else
				continue
			}
			met, not := f.step(part, at)
			ends, fails := f.step(s.Parts[i+1], met)
			done, failed, at = done.or(ends), failed.or(fails), not
		}
		if len(s.Parts)%2 == 1 {
			ends, fails := f.step(s.Parts[len(s.Parts)-1], at)
			return done.or(ends), failed.or(fails)
		}
		done = done.or(at)
	case shellline.Optional:
		done, failed = f.sequence(s.Parts, at)
		at = at.or(done).or(failed)
		return at, at
	case shellline.Repeated:
		f.repeats++
		done, failed = f.apart(f.sequence, s.Parts, f.unknown(at))
		f.repeats--
		at = at.or(done).or(failed)
		return at, at
	case shellline.Pipeline:
		for _, part := range s.Parts {
			done, failed = f.apart(f.sequence, []*shellline.Step{part}, at)
			at = at.or(done).or(failed)
		}
	case shellline.Subshell:
		return f.apart(f.sequence, s.Parts, at)
	default:
		return f.sequence(s.Parts, at)
	}
	return done, failed
}

// sequence returns the states after steps that run one after another.
func (f *gitFlow) sequence(steps []*shellline.Step, at *gitState) (done, failed *gitState) {
	done, failed = at, at
	for _, s := range steps {
		done, failed = f.step(s, at)
		at = done.or(failed)
	}
	return done, failed
}

// apart follows steps in a shell of its own, which exit ends with any status.
func (f *gitFlow) apart(follow following, steps []*shellline.Step, at *gitState) (done, failed *gitState) {
	outside := f.exits
	f.exits = nil
	done, failed = follow(steps, at)
	done, failed, f.exits = done.or(f.exits), failed.or(f.exits), outside
	return done, failed
}

// following returns the states after steps.
type following func(steps []*shellline.Step, at *gitState) (done, failed *gitState)

// succeedsAs are the launchers that succeed only if the command that they launch has succeeded.
const succeedsAs = "sudo doas env command builtin exec eval nice nohup timeout time stdbuf setsid ionice chrt flock " +
	"bash sh dash zsh ksh ash noglob nocorrect"

// single returns the states after a command.
func (f *gitFlow) single(s *shellline.Step, at *gitState) (done, failed *gitState) {
	if s.Command >= len(f.indexes) {
		return at, at
	}
	i, end := f.indexes[s.Command][0], f.indexes[s.Command][1]
	c := &f.call.Commands[i]
	switch {
	case c.Words[0].Text == "exit" && len(c.Args) < 2 && !slices.ContainsFunc(c.Args, mayBeMany):
		f.exits = f.exits.or(at)
		return nil, nil
	case f.gits[i] != nil:
		done = f.git(i, at)
		for _, part := range s.Parts { // mostly the command with the values of variables
			ends, fails := f.step(part, at)
			switch {
			case part.Kind != shellline.Single: // a line, as of git rebase -x
				done = done.or(ends).or(fails)
			case part.Command < len(f.indexes):
				child := f.indexes[part.Command][0]
				if f.call.valued(child, i); f.gits[child] != nil {
					done = done.or(ends)
				}
			}
		}
		return done, at
	case end > i+1: // an unknown program may run the command
		at = at.or(f.git(i+1, at))
	case len(s.Parts) > 0 && shellline.InList(succeedsAs, c.Program):
		follow := f.sequence
		if len(s.Parts) == 1 && shellline.InList("bash sh dash zsh ksh ash", c.Program) {
			follow = f.script
		}
		done, failed = f.apart(follow, s.Parts, at)
		if slices.ContainsFunc(c.Words, shellline.IsComputed) { // perhaps another command
			done = done.or(at)
		}
		return done, failed.or(at)
	case len(s.Parts) > 0:
		return f.step(&shellline.Step{Kind: shellline.Repeated, Parts: s.Parts}, at)
	case c.Program == "gh" && c.Row.Has("@checkout", c.Args):
		next := *at
		next.branches, next.previous = []string{"the branch of a pull request"}, at.branches
		return &next, at
	}
	return at, at
}

// valued notes that a command is another one with the values of variables.
func (c *Call) valued(command, of int) {
	if c.withValues == nil {
		c.withValues = map[int]int{}
	}
	c.withValues[command] = of
}

func mayBeMany(w Word) bool { return w.MaybeMany }

// git returns the state after a command that succeeds, which may be one of git.
func (f *gitFlow) git(i int, at *gitState) *gitState {
	g := f.gits[i]
	if g == nil {
		return at
	}
	f.before[i] = f.before[i].or(at)
	f.neverIs = f.neverIs || f.repeats > 0 && g.unsaves()
	return f.call.after(g, at)
}
