package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// The streams, which the bridge makes if they are missing.
const (
	textsStream   = "HOOKRUN"
	textsPrefix   = "hookrun.queue."
	reportsStream = "HOOKRUN_DELIVERED"
	reportsPrefix = "hookrun.delivered."
)

const (
	// ackWait is the time before the server sends an unacknowledged text again. A short time is harmless, because the
	// journal knows the text.
	ackWait = 2 * time.Second
	// pause is the time before the next try after a failure.
	pause = time.Second
	// maxText limits the bytes of a text with its headers. The server enforces it, so the publisher gets the error.
	maxText = 1<<20 + 8<<10
)

// bridge takes the texts of one agent.
type bridge struct {
	options
	journal *journal
	conn    *nats.Conn
	js      jetstream.JetStream

	stderr io.Writer
	saying sync.Mutex
	said   map[string]bool // since the last connection
}

// say prints a line, unless it was said since the last connection.
func (b *bridge) say(line string) {
	b.saying.Lock()
	defer b.saying.Unlock()
	if b.said == nil || len(b.said) > 100 {
		b.said = map[string]bool{}
	}
	if !b.said[line] {
		fmt.Fprintln(b.stderr, "hookrun-nats:", line)
	}
	b.said[line] = true
}

// connected says that the connection is up, and forgets the lines before.
func (b *bridge) connected(c *nats.Conn) {
	b.saying.Lock()
	b.said = nil
	b.saying.Unlock()
	b.say("connected to " + host(c.ConnectedUrl()))
}

// fail says an error, and waits before the next try. The handlers of the connection have said the errors of a lost
// connection.
func (b *bridge) fail(ctx context.Context, err error) {
	if b.conn.IsConnected() && ctx.Err() == nil {
		b.say(err.Error())
	}
	wait(ctx, pause)
}

// wait waits for a time, or until ctx ends.
func wait(ctx context.Context, d time.Duration) {
	select {
	case <-ctx.Done():
	case <-time.After(d):
	}
}

// run takes texts and reports their ends until ctx ends.
func (b *bridge) run(ctx context.Context) (err error) {
	if b.js, err = jetstream.New(b.conn); err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(ctx)
	var reports sync.WaitGroup
	reports.Go(func() { b.report(ctx) })
	defer reports.Wait()
	defer cancel()
	for ctx.Err() == nil {
		err := b.consume(ctx)
		if b.conn.IsClosed() {
			return fmt.Errorf("the connection is closed for good: %w", err)
		}
		if err != nil {
			b.fail(ctx, err)
		}
	}
	if b.conn.IsConnected() {
		_ = b.conn.FlushTimeout(pause) // the last acknowledgement; without it, the text comes again and is known
	}
	return nil
}

// makeStream returns a stream, and makes a missing stream. An existing stream keeps the configuration of its owner.
func (b *bridge) makeStream(ctx context.Context, config jetstream.StreamConfig) (jetstream.Stream, error) {
	stream, err := b.js.Stream(ctx, config.Name)
	if errors.Is(err, jetstream.ErrStreamNotFound) {
		stream, err = b.js.CreateStream(ctx, config)
	}
	return stream, err
}

// consume takes texts until ctx ends or the server fails.
func (b *bridge) consume(ctx context.Context) error {
	stream, err := b.makeStream(ctx, jetstream.StreamConfig{
		Name: textsStream, Description: "texts for agents of hookrun", Subjects: []string{textsPrefix + "*"},
		Retention: jetstream.WorkQueuePolicy, // an agent that is away for long loses no text
		Discard:   jetstream.DiscardNew, MaxMsgSize: maxText,
	})
	if err != nil {
		return err
	}
	consumer, err := stream.CreateOrUpdateConsumer(ctx, jetstream.ConsumerConfig{
		Durable: "hookrun-" + b.agent, FilterSubject: textsPrefix + b.agent,
		AckPolicy: jetstream.AckExplicitPolicy, AckWait: ackWait,
		MaxAckPending: 1, // the server sends a text again before the next, so the order is kept
	})
	if err != nil {
		return err
	}
	messages, err := consumer.Messages(jetstream.PullMaxMessages(16))
	if err != nil {
		return err
	}
	defer messages.Stop()
	for {
		m, err := messages.Next(jetstream.NextContext(ctx))
		if err != nil {
			if ctx.Err() != nil {
				return nil
			}
			return err
		}
		if err := b.take(ctx, m); err != nil {
			return err
		}
	}
}

// take puts a text into the queue, with as many tries as the queue needs, and acknowledges the text.
func (b *bridge) take(ctx context.Context, received jetstream.Msg) error {
	meta, err := received.Metadata()
	if err != nil {
		return err
	}
	m := b.read(received.Data(), received.Headers(), meta)
	if b.journal.has(m.id) {
		return received.Ack()
	}
	status := "rejected"
	if m.invalid == nil && !m.entry.Expires.IsZero() && time.Now().After(m.entry.Expires) {
		m.invalid, status = errors.New("its time was over before it came to this machine"), "expired"
	}
	for {
		var err error
		if m.invalid == nil {
			err = b.journal.put(ctx, m)
		} else {
			err = b.journal.refuse(m, status)
		}
		invalid := &invalidError{}
		switch {
		case err == nil && m.invalid != nil:
			b.say(fmt.Sprintf("%s is not queued: %v", m.id, m.invalid))
			return received.TermWithReason(m.invalid.Error())
		case err == nil:
			return received.Ack()
		case errors.As(err, &invalid):
			m.invalid = invalid.error
			continue
		case ctx.Err() != nil:
			return nil
		}
		b.fail(ctx, fmt.Errorf("%s is not queued yet: %w", m.id, err))
		_ = received.InProgress() // if this fails, the text comes again and is known
	}
}
