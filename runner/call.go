package runner

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/hookrun/hookrun/internal/core/dialect"
	"github.com/hookrun/hookrun/internal/core/engine"
	"github.com/hookrun/hookrun/internal/lib/strictjson"
	"github.com/hookrun/hookrun/protocol"
)

// CallError is a mistake of the program in a Call, such as a missing name of the tool. The call is blocked.
type CallError struct{ Problem string }

// Error returns the Problem.
func (e *CallError) Error() string {
	if e == nil {
		return "no error"
	}
	return e.Problem
}

// ErrNotRun, as the Err of an Output, says that the tool did not run; Text is the reason for the model. Some clients'
// hooks do not run after such a call.
var ErrNotRun = errors.New("the tool did not run")

// Output is the output of a tool. Both fields may be set: a failing command has often printed text.
type Output struct {
	Text string
	Err  error // why the tool failed, or ErrNotRun
}

// result returns the output for hooks and the model: the Text, and after it the text of the error.
func (out *Output) result() string {
	switch {
	case out.Err == nil || errors.Is(out.Err, ErrNotRun):
		return out.Text
	case out.Text == "":
		return out.Err.Error()
	}
	return strings.TrimRight(out.Text, "\n") + "\n" + out.Err.Error()
}

// ownKeys are the stdin keys that hookrun writes. Extra must not have them.
var ownKeys = strings.Fields("event tool args result session_id cwd prompt agent_id hook_event_name tool_name " +
	"tool_input tool_response tool_use_id error id")

// callOf converts a call for the internal packages. out counts at post-tool only.
func callOf(c protocol.Call, event protocol.Event, out Output) (call dialect.Call, err error) {
	call = dialect.Call{
		Event: event, Workspace: c.Workspace, SessionID: c.Session, AgentID: c.Agent, Prompt: c.Prompt, Tool: c.Tool,
		ToolUseID: c.ID, Args: c.Args,
	}
	if event == protocol.PostTool {
		call.Result, call.Blocked = out.result(), errors.Is(out.Err, ErrNotRun)
		call.Failed = out.Err != nil && !call.Blocked
	}
	if event != protocol.PreExecute && c.Tool == "" {
		return call, &CallError{"the call has no Tool; give the name by which the model calls it"}
	}
	more := []byte{'{'}
	for _, key := range slices.Sorted(maps.Keys(c.Extra)) {
		isOwn := func(own string) bool { return strings.EqualFold(own, key) } // Go's encoding/json ignores case
		if slices.ContainsFunc(ownKeys, isOwn) {
			return call, &CallError{fmt.Sprintf("Extra has the key %q, which hookrun writes itself; rename it", key)}
		}
		if key == "" || !utf8.ValidString(key) {
			return call, &CallError{fmt.Sprintf("Extra has the key %q, which is empty or not UTF-8; rename it", key)}
		}
		value, err := strictjson.Marshal(c.Extra[key])
		if err != nil {
			return call, &CallError{fmt.Sprintf("Extra has under %q what is no JSON: %v", key, err)}
		}
		text := strictjson.Lossy(string(value))
		if faults := strictjson.Check(text, strictjson.MaxDepth); len(faults) > 0 { // in a json.RawMessage
			return call, &CallError{fmt.Sprintf("Extra has under %q what readers may not understand alike: %s", key,
				faults[0].Text)}
		}
		switch name, _ := c.Extra[key].(string); key {
		case "transcript_path":
			call.TranscriptPath = name
		case "orchestrator_id":
			call.OrchestratorID = name
		}
		if len(more) > 1 {
			more = append(more, ',')
		}
		more = append(append(strictjson.AppendString(more, key), ':'), strictjson.Compact(nil, text)...)
	}
	call.Extra = string(append(more, '}'))
	return call, nil
}

// plan selects the hooks for a call.
func (r *Runner) plan(c protocol.Call, event protocol.Event, out Output) (*engine.Plan, error) {
	if err := r.checkMade(); err != nil {
		return nil, err
	}
	if r.pin && c.Session == "" {
		return nil, &CallError{"Options.Pin needs the id of the call's session"}
	}
	if c.Workspace == "" {
		r.mu.Lock()
		c.Workspace = r.dir
		r.mu.Unlock()
	}
	call, err := callOf(c, event, out)
	if err != nil {
		return nil, err
	}
	return r.engine.Plan(&call, engine.CallSettings{})
}

// fire runs the hooks of a call. The outcome is never nil: with an error, the outcome is a block.
func (r *Runner) fire(ctx context.Context, c protocol.Call, event protocol.Event, out Output) (*protocol.Outcome,
	error) {
	p, err := r.plan(c, event, out)
	if err != nil {
		return &protocol.Outcome{Version: 1, Event: event, Tool: c.Tool, Decision: protocol.Block,
			Cause: protocol.CauseUnstarted, Reason: err.Error(), Hooks: []protocol.Report{}}, err
	}
	f, err := p.Fire(context.WithValue(ctx, hostKey{}, &hostCall{c, out}))
	r.warn(c.Tool, f.Lint)
	return &f.Outcome, err
}

// hostCall is the host's original call and output, for hooks that are functions.
type hostCall struct {
	call protocol.Call
	out  Output
}

// hostKey is the context key of the hostCall.
type hostKey struct{}
