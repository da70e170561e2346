package process

import (
	"io"
	"os"
	"sync"
	"time"
)

// Supervisor starts processes and makes sure that they end when this process does. Set its fields before the first
// start. It is safe for concurrent use. Every process that it started must be waited for, released or ended before
// Close.
type Supervisor struct {
	// OneShot is for a program that starts a few processes and ends. It does not pay for a watchdog where a process
	// ends within a millisecond, and a process that may ask to be detached is allowed to outlive it.
	OneShot bool

	// Subreaper makes this process the parent of the orphans of its processes (Linux), so that Wait finds them at a
	// deadline even if they left their group and wiped their environment. Unknown children are then taken for such
	// orphans and reaped, so it is only for programs that start no other children.
	Subreaper bool

	prepared   sync.Once // by the first start
	adopts     bool      // Subreaper, and the system can do it
	watchdog   watchdog
	closing    chan struct{}
	background sync.WaitGroup // workers of pools, and the goroutine that reaps orphans
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

// Close ends what the supervisor keeps between processes. Close its pools first.
func (s *Supervisor) Close() {
	s.prepared.Do(func() {}) // there is nothing to prepare any more
	if s.closing != nil {
		close(s.closing)
	}
	s.background.Wait()
	s.watchdog.end()
}

// StartDetached starts a process that nobody waits for and that outlives this one. Its input is a file without a name,
// since a pipe would need somebody who writes to it. Its output goes nowhere.
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
	l, err := s.start(program, [3]uintptr{stdin.Fd(), null.Fd(), null.Fd()}, false, nil)
	if err != nil {
		return err
	}
	l.reapLater()
	return nil
}

// unnamedFile writes the input to a temporary file that only its descriptor leads to, and returns it open at its start.
func unnamedFile(input Input) (*os.File, error) {
	f, err := os.CreateTemp("", "hookrun-stdin-")
	if err != nil {
		return nil, err
	}
	_ = os.Remove(f.Name()) // Windows keeps it, in the folder of temporary files
	for _, piece := range input {
		if _, err = f.Write(piece); err != nil {
			break
		}
	}
	if err == nil {
		_, err = f.Seek(0, io.SeekStart)
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}
