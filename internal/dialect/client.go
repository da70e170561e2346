package dialect

import (
	"time"

	"github.com/tidwall/gjson"

	"github.com/hookrun/hookrun/internal/crash"
	"github.com/hookrun/hookrun/protocol"
)

// Client is how a client calls hookrun as its hook, and what it is told.
type Client struct {
	// Detect reports whether a hook input is this client's, at events that another client has too. One client has no
	// Detect: it gets the inputs that no other one detects.
	Detect func(*Call) bool
	// Read completes a call from what the hook input says in the client's own way: how the tool ended, of which
	// response is the result, and fields under other names. Without a Read it says nothing in a way of its own.
	Read func(c *Call, response gjson.Result)
	// Reply tells an outcome to the client in its own form. What the client has no word for is never lost if it would
	// let something pass.
	Reply func(protocol.Outcome) (Reply, error)
	// Errors says how the client learns of an error of hookrun's own.
	Errors ErrorOutput
	// ProjectVariable is the variable in which the client tells its hooks the folder of the project; "": it starts them
	// there.
	ProjectVariable string

	// Tools are the client's tools by the names that projects have for them.
	Tools []Tool
	// ToolAliases are the names that the client's own matchers know for one of its tools besides its own. A file that
	// was written for one name guards under the others.
	ToolAliases Aliases
	// ToolName is a project's name for the tool at the call, if no table can say it, else "".
	ToolName func(*Call) string
}

// Reply is what hookrun leaves for a client when it exits. Stderr is for an Exit other than 0.
type Reply struct {
	Stdout []byte
	Stderr string
	Exit   int
}

// AtExit0 is a Reply to a client that reads stdout whatever the exit status, or at 0 alone.
func AtExit0(stdout []byte, err error) (Reply, error) { return Reply{Stdout: stdout}, err }

// Reply is that of the dialect's client. A panic is an error.
func (d *Dialect) Reply(o protocol.Outcome) (r Reply, err error) {
	defer crash.Catch(&err)
	return d.Client.Reply(o)
}

// ErrorOutput is how a client learns of an error of hookrun's own. A block is what Reply makes of one.
type ErrorOutput int

// Forms of ErrorOutput. The last is for a client that at some event does not read the block beside the exit status.
const (
	ErrorByExit         ErrorOutput = iota // the client blocks for the exit status at every event
	ErrorByExitAndBlock                    // a block on stdout beside the exit status
	ErrorByBlock                           // a block in the place of the exit status
)

// InputNamer is implemented by the Hooks of a client whose inputs have no hook_event_name: InputEvent returns the event
// of such an input, "" if it is another client's.
type InputNamer interface {
	InputEvent(doc string) protocol.Event
}

// Fitter is implemented by the Hooks of a client that does not take every input or result of its tool: Fit makes sure,
// by what one hook of any dialect says, of what the client gives its tool before that runs, and shows its model after.
// hook is "" for a block of hookrun's own.
type Fitter interface {
	Fit(c *Call, hook string, v *Verdict)
}

// CallLimiter is implemented by the Hooks of a client that waits so long for hookrun and no longer, whatever the entry
// says: CallLimit is how long a call may take in all. What takes longer is an error.
type CallLimiter interface {
	CallLimit() time.Duration
}

// Answerer is implemented by the Hooks of a client that runs several entries for one call: AnsweredBy are the client's
// files whose entry for hookrun answers in the place of this process.
type Answerer interface {
	AnsweredBy(Where) []string
}
