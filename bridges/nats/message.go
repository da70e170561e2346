package main

import (
	"fmt"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/hookrun/hookrun/internal/texts/queue"
)

// Limits of a message's headers, in bytes.
const (
	maxID     = 128
	maxHeader = 1024
)

// headers are the headers of a message, with functions that set a field of the entry.
var headers = map[string]func(e *queue.Entry, value string, published time.Time) error{
	"Hookrun-Session":  func(e *queue.Entry, value string, _ time.Time) error { e.Session = value; return nil },
	"Hookrun-Source":   func(e *queue.Entry, value string, _ time.Time) error { e.Source = value; return nil },
	"Hookrun-Strategy": func(e *queue.Entry, value string, _ time.Time) error { e.Strategy = value; return nil },
	"Hookrun-Matcher":  func(e *queue.Entry, value string, _ time.Time) error { e.Matcher = value; return nil },
	"Hookrun-TTL": func(e *queue.Entry, value string, published time.Time) error {
		ttl, err := time.ParseDuration(value)
		if err != nil || ttl <= 0 {
			return fmt.Errorf("the header Hookrun-TTL %q is no duration above zero: write it as 10m", value)
		}
		e.Expires = published.Add(ttl)
		return nil
	},
}

// message is a text from the server. The ID is the publisher's, or the place in the stream.
type message struct {
	id        string
	published time.Time
	entry     queue.Entry
	invalid   error // why it is no text for the queue
}

// read reads a message. The entry's time of creation is still to be set.
func (o *options) read(data []byte, header nats.Header, meta *jetstream.MsgMetadata) message {
	m := message{
		id: strings.Join([]string{meta.Stream, strconv.FormatUint(meta.Sequence.Stream, 10),
			strconv.FormatInt(meta.Timestamp.UnixNano(), 10)}, ":"),
		published: meta.Timestamp,
		entry:     queue.Entry{Session: o.session, Source: "nats", Content: string(data)},
	}
	if !o.everyAgent {
		m.entry.Agents = []string{o.agent}
	}
	if id := header.Get(nats.MsgIdHdr); len(id) > maxID || !printable(id) {
		m.invalid = fmt.Errorf("the header Nats-Msg-Id is longer than %d bytes or has unprintable characters", maxID)
		return m
	} else if id != "" {
		m.id = id
	}
	m.invalid = m.readHeaders(header)
	switch {
	case m.invalid != nil:
	case m.entry.Session == "":
		m.invalid = fmt.Errorf("the header Hookrun-Session is missing, and the bridge has no --session")
	case !utf8.Valid(data):
		m.invalid = fmt.Errorf("the text is not UTF-8")
	}
	return m
}

func (m *message) readHeaders(header nats.Header) error {
	for key, values := range header {
		if len(key) < len("Hookrun-") || !strings.EqualFold(key[:len("Hookrun-")], "Hookrun-") {
			continue
		}
		set, known := headers[key]
		switch {
		case !known:
			return fmt.Errorf("there is no header %.64q: use Hookrun-Session, Hookrun-Source, Hookrun-Strategy, "+
				"Hookrun-Matcher or Hookrun-TTL", key)
		case len(values) != 1 || values[0] == "":
			return fmt.Errorf("the header %s needs one value", key)
		case len(values[0]) > maxHeader || !printable(values[0]):
			return fmt.Errorf("the header %s is longer than %d bytes or has unprintable characters", key, maxHeader)
		}
		if err := set(&m.entry, values[0], m.published); err != nil {
			return err
		}
	}
	return nil
}

func printable(text string) bool {
	return utf8.ValidString(text) && strings.IndexFunc(text, func(r rune) bool { return !unicode.IsPrint(r) }) < 0
}
