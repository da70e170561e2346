// Package otlp sends a run log to an OpenTelemetry collector: OTLP over HTTP as JSON, by hand over net/http.
//
//	settings, err := otlp.Read("http://localhost:4318/v1/logs", version, os.Getenv)
//	…
//	total, err := otlp.Send(ctx, settings, otlp.Options{Log: "run.log", Folder: folder, Say: say})
//
// Guarantees:
//
//  1. Each whole line of the log that is a call or a heartbeat becomes a record and is sent, in the order of the log,
//     until the server takes the record. A process that is killed sends the last batch again at most.
//  2. Two processes never send one log to one address at the same time.
//  3. Unreadable lines, records rejected by the server, and parts rotated away before the sending are said and
//     counted.
//  4. Memory is bounded by a batch and the longest line.
//  5. Arguments, results and prompts stay here without Options.Args.
//
// Not guaranteed: a rotated part that is removed while no process sends is lost. A server may keep a batch twice if its
// answer was lost.
//
// The SDK of OpenTelemetry would cost each start of hookrun, also of users who send nothing.
package otlp

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"path/filepath"
	"time"

	"github.com/hookrun/hookrun/internal/lib/spelling"
	"github.com/hookrun/hookrun/internal/lib/strictjson"
	"github.com/hookrun/hookrun/internal/record/stats"
)

// Options say what is sent.
type Options struct {
	Log    string       // the path of the log
	Folder string       // of the user's state
	Args   bool         // also arguments, results and prompts
	Once   bool         // end at the end of the log, and after a minute of failures
	Say    func(string) // tells a person a line

	first time.Duration // the wait after a first failure; 0: the default
}

// Total counts the lines and records.
type Total struct {
	Sent       int64 // records that the server took
	Rejected   int64 // of them, records that the server did not keep
	Unreadable int64 // lines that cannot be read
	Other      int64 // lines of another kind
	Missed     int64 // parts that were rotated away before they were sent
}

// String returns the counts for a person.
func (t Total) String() string {
	text := fmt.Sprintf("%d sent", t.Sent)
	for _, n := range []struct {
		count int64
		what  string
	}{
		{t.Rejected, "rejected by the server"}, {t.Unreadable, "unreadable"}, {t.Other, "of another kind"},
		{t.Missed, "missed as whole parts"},
	} {
		if n.count > 0 {
			text += fmt.Sprintf(", %d %s", n.count, n.what)
		}
	}
	return text
}

const (
	maxRecords   = 1000
	maxBody      = 1 << 20 // of a batch of more than one record
	smallBody    = 1 << 16 // a collector takes each body of this size
	pollInterval = 500 * time.Millisecond
	firstWait    = 500 * time.Millisecond
	maxWait      = 30 * time.Second
	patience     = time.Minute // of Options.Once
	sayAgain     = 10 * time.Minute
)

// sender sends one log to one address.
type sender struct {
	Options
	client   *client
	position *position
	total    Total
	most     int // records in a batch
	said     time.Time
	saidText string

	before, after string // the JSON around the records
	body          []byte
}

// Send sends the log until ctx ends, or with Options.Once up to the end of the log.
func Send(ctx context.Context, settings *Settings, o Options) (total Total, err error) {
	s := &sender{Options: o, most: maxRecords}
	s.first = cmp.Or(o.first, firstWait)
	if s.client, err = newClient(settings); err != nil {
		return total, err
	}
	defer s.client.http.CloseIdleConnections()
	if s.Log, err = filepath.Abs(o.Log); err != nil {
		return total, err
	}
	if real, err := filepath.EvalSymlinks(filepath.Dir(s.Log)); err == nil { // the same log by another name
		s.Log = filepath.Join(real, filepath.Base(s.Log))
	}
	s.position, err = openPosition(o.Folder, s.Log, settings.endpoint.URL, settings.endpoint.String())
	if err != nil {
		return total, err
	}
	defer s.position.locked.Close()
	s.before, s.after = settings.around()
	for ctx.Err() == nil {
		newer, err := s.round(ctx)
		if errors.Is(err, errStopped) { // the position is kept
			break
		}
		if err != nil || o.Once && !newer {
			return s.total, err
		}
		if !newer {
			sleep(ctx, pollInterval)
		}
	}
	return s.total, nil
}

