//go:build !linux

package process

import (
	"context"
	"errors"
	"io"
	"os"
	"sync"
	"time"
)

// pipes are the three pipes of a running process, and the wait for its events. Pipes and wait have a goroutine each.
type pipes struct {
	*stdio
	leader   *leader
	input    Input
	captures [2]capture
	ended    chan struct{} // closed when the leader has ended
	read     chan struct{} // closed when both outputs have ended
	written  chan struct{} // closed when the input is written, or the process has stopped reading
	detach   chan struct{} // closed when the first line asks to be detached
}

// newPipes makes the pipes, and widens them for a large input.
func newPipes(input Input, detach func([]byte) bool) (*pipes, error) {
	p := &pipes{
		input: input, captures: newCaptures(),
		read: make(chan struct{}), written: make(chan struct{}), detach: make(chan struct{}),
	}
	var err error
	if p.stdio, err = newStdio(); err != nil {
		return nil, err
	}
	if input.size() > pipeSize {
		p.widen()
	}
	if detach != nil {
		asks := p.detach
		p.captures[0].firstLine = func(line []byte) {
			if detach(line) {
				close(asks)
			}
		}
	}
	return p, nil
}

// serve connects the pipes to their started process, and closes our copies of the process's ends. It writes and reads
// at the same time. Otherwise a process that answers before it has read the whole input would block us, and we the
// process.
func (p *pipes) serve(l *leader) {
	p.closeTheirs()
	p.leader, p.ended = l, l.exit()
	p.write(p.input, func(int) {
		p.in.Close()
		close(p.written)
	})
	go func() {
		defer close(p.read)
		var other sync.WaitGroup
		other.Go(func() { p.captures[1].readAll(&p.out[1]) })
		p.captures[0].readAll(&p.out[0])
		other.Wait()
	}()
}

// wait waits for the next event.
func (p *pipes) wait(ctx context.Context, until time.Time) waitEvent {
	timer := time.NewTimer(time.Until(until))
	defer timer.Stop()
	asks := p.detach
	var written chan struct{} // a detached process still gets its whole input
	for {
		select {
		case <-p.ended:
			return eventExit
		case <-ctx.Done():
			return eventCancel
		case <-timer.C:
			return eventDeadline
		case <-asks:
			asks, written = nil, p.written
		case <-written:
			return eventDetach
		}
	}
}

// exited waits for the end of the leader up to a limit, and reports whether the leader ended. It also queries the
// system, because the goroutine that waits for the exit may not have run since.
func (p *pipes) exited(limit time.Duration) bool {
	return within(p.ended, limit) || p.leader.hasEnded()
}

// drain waits until both outputs are read to their ends, up to a limit. The ends arrive late if another process holds
// the pipes. drain does not wait for unwritten input, because the process has ended.
func (p *pipes) drain(limit time.Duration) { within(p.read, limit) }

// takeDetach reports whether the process has asked to be detached, and resets the request.
func (p *pipes) takeDetach() bool {
	select {
	case <-p.detach:
		p.detach = nil
		return true
	default:
		return false
	}
}

// held reports whether another process still holds an output. Call it after stop.
func (p *pipes) held() bool { return !p.captures[0].ended || !p.captures[1].ended }

// stop stops reading and writing once the pipes are empty, closes the pipes, and returns the kept output.
func (p *pipes) stop() (stdout, stderr Output) {
	p.in.stop()
	p.out[0].stop()
	p.out[1].stop()
	<-p.written
	<-p.read
	p.close()
	return p.captures[0].output(), p.captures[1].output()
}

// readAll reads until the stream ends. After e.stop it reads what is in the pipe, and waits for nothing more. On a busy
// machine stop may come before the first read, and the output of an ended process must count all the same.
func (c *capture) readAll(e *pipeEnd) {
	err := c.read(e)
	for err == nil {
		err = c.read(e)
	}
	if errors.Is(err, os.ErrDeadlineExceeded) {
		err = nil
		// A pipe holds less than keepStdout; more comes from a process that still prints.
		for until := c.total + keepStdout; err == nil && c.total < until; {
			err = c.read(unreadReader{e})
		}
	}
	c.ended = err == io.EOF
}

// unreadReader reads what is in a pipe. Instead of waiting, Read returns an error other than io.EOF.
type unreadReader struct{ *pipeEnd }
