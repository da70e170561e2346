package keeper

import (
	"bufio"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"time"

	"github.com/hookrun/hookrun/internal/core/engine"
	"github.com/hookrun/hookrun/internal/core/process"
)

// kind is the kind of a message. Each message is a kind, the length of the rest in four bytes, and the rest.
type kind byte

// The messages of a call, in order. The first comes with a token: see newToken. Until the keeper has claimed the token,
// either end may leave without a word, and nothing has happened.
const (
	asks    kind = iota + 1 // the limit in nanoseconds, and the line
	waits                   // no process is free yet
	answers                 // a reply; takes or refuses must follow if the reply has a line
	takes                   // the line is an answer
	refuses                 // the line is no answer: why
	done                    // the call is over; after a refusal the process is gone
)

// The messages that list and end keepers.
const (
	looks kind = iota + 20 // an Info, please
	shows
	ends   // end now; the connection closes when all is gone
	yields // ends, unless a call is connected
)

// maxMessage bounds a message: an answer of 16 MiB, or a line with a payload of 64 MiB.
const maxMessage = 256 << 20

// conn is an end of a connection.
type conn struct {
	*net.UnixConn
	in *bufio.Reader
}

func newConn(c *net.UnixConn) *conn { return &conn{c, bufio.NewReader(c)} }

// send sends a message in pieces.
func (c *conn) send(k kind, pieces ...[]byte) error {
	all := messageOf(k, pieces...)
	_, err := all.WriteTo(c.UnixConn)
	return err
}

func messageOf(k kind, pieces ...[]byte) net.Buffers {
	size := 0
	for _, piece := range pieces {
		size += len(piece)
	}
	head := binary.BigEndian.AppendUint32([]byte{byte(k)}, uint32(size)) //nolint:gosec // a few pieces of memory
	return append(net.Buffers{head}, pieces...)
}

// headSize is the size of a message's kind and length.
const headSize = 5

// receive returns the next message.
func (c *conn) receive() (k kind, text []byte, err error) {
	var head [headSize]byte
	if _, err = io.ReadFull(c.in, head[:]); err != nil {
		return 0, nil, err
	}
	return c.receiveRest(head)
}

// receiveRest returns the message behind a head.
func (c *conn) receiveRest(head [headSize]byte) (k kind, text []byte, err error) {
	size := binary.BigEndian.Uint32(head[1:])
	if size > maxMessage {
		return 0, nil, fmt.Errorf("a message of %d bytes", size)
	}
	text = make([]byte, size)
	_, err = io.ReadFull(c.in, text)
	return kind(head[0]), text, err
}

// expect returns the next message, which must be of a kind and arrive until a time.
func (c *conn) expect(want kind, until time.Time) (text []byte, err error) {
	if err = c.SetReadDeadline(until); err != nil {
		return nil, err
	}
	k, text, err := c.receive()
	if err == nil && k != want {
		err = fmt.Errorf("message %d instead of %d", k, want)
	}
	return text, err
}

func number(text []byte) int64 {
	if len(text) != 8 {
		return 0
	}
	return int64(binary.BigEndian.Uint64(text)) //nolint:gosec // always an int64
}

func bytesOf(number int64) []byte {
	return binary.BigEndian.AppendUint64(nil, uint64(number)) //nolint:gosec // read back as an int64
}

// header is the part of a reply without the outputs, which follow the header.
type header struct {
	Err       string `json:"err,omitempty"`
	Unstarted bool   `json:"unstarted,omitempty"` // the process did not start
	TimedOut  bool   `json:"timed_out,omitempty"`
	NoAnswer  bool   `json:"no_answer,omitempty"`
	Warm      bool   `json:"warm,omitempty"`
	ExitCode  int    `json:"exit_code,omitempty"`
	Signal    string `json:"signal,omitempty"`
	Survivors []int  `json:"survivors,omitempty"`
	Problem   string `json:"problem,omitempty"`
	Asks      bool   `json:"asks,omitempty"` // takes or refuses must follow
	Stdout    output `json:"stdout"`
	Stderr    output `json:"stderr"`
}

// output has the lengths of an output.
type output struct {
	Head, Tail int
	Total      int64
}

func lengths(o *process.Output) output { return output{len(o.Head), len(o.Tail), o.Total} }

// sendReply sends a reply.
func (c *conn) sendReply(r *process.Reply, asks bool) error {
	h := header{TimedOut: r.TimedOut, NoAnswer: r.NoAnswer, Warm: r.Warm, ExitCode: r.ExitCode, Signal: r.Signal,
		Survivors: r.Survivors, Problem: r.Problem, Asks: asks, Stdout: lengths(&r.Stdout), Stderr: lengths(&r.Stderr)}
	if r.Err != nil {
		h.Err = r.Err.Error()
		_, h.Unstarted = errors.AsType[*process.StartError](r.Err)
	}
	text, err := json.Marshal(h)
	if err != nil {
		return err
	}
	return c.send(answers, bytesOf(int64(len(text))), text, r.Stdout.Head, r.Stdout.Tail, r.Stderr.Head, r.Stderr.Tail)
}

var errReply = errors.New("a reply with wrong lengths")

// readReply reads a reply.
func readReply(text []byte) (r process.Reply, h header, err error) {
	size := int64(-1)
	if len(text) >= 8 {
		size, text = number(text[:8]), text[8:]
	}
	if size < 0 || size > int64(len(text)) {
		return r, h, errReply
	}
	if err = json.Unmarshal(text[:size], &h); err != nil {
		return r, h, err
	}
	text = text[size:]
	cut := func(n int) (piece []byte) {
		if n < 0 || n > len(text) {
			err = errReply
			return nil
		}
		piece, text = text[:n:n], text[n:]
		return piece
	}
	r.Stdout = process.Output{Head: cut(h.Stdout.Head), Tail: cut(h.Stdout.Tail), Total: h.Stdout.Total}
	r.Stderr = process.Output{Head: cut(h.Stderr.Head), Tail: cut(h.Stderr.Tail), Total: h.Stderr.Total}
	r.TimedOut, r.NoAnswer, r.Warm, r.ExitCode, r.Signal = h.TimedOut, h.NoAnswer, h.Warm, h.ExitCode, h.Signal
	r.Survivors, r.Problem = h.Survivors, h.Problem
	if h.Err != "" {
		r.Err = errors.New(h.Err)
	}
	return r, h, err
}

// order is the stdin of a keeper.
type order struct {
	Hook, Workspace, Socket, Path, Dir exact
	Args, Env                          []exact
	Workers                            int
	Keep                               time.Duration
}

// exact is a text of any bytes. JSON keeps only UTF-8.
type exact []byte

func exactly(texts []string) (all []exact) {
	for _, text := range texts {
		all = append(all, exact(text))
	}
	return all
}

func newOrder(k *engine.Kept, socket string) *order {
	p := &k.Program
	return &order{exact(k.Hook), exact(k.Workspace), exact(socket), exact(p.Path), exact(p.Dir), exactly(p.Args),
		exactly(p.Env), k.Workers, k.Keep}
}

func (o *order) program() process.Program {
	p := process.Program{Path: string(o.Path), Dir: string(o.Dir)}
	for _, a := range o.Args {
		p.Args = append(p.Args, string(a))
	}
	for _, v := range o.Env {
		p.Env = append(p.Env, string(v))
	}
	return p
}