// around returns the JSON before and after the records of a batch.
func (s *Settings) around() (before, after string) {
	r := record{b: []byte(`{"resourceLogs":[{"resource":{"attributes":[`)}
	for _, a := range s.resource {
		r.text(a.key, a.value)
	}
	r.raw(`]},"scopeLogs":[{"scope":{"name":"hookrun","version":`)
	r.b = strictjson.AppendString(r.b, s.version)
	r.raw(`},"logRecords":[`)
	return string(r.b), "]}]}]}"
}

// sleep waits, unless ctx ends.
func sleep(ctx context.Context, d time.Duration) {
	select {
	case <-ctx.Done():
	case <-time.After(d):
	}
}

// round sends all present lines. newer reports that the log has a newer part by now.
func (s *sender) round(ctx context.Context) (newer bool, err error) {
	log, err := stats.Open(s.Log)
	if errors.Is(err, fs.ErrNotExist) && !s.Once {
		s.say("waiting for " + s.Log)
		return false, nil
	}
	if err != nil {
		return false, err
	}
	defer log.Close()
	parts := log.Parts()
	closed, newer := log.Moved() // before the newest part is read: after a move no process writes to it
	marks := make([]mark, 0, len(parts))
	read := make([]int, 0, len(parts)) // indices of parts with a first line
	for i := range parts {
		head, err := headOf(&parts[i])
		if err != nil {
			return false, err
		}
		size, err := parts[i].Size()
		if err != nil {
			return false, err
		}
		if head != "" {
			m := mark{Head: head, Size: size, Closed: closed || i < len(parts)-1}
			marks, read = append(marks, m), append(read, i)
		}
	}
	if missed := s.position.keep(marks); missed > 0 {
		s.total.Missed += int64(missed)
		const text = "%s: at least %s of the log was rotated away or removed before it was sent; " +
			"calls after %s may be missing"
		s.Say(fmt.Sprintf(text, s.Log, spelling.Count(int64(missed), "part"), cmp.Or(s.position.Last, "the first")))
	}
	for n, i := range read {
		if err := s.part(ctx, &parts[i], marks[n]); err != nil {
			return false, err
		}
	}
	if closed {
		return newer, nil
	}
	closed, newer = log.Moved()
	if n := len(read) - 1; closed && n >= 0 && read[n] == len(parts)-1 { // lines may have come just before the move
		m := s.position.Parts[n]
		m.Closed = true
		s.position.set(m)
		err = s.part(ctx, &parts[read[n]], m)
	}
	return newer, err
}

// errStopped: ctx has ended.
var errStopped = errors.New("stopped")

// part sends the rest of a part.
func (s *sender) part(ctx context.Context, p *stats.Part, m mark) (err error) {
	for ctx.Err() == nil {
		if m.Size, err = p.Size(); err != nil {
			return err
		}
		b, err := s.read(p, m)
		if err != nil || b.end == m.Offset {
			return err
		}
		if b.records > 0 {
			taken, err := s.deliver(ctx, b.records)
			if err != nil {
				const text = "%w; the log was taken up to byte %d of %s"
				return fmt.Errorf(text, err, m.Offset, p.Path())
			}
			if !taken { // read it again, smaller
				continue
			}
			s.position.Last = b.last.UTC().Format(time.RFC3339Nano)
		}
		m.Offset = b.end
		if err := s.acknowledge(ctx, &b, p, m); err != nil {
			return err
		}
	}
	return errStopped
}

// acknowledge saves the position after a batch. The next batch waits until the position is on disk, so only one batch
// is sent again if this process is killed.
func (s *sender) acknowledge(ctx context.Context, b *batch, p *stats.Part, m mark) error {
	s.total.Sent += int64(b.records)
	s.total.Unreadable += b.unreadable
	s.total.Other += b.other
	if b.unreadable > 0 {
		s.Say(fmt.Sprintf("%s: %s before byte %d could not be read, and was not sent", p.Path(),
			spelling.Count(b.unreadable, "line"), b.end))
	}
	s.position.set(m)
	return s.retry(ctx, func() *refusal {
		if err := s.position.save(); err != nil {
			return &refusal{text: err.Error(), again: true}
		}
		return nil
	})
}

