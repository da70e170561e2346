package process

import (
	"context"
	"sync"
	"time"
)

// copiedPipes have a goroutine for each pipe, and one that waits for the exit. They work on every system.
type copiedPipes struct {
	*stdio
	input    Input
	captures [2]capture
	ended    chan struct{} // closed when the leader has ended
	read     chan struct{} // closed when both outputs have ended
	written  chan struct{} // closed when everything is written, or the process has stopped reading
	detach   chan struct{} // closed when the first line asks to be detached
}

func newCopiedPipes(input Input, detach func([]byte) bool) (_ pipes, theirs [3]uintptr, err error) {
	p := &copiedPipes{
		input: input, captures: newCaptures(),
		read: make(chan struct{}), written: make(chan struct{}), detach: make(chan struct{}),
	}
	if p.stdio, err = newStdio(); err != nil {
		return nil, theirs, err
	}
	if detach != nil {
		asks := p.detach
		p.captures[0].firstLine = func(line []byte) {
			if detach(line) {
				close(asks)
			}
		}
	}
	return p, p.fds(), nil
}

// serve writes and reads at the same time. Otherwise a process that answers before it has read everything would wait
// for us, and we for it.
func (p *copiedPipes) serve(l *leader) {
	p.closeTheirs()
	p.ended = l.exit()
	go func() {
		defer close(p.written)
		for _, piece := range p.input {
			if _, err := p.in.Write(piece); err != nil {
				break // the process may stop reading; its exit still counts
			}
		}
		p.in.Close()
	}()
	go func() {
		defer close(p.read)
		var other sync.WaitGroup
		other.Go(func() { p.captures[1].readAll(&p.out[1]) })
		p.captures[0].readAll(&p.out[0])
		other.Wait()
	}()
}

func (p *copiedPipes) wait(ctx context.Context, until time.Time) waitEvent {
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

func (p *copiedPipes) exited(limit time.Duration) bool { return within(p.ended, limit) }

func (p *copiedPipes) drain(limit time.Duration) bool { return within(p.read, limit) }

func (p *copiedPipes) takeDetach() bool {
	select {
	case <-p.detach:
		p.detach = nil
		return true
	default:
		return false
	}
}

func (p *copiedPipes) stop() (stdout, stderr Output) {
	p.in.stop()
	p.out[0].stop()
	p.out[1].stop()
	if p.ended != nil { // it was served
		<-p.written
		<-p.read
	}
	p.close()
	return p.captures[0].output(), p.captures[1].output()
}
