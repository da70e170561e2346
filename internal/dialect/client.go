package dialect

import (
	"cmp"
	"time"

	"github.com/tidwall/gjson"

	"github.com/hookrun/hookrun/internal/crash"
	"github.com/hookrun/hookrun/protocol"
)

// Client is how a client calls hookrun as a hook, and how hookrun answers.
type Client struct {
	// Detect reports whether a hook input comes from this client, for events shared with another client. Exactly one
	// client has no Detect: registry assigns an input to this client if no Detect accepts.
	Detect func(*Call) bool
	// Read completes a call from client-specific parts of the hook input: whether the tool failed, which part of
	// response is the result, and fields with other names. If nil, the input has no such parts.
	Read func(c *Call, response gjson.Result)
	// Reply encodes an outcome in the client's form. If the client cannot express a part of the outcome and the call
	// would pass without that part, Reply uses the next stricter answer.
	Reply func(protocol.Outcome) (Reply, error)
	// Errors says how the client learns of hookrun's own errors.
	Errors ErrorOutput
	// MaxReason is the maximum number of characters of a reason that the model gets whole; 0: no limit is known.
	MaxReason int
	// ProjectVariable is the environment variable with the project's folder; if "", the client starts hooks in that
	// folder.
	ProjectVariable string

	// Tools are the client's tools with the projects' names for them.
	Tools []Tool
	// ToolName returns the project's name for the call's tool if no table can give the name, or else "".
	ToolName func(*Call) string
	MCP      MCPForm
}

// Reply is hookrun's answer to a client. Stderr is used only if Exit is not 0.
type Reply struct {
	Stdout []byte
	Stderr string
	Exit   int
}

// AtExit0 returns a Reply with exit status 0, for clients that read stdout at every exit status or only at 0.
func AtExit0(stdout []byte, err error) (Reply, error) { return Reply{Stdout: stdout}, err }

// Reply encodes an outcome for the dialect's client. A panic becomes an error.
func (d *Dialect) Reply(o protocol.Outcome) (r Reply, err error) {
	defer crash.Catch(&err)
	return d.Client.Reply(o)
}

// MaxReason returns how many characters of a reason the client's model gets whole at the call; 0: no limit is known.
func (d *Dialect) MaxReason(c *Call) int {
	return cmp.Or(d.Events.Of(c.Event).MaxReason, d.Client.MaxReason)
}

// ErrorOutput is how hookrun tells a client about an error of hookrun. The block is Reply's encoding of the error.
type ErrorOutput int

// Forms of ErrorOutput. Use ErrorByBlock for a client that ignores the block at some event if the exit status is not 0.
const (
	ErrorByExit         ErrorOutput = iota // exit status only; the client blocks by the status at every event
	ErrorByExitAndBlock                    // exit status, and a block on stdout
	ErrorByBlock                           // a block on stdout instead of the exit status
)

// InputNamer is implemented by the Hooks of a client whose inputs have no hook_event_name. InputEvent returns the event
// of such an input, or "" if the input comes from another client.
type InputNamer interface {
	InputEvent(doc string) protocol.Event
}

// Fitter is implemented by the Hooks of a client that rejects some inputs or results of tools. Fit adapts the verdict
// of a single hook of any dialect, before the client passes an input to the tool or a result to the model. hook is ""
// if hookrun itself blocks.
type Fitter interface {
	Fit(c *Call, hook string, v *Verdict)
}

// CallLimiter is implemented by the Hooks of a client that waits for hookrun for a fixed time, regardless of the
// timeout in the entry. CallLimit is the maximum time for a call. A longer call is an error.
type CallLimiter interface {
	CallLimit() time.Duration
}

// Poster is implemented by the Hooks of a client that can also post the input of a hook to a URL, and reads the answer
// as the output of a command with exit status 0.
type Poster interface {
	Posts()
}

// Posts reports whether the client's Hooks are a Poster.
func (d *Dialect) Posts() bool {
	_, is := d.Hooks.(Poster)
	return is
}

// EntryFollower is implemented by the Hooks of a client that, from an entry in another client's settings, reads the
// form of that other client.
type EntryFollower interface {
	FollowsEntry()
}

// Aliaser is implemented by the Hooks of a client whose own matchers have alternative names of tools. A file written
// for one name also matches the others.
type Aliaser interface {
	ToolAliases() Aliases
}

// Answerer is implemented by the Hooks of a client that runs several entries for one call. AnsweringFiles returns
// the client's files whose hookrun entry answers instead of this process.
type Answerer interface {
	AnsweringFiles(Where) []string
}
