package process

import (
	"io"
	"os"
	"sync"
	"time"
)

// BreakCommand is the first argument of Supervisor.Binary for sending CTRL_BREAK.
const BreakCommand = "__ctrl-break"

// Supervisor starts processes and ensures that they end when this process does. Set its fields before the first start.
// It is safe for concurrent use. Wait for, release or end every process before Close.
type Supervisor struct {
	// OneShot is for a program that starts a few processes and exits. If set, a process that ends within a millisecond
	// gets no watchdog, and a process that may ask to be detached can outlive this one.
	OneShot bool

	// Subreaper makes this process adopt the orphans of its processes (Linux). Then Wait finds orphans at a deadline
	// even if they left the group and wiped their environment. All unknown children are treated as orphans and reaped,
	// so set Subreaper only in programs that start no other children.
	Subreaper bool

	// Binary is the path of a program that calls SendBreak with its second argument if its first is BreakCommand
	// (Windows): hookrun. Wait starts it at a deadline to end a process gently. If Binary is "", Wait kills at once.
	Binary string

	prepared   sync.Once // done by the first start
	adopts     bool      // Subreaper is set, and the system supports it
	watchdog   watchdog
	closing    chan struct{}
	background sync.WaitGroup // pool workers that end, and the goroutine that reaps orphans
}

// prepare initialises the supervisor at the first start.
func (s *Supervisor) prepare() {
	s.watchdog.keep = !s.OneShot
	s.closing = make(chan struct{})
	s.adopts = s.Subreaper && becomeSubreaper()
	if s.adopts && !s.OneShot {
		s.background.Go(s.reapOrphans)
	}
}

// reapOrphans reaps orphans every second, because forget reaps them only when a process of ours ends.
func (s *Supervisor) reapOrphans() {
	ticker := time.NewTicker(time.Second)
	defer ticker.Stop()
	for {
		select {
		case <-ticker.C:
			reapOrphans()
		case <-s.closing:
			return
		}
	}
}

// Close stops the watchdog and the background goroutines. Close the supervisor's pools first.
func (s *Supervisor) Close() {
	s.prepared.Do(func() {}) // no start may prepare after this
	if s.closing != nil {
		close(s.closing)
	}
	s.background.Wait()
	s.watchdog.end()
}

// StartDetached starts a process that outlives this one, without waiting for it. The input is a file without a name,
// since a pipe would need a writer. The output is discarded. The process gets files as its descriptors from 3 (Linux,
// macOS).
func (s *Supervisor) StartDetached(program Program, input Input, files ...*os.File) error {
	stdin, err := unnamedFile(input)
	if err != nil {
		return err
	}
	defer stdin.Close()
	null, err := os.OpenFile(os.DevNull, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	defer null.Close()
	for _, f := range files {
		program.inherits = append(program.inherits, f.Fd())
	}
	l, err := s.start(program, [3]uintptr{stdin.Fd(), null.Fd(), null.Fd()}, outlivesUs, nil)
	if err != nil {
		return err
	}
	l.reapLater()
	return nil
}

// lifetime says whether a program ends when this process dies.
type lifetime uint8

const (
	diesWithUs lifetime = iota // killed
	outlivesUs                 // keeps running
)

// unnamedFile writes the input to a temporary file without a name, and returns the file open at its start.
func unnamedFile(input Input) (*os.File, error) {
	f, err := createUnnamed()
	if err != nil {
		return nil, err
	}
	if _, err = input.writeTo(f); err == nil {
		_, err = f.Seek(0, io.SeekStart)
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}
