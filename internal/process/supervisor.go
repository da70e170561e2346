package process

import (
	"io"
	"os"
	"sync"
	"time"
)

// BreakCommand is the argument by which Supervisor.Binary is told to send CTRL_BREAK.
const BreakCommand = "__ctrl-break"

// Supervisor starts processes and makes sure that they end when this process does. Set its fields before the first
// start. It is safe for concurrent use. Wait for, release or end every process before Close.
type Supervisor struct {
	// OneShot is for a program that starts a few processes and exits. Then a process that ends within a millisecond
	// gets no watchdog, and a process that may ask to be detached can outlive this one.
	OneShot bool

	// Subreaper makes this process adopt the orphans of its processes (Linux). So Wait finds them at a deadline even if
	// they left their group and wiped their environment. Unknown children are taken for such orphans and reaped, so set
	// it only in programs that start no other children.
	Subreaper bool

	// Binary is the path of a program that calls SendBreak with its second argument if its first is BreakCommand
	// (Windows): hookrun itself. It is started to ask a process to end at its deadline. "": the process is not asked,
	// and killed at once.
	Binary string

	prepared   sync.Once // by the first start
	adopts     bool      // Subreaper is set, and the system supports it
	watchdog   watchdog
	closing    chan struct{}
	background sync.WaitGroup // pool workers that end, and the goroutine that reaps orphans
}

// prepare does what the first start needs.
func (s *Supervisor) prepare() {
	s.watchdog.keep = !s.OneShot
	s.closing = make(chan struct{})
	s.adopts = s.Subreaper && becomeSubreaper()
	if s.adopts && !s.OneShot {
		s.background.Go(s.reapOrphans)
	}
}

// reapOrphans reaps orphans that end while none of our processes does.
func (s *Supervisor) reapOrphans() {
	look := time.NewTicker(time.Second)
	defer look.Stop()
	for {
		select {
		case <-look.C:
			reapOrphans()
		case <-s.closing:
			return
		}
	}
}

// Close releases what the supervisor keeps between processes. Close its pools first.
func (s *Supervisor) Close() {
	s.prepared.Do(func() {}) // nothing may be prepared any more
	if s.closing != nil {
		close(s.closing)
	}
	s.background.Wait()
	s.watchdog.end()
}

// StartDetached starts a process that nobody waits for and that outlives this one. Its input is a file without a name,
// since a pipe would need a writer. Its output is discarded.
func (s *Supervisor) StartDetached(program Program, input Input) error {
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
	l, err := s.start(program, [3]uintptr{stdin.Fd(), null.Fd(), null.Fd()}, outlivesUs, nil)
	if err != nil {
		return err
	}
	l.reapLater()
	return nil
}

// lifetime is what becomes of a program when this process dies.
type lifetime uint8

const (
	diesWithUs lifetime = iota // it is killed
	outlivesUs                 // it lives on
)

// unnamedFile writes the input to a temporary file that nobody can find, and returns it open at its start.
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
