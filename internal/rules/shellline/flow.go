package shellline

import (
	"slices"

	"mvdan.cc/sh/v3/syntax"
)

// Step is a part of a line, in the order in which a shell runs the parts. Whoever knows what commands leave behind can
// follow the line: which commands have run before another, and whether they have succeeded.
type Step struct {
	Kind StepKind
	// Parts are the steps inside. Of a Single, they are the commands and lines that the command launches.
	Parts   []*Step
	Command int // of a Single: the index in Unwrapped.Commands
}

// StepKind says when the parts of a Step run.
type StepKind uint8

const (
	Single   StepKind = iota // a simple command
	Sequence                 // one part after another
	Both                     // && between the parts
	Either                   // || between the parts
	Inverse                  // a sequence behind !
	Branches                 // of if: a condition, its commands, the next condition, and so on; else has an empty one
	Optional                 // a sequence that runs once or not at all: the commands of a case
	Repeated                 // any number of times, or at another time: a loop, a function, a job in the background
	Subshell                 // a sequence that exit does not leave
	Pipeline                 // | between the parts, which run at the same time
)

// enclose makes one step of the steps behind the first n.
func (r *reader) enclose(kind StepKind, n int) {
	if kind != Sequence || len(r.steps) != n+1 {
		inside := slices.Clone(r.steps[n:])
		r.steps = append(r.steps[:n], &Step{Kind: kind, Parts: inside})
	}
}

// sequence reads statements to one step.
func (r *reader) sequence(all []*syntax.Stmt) {
	before := len(r.steps)
	r.list(all)
	r.enclose(Sequence, before)
}

// attach makes one step of two, the n-th and the next, for commands that an operator joins.
func (r *reader) attach(operator syntax.BinCmdOperator, n int) {
	kind := Pipeline
	switch operator {
	case syntax.AndStmt:
		kind = Both
	case syntax.OrStmt:
		kind = Either
	}
	left := r.steps[n]
	if left.Kind != kind {
		left = &Step{Kind: kind, Parts: []*Step{left}}
	}
	left.Parts = append(left.Parts, r.steps[n+1])
	r.steps = append(r.steps[:n], left)
}

// launches adds the step of a command, or of a line, to those that the command c launches.
func (c *Command) launches(step *Step) {
	if c.step != nil {
		c.step.Parts = append(c.step.Parts, step)
	}
}

// starts returns the step of a command that c launches, or of none, if c launches a line.
func (c *Command) starts(words []Word) *Step {
	step := &Step{}
	if words != nil {
		c.launches(step)
	}
	return step
}
