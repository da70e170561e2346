package process

import (
	"context"
	"fmt"
	"io"
	"slices"
	"time"
)

// Program describes a program to start.
type Program struct {
	Path string   // of the executable
	Args []string // including the program's name, as in os.Args
	Dir  string   // the working directory
	Env  []string // NAME=VALUE, each name once; Start adds RunVariable

	inherits []uintptr // descriptors from 3, for StartDetached alone
}

// RunVariable is the environment variable that marks a process and its descendants (Linux, macOS). It identifies
// descendants that have left the process group.
const RunVariable = "HOOKRUN_RUN"

// StartError is returned if the system could not start a program.
type StartError struct {
	Program Program
	Err     error
}

func (e *StartError) Error() string { return fmt.Sprintf("%s: %v", e.Program.Args[0], e.Err) }
func (e *StartError) Unwrap() error { return e.Err }

// Input is the stdin of a process, in pieces that are written in order. The pieces must not change.
type Input [][]byte

// size returns the number of bytes.
func (in Input) size() (n int) {
	for _, piece := range in {
		n += len(piece)
	}
	return n
}

// writeTo writes all pieces, and returns the number of bytes written.
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

// Result describes the end of a process and holds its output.
type Result struct {
	Err      error  // not started, or the exit status is lost: ignore ExitCode and Signal
	TimedOut bool   // killed at its deadline or when the context ended: ignore ExitCode and Signal
	ExitCode int    // -1 if killed by a signal
	Signal   string // the signal that killed the process, such as SIGKILL
	Stdout   Output
	Stderr   Output

	// Survivors are the pids of processes that still run in the group after the exit, or that could not be killed.
	Survivors []int
	// OutputHeld: after the exit another process held the outputs open for longer than DrainTime.
	OutputHeld bool

	Detached bool // the first line of stdout asked to be detached
}

// Process is a running process. The caller must end it with Wait or Release.
type Process struct {
	leader   *leader
	pipes    *pipes
	watchdog *watchdog
	begun    time.Time // when the program ran
	deadline time.Time
}

// shortTime is longer than most processes run. A process that runs longer gets a watchdog.
const shortTime = time.Millisecond

// Start starts a process, and begins to write its input. Wait writes the rest, reads the output and enforces the
// deadline.
//
// detach is called with the first line of stdout, and reports whether the line asks to be detached. nil: no line does.
func (s *Supervisor) Start(
	program Program, input Input, deadline time.Time, detach func(firstLine []byte) bool,
) (*Process, error) {
	p := &Process{watchdog: &s.watchdog, deadline: deadline}
	var err error
	if p.pipes, err = newPipes(input, detach); err != nil {
		return nil, err
	}
	life := diesWithUs
	if detach != nil && s.OneShot {
		life = outlivesUs // Release may leave it running
	}
	if p.leader, err = s.start(program, p.pipes.fds(), life, &s.watchdog); err != nil {
		p.pipes.close()
		return nil, err
	}
	p.begun = time.Now()
	p.pipes.serve(p.leader)
	return p, nil
}

// waitEvent is an event that ends or interrupts a wait for a process.
type waitEvent int

const (
	eventExit   waitEvent = iota // the leader has ended and is not reaped yet
	eventDetach                  // the process asked to be detached, and its whole input is written
	eventCancel                  // the context ended
	eventDeadline
	eventLine // a persistent process answered
)

// Wait waits until the process has ended, and returns its result. At the deadline, or when ctx ends, Wait kills the
// process with all its descendants. If the process asked to be detached, Wait returns false. The process still runs
// then: Wait again for its end, or Release it.
//
// Precedence of events: an exit before the deadline counts, whether or not the pipes have ended. Otherwise the deadline
// or the end of ctx counts, and the caller may ignore the output.
func (p *Process) Wait(ctx context.Context) (result Result, ended bool) {
	l := p.leader
	first := p.deadline
	if short := p.begun.Add(shortTime); !p.watchdog.keep && short.Before(first) {
		first = short
	}
	event := p.pipes.wait(ctx, first)
	if event == eventDeadline && time.Now().Before(p.deadline) {
		p.watchdog.begin()
		event = p.pipes.wait(ctx, p.deadline)
	}
	if event == eventDetach {
		p.pipes.takeDetach() // the next Wait must wait for the end
		return Result{}, false
	}
	if event == eventDeadline && p.pipes.exited(0) { // exited at the same time
		event = eventExit
	}
	killed := event != eventExit
	if killed {
		result.TimedOut = true
		if result.Survivors = l.end(p.pipes.exited); slices.Contains(result.Survivors, l.pid) {
			l.unwatch()
			l.reapLater() // when the kernel frees it
			result.Stdout, result.Stderr = p.pipes.stop()
			return result, true
		}
	} else {
		// The process's own output is in the pipes already, and stop reads it. A child that holds the pipes may print
		// more.
		p.pipes.drain(DrainTime)
	}
	l.unwatch()
	result.Stdout, result.Stderr = p.pipes.stop()
	result.OutputHeld = !killed && p.pipes.held()
	status := l.reap()
	result.ExitCode, result.Signal = status.code, status.signal
	if !killed {
		result.Err = status.err
		result.Survivors = l.leftInGroup()
		result.Detached = p.pipes.takeDetach() // ended before the request was seen
	}
	l.forget()
	return result, true
}

// Release stops waiting for a process that asked to be detached, and returns the output so far. Later output is lost.
func (p *Process) Release() (result Result) {
	p.leader.unwatch()
	p.leader.reapLater()
	result.Detached = true
	result.Stdout, result.Stderr = p.pipes.stop()
	return result
}