// batch describes the lines of a part in one request.
type batch struct {
	records           int
	end               int64 // offset in the part
	last              time.Time
	unreadable, other int64
}

var errFull = errors.New("the batch is full")

// read reads the next batch into s.body.
func (s *sender) read(p *stats.Part, m mark) (b batch, err error) {
	s.body = append(s.body[:0], s.before...)
	if cap(s.body) > 4*maxBody { // after a long line
		s.body = []byte(s.before)
	}
	now := time.Now()
	lines := 0
	b.end, err = p.Lines(m.Offset, m.Size, func(line []byte, whole bool) error {
		if !whole && !m.Closed { // it is being written
			return nil
		}
		if lines++; b.records == s.most || lines > 16*maxRecords {
			return errFull
		}
		if line == nil || !whole { // too long, or cut by a rotation after its writer was killed
			b.unreadable++
			return nil
		}
		before := len(s.body)
		if b.records > 0 {
			s.body = append(s.body, ',')
		}
		body, kind, at := appendRecord(s.body, line, now, s.Args)
		switch {
		case kind == unreadable && len(line) > 0:
			b.unreadable++
		case kind == other:
			b.other++
		case kind == sent && b.records > 0 && len(body) > maxBody:
			s.body = s.body[:before]
			return errFull
		case kind == sent:
			s.body, b.last = body, at
			b.records++
			return nil
		}
		s.body = s.body[:before]
		return nil
	})
	if errors.Is(err, errFull) {
		err = nil
	} else if err == nil && m.Closed {
		b.end = m.Size // with the rest of a line that is never completed
	}
	s.body = append(s.body, s.after...)
	return b, err
}

// deliver sends the batch in s.body until the server takes it. It returns false if the batch was too large and must be
// read again, smaller.
func (s *sender) deliver(ctx context.Context, records int) (bool, error) {
	var got taken
	large := false
	err := s.retry(ctx, func() (r *refusal) {
		if got, r = s.client.post(s.body); r != nil {
			r.text = s.client.endpoint.String() + ": " + r.text
		}
		if large = r != nil && r.large && records > 1; large {
			return nil
		}
		if r != nil && r.large && len(s.body) > smallBody { // otherwise this record would hold up all others for ever
			got, r = taken{rejected: 1, message: r.text}, nil
		}
		return r
	})
	if large {
		s.most = records / 2
	}
	if err != nil || large {
		return false, err
	}
	s.most = min(s.most+s.most/8+1, maxRecords) // one long record must not make all later batches small
	got.rejected = min(got.rejected, int64(records))
	s.total.Rejected += got.rejected
	switch {
	case got.rejected > 0:
		s.Say(fmt.Sprintf("the server did not keep %s of %d: %s", spelling.Count(got.rejected, "record"), records,
			cmp.Or(got.message, "it gave no reason")))
	case got.message != "":
		s.say("the server says: " + got.message)
	}
	return true, nil
}

// retry calls try until it succeeds. It waits longer after each failure, and for a random part of the time, so that
// many machines do not come back together.
func (s *sender) retry(ctx context.Context, try func() *refusal) error {
	began, failed := time.Now(), false
	for wait := s.first; ; wait = min(2*wait, maxWait) {
		r := try()
		switch {
		case r == nil && failed:
			s.say("it works again")
			return nil
		case r == nil:
			return nil
		case !r.again:
			return r
		}
		pause := r.after + wait/2 + rand.N(wait/2+1)
		if s.Once && time.Since(began)+pause > patience {
			asked := ""
			if r.after > 0 {
				asked = fmt.Sprintf(", because the server asks to wait %v", r.after.Round(time.Second))
			}
			return fmt.Errorf("%w; given up after %v%s", r, time.Since(began).Round(time.Second), asked)
		}
		failed = true
		s.say(fmt.Sprintf("%v; trying again", r))
		if sleep(ctx, pause); ctx.Err() != nil {
			return errStopped
		}
	}
}

// say says a line, but not the same line again and again.
func (s *sender) say(text string) {
	if text != s.saidText || time.Since(s.said) > sayAgain {
		s.Say(text)
		s.saidText, s.said = text, time.Now()
	}
}
