package process

import (
	"context"
	"fmt"
	"io"
	"slices"
	"time"
)

// Program is what to start.
type Program struct {
	Path string   // of the executable
	Args []string // including the program's name, as in os.Args
	Dir  string   // the working directory
	Env  []string // NAME=VALUE, each name once; Start adds RunVariable
}

// RunVariable marks a process and its descendants in their environment (Linux, macOS). It identifies descendants that
// have left the process group.
const RunVariable = "HOOKRUN_RUN"

// StartError means that the system could not start a program.
type StartError struct {
	Program Program
	Err     error
}

func (e *StartError) Error() string { return fmt.Sprintf("%s: %v", e.Program.Args[0], e.Err) }
func (e *StartError) Unwrap() error { return e.Err }

// Input is what a process gets on stdin, in pieces that are written in order. The pieces must not change.
type Input [][]byte

// size is the number of bytes.
func (in Input) size() (n int) {
	for _, piece := range in {
		n += len(piece)
	}
	return n
}

// writeTo writes all pieces, and returns how many bytes were written.
func (in Input) writeTo(w io.Writer) (written int, err error) {
	for _, piece := range in {
		n, err := w.Write(piece)
		written += n
		if err != nil {
			return written, err
		}
	}
	return written, nil
}

// Result is how a process ended and what it printed.
type Result struct {
	Err      error  // not started, or its exit status is lost: ignore ExitCode and Signal
	TimedOut bool   // killed at its deadline or when the context ended: ignore ExitCode and Signal
	ExitCode int    // -1 if a signal killed it
	Signal   string // the signal that killed it, such as SIGKILL
	Stdout   Output
	Stderr   Output

	// Left are process ids: what still ran in its group after it exited, or what could not be killed.
	Left []int
	// Unread: it exited, and another process still held its output when Wait ended to read it.
	Unread bool

	Detached bool // its first line asked to be detached
}

// Process is a running process. Wait or Release must end it.
type Process struct {
	leader   *leader
	pipes    *pipes
	watchdog *watchdog
	begun    time.Time
	deadline time.Time
}

const (
	// shortTime is how long most processes run at most. A longer one gets a watchdog.
	shortTime = time.Millisecond
	// DrainTime is how long the pipes are read after the exit, if another process still holds them. Claude Code reads
	// for the same time: what a background child prints in that time counts there, and must count here.
	DrainTime = 500 * time.Millisecond
)

// Start starts a process, and begins to write its input and read its output. Wait enforces the deadline.
//
// detach is called with the first line of stdout, and reports whether that asks to be detached; nil: no line does.
func (s *Supervisor) Start(
	program Program, input Input, deadline time.Time, detach func(firstLine []byte) bool,
) (*Process, error) {
	p := &Process{watchdog: &s.watchdog, begun: time.Now(), deadline: deadline}
	var err error
	if p.pipes, err = newPipes(input, detach); err != nil {
		return nil, err
	}
	life := diesWithUs
	if detach != nil && s.OneShot {
		life = outlivesUs // it may have to
	}
	if p.leader, err = s.start(program, p.pipes.fds(), life, &s.watchdog); err != nil {
		p.pipes.stop()
		return nil, err
	}
	p.pipes.serve(p.leader)
	return p, nil
}

// waitEvent is what ends or interrupts a wait for a process.
type waitEvent int

const (
	eventExit   waitEvent = iota // the leader has ended; it is not reaped yet
	eventDetach                  // it asked to be detached, and has its whole input
	eventCancel                  // the context ended
	eventDeadline
	eventLine // a persistent process answered
)

// Wait waits until the process has ended, and returns its result. At the deadline, or when ctx ends, it kills the
// process with all its descendants. It returns false if the process asked to be detached. Then the process still runs:
// Wait again for its end, or Release it.
//
// The precedence of events is decided here. An exit before the deadline counts, whatever the pipes do. Otherwise the
// deadline or the end of ctx counts; the caller may ignore what was printed before.
func (p *Process) Wait(ctx context.Context) (result Result, ended bool) {
	l := p.leader
	event := p.pipes.wait(ctx, earlier(p.deadline, p.begun.Add(shortTime)))
	if event == eventDeadline && time.Now().Before(p.deadline) {
		p.watchdog.begin()
		event = p.pipes.wait(ctx, p.deadline)
	}
	if event == eventDetach {
		p.pipes.takeDetach() // ignore it; the next Wait is for the end
		return Result{}, false
	}
	if event == eventDeadline && p.pipes.exited(0) { // it exited at the same time
		event = eventExit
	}
	killed := event != eventExit
	if killed {
		result.TimedOut = true
		if result.Left = l.end(p.pipes.exited); slices.Contains(result.Left, l.pid) {
			l.unwatch()
			l.reapLater() // when the kernel lets go of it
			result.Stdout, result.Stderr = p.pipes.stop()
			return result, true
		}
	} else {
		// Output of the process itself is in the pipes already. Only a child that holds them takes longer.
		result.Unread = !p.pipes.drain(DrainTime)
	}
	l.unwatch()
	result.Stdout, result.Stderr = p.pipes.stop()
	status := l.reap()
	result.ExitCode, result.Signal = status.code, status.signal
	if !killed {
		result.Err = status.err
		result.Left = l.leftInGroup()
		result.Detached = p.pipes.takeDetach() // it ended before its first line was seen
	}
	l.forget()
	return result, true
}

func earlier(a, b time.Time) time.Time {
	if a.Before(b) {
		return a
	}
	return b
}

// Release stops waiting for a process that asked to be detached, and returns what it has printed. Nobody reads its
// output any more.
func (p *Process) Release() (result Result) {
	p.leader.unwatch()
	p.leader.reapLater()
	result.Detached = true
	result.Stdout, result.Stderr = p.pipes.stop()
	return result
}
