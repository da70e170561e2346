// Package client defines a client: a dialect, how the client calls hookrun as a hook, its tools, and how hookrun is
// installed in it. It has the code that several clients share; package clients lists the clients.
package client

import (
	"cmp"

	"github.com/tidwall/gjson"

	"github.com/hookrun/hookrun/internal/core/dialect"
	"github.com/hookrun/hookrun/internal/lib/crash"
	"github.com/hookrun/hookrun/protocol"
)

// Client is a client that can call hookrun as a hook: its dialect, and all that only it has.
type Client struct {
	*dialect.Dialect

	// Detect reports whether a hook input comes from this client, for events shared with another client. Exactly one
	// client has no Detect: package clients assigns an input to this client if no Detect accepts.
	Detect func(*dialect.Call) bool
	// InputEvent returns the event of a hook input that does not name it in hook_event_name, or "" if the input comes
	// from another client. If nil, all inputs name it.
	InputEvent func(doc string) protocol.Event
	// Read completes a call from client-specific parts of the hook input: whether the tool failed, which part of
	// response is the result, and fields with other names. If nil, the input has no such parts.
	Read func(c *dialect.Call, response gjson.Result)
	// Answer encodes an outcome in the client's form. If the client cannot express a part of the outcome and the call
	// would pass without that part, Answer uses the next stricter answer. Callers use Reply.
	Answer func(protocol.Outcome) (Reply, error)
	// Errors says how the client learns of hookrun's own errors.
	Errors ErrorOutput
	// MaxReason is the maximum number of characters of a reason that the model gets whole; 0: no limit is known.
	MaxReason int
	// ProjectVariable is the environment variable with the project's folder; if "", the client starts hooks in that
	// folder.
	ProjectVariable string

	// Tools are the client's tools with the projects' names for them.
	Tools []dialect.Tool
	// ToolName returns the project's name for the call's tool if no table can give the name, or else "".
	ToolName func(*dialect.Call) string
	// Aliases are the alternative names of tools in the client's own matchers. A file written for one name also matches
	// the others.
	Aliases dialect.Aliases
	MCP     MCPForm

	// AnsweringFiles returns, for a client that runs several entries for one call, the files whose hookrun entry
	// answers instead of this process. If nil, each entry answers.
	AnsweringFiles func(Where) []string

	Install *Installation // how `hookrun install` adds hookrun to the client
}

// Reply is hookrun's answer to a client. Stderr is used only if Exit is not 0.
type Reply struct {
	Stdout []byte
	Stderr string
	Exit   int
}

// AtExit0 returns a Reply with exit status 0, for clients that read stdout at every exit status or only at 0.
func AtExit0(stdout []byte, err error) (Reply, error) { return Reply{Stdout: stdout}, err }

// ReplyTo is Reply for the outcome of a call, which may be at another client's event: some clients run the entries of
// others.
func (cl *Client) ReplyTo(c *dialect.Call, o protocol.Outcome) (Reply, error) {
	if o.Event == c.Event && cl.Row(o.Event) == nil {
		o.Event = c.Common()
	}
	return cl.Reply(o)
}

// Reply encodes an outcome for the client. A panic becomes an error.
func (cl *Client) Reply(o protocol.Outcome) (r Reply, err error) {
	defer crash.Catch(&err)
	return cl.Answer(o)
}

// MaxReasonAt returns how many characters of a reason the client's model gets whole at the call; 0: no limit is known.
func (cl *Client) MaxReasonAt(c *dialect.Call) int {
	return cmp.Or(cl.Events.Of(c.Event).MaxReason, cl.MaxReason)
}

// ErrorOutput is how hookrun tells a client about an error of hookrun. The block is Reply's encoding of the error.
type ErrorOutput int

// Forms of ErrorOutput. Use ErrorByBlock for a client that ignores the block at some event if the exit status is not 0.
const (
	ErrorByExit         ErrorOutput = iota // exit status only; the client blocks by the status at every event
	ErrorByExitAndBlock                    // exit status, and a block on stdout
	ErrorByBlock                           // a block on stdout instead of the exit status
)
