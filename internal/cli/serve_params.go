package cli

import (
	"cmp"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/tidwall/gjson"

	"github.com/hookrun/hookrun/internal/dialect"
	"github.com/hookrun/hookrun/internal/hookfile"
	"github.com/hookrun/hookrun/internal/jsonrpc"
	"github.com/hookrun/hookrun/internal/spelling"
	"github.com/hookrun/hookrun/internal/strictjson"
	"github.com/hookrun/hookrun/protocol"
)

// What a request says is named as the flags are, with _ or - between words. Clients' names for the same stand beside
// them, since loops that were written for their hooks have them at hand.
var paramsOfClients = map[string]string{
	"tool_name":     "tool",
	"tool_input":    "args",
	"tool_response": "result", // Claude Code's
	"tool_output":   "result", // MassGen's
	"tool_result":   "result", // Universal Agent's
}

var (
	paramsOfEveryCall = []string{"session_id", "prompt", "transcript_path", "tool_use_id", "agent_id", "orchestrator_id", "timeout", "on_failure", "workspace"}
	paramsOfTools     = []string{"tool", "args"}
	paramsOfResults   = []string{"result", "failed"}
)

// paramsPinned are flags that serve itself has, for all calls.
var paramsPinned = []string{"config", "claude", "dialect", "output", "verbose", "wrap"}

// request is what the params of a call say.
type request struct {
	call      protocol.Call
	timeout   time.Duration          // 0: serve's own
	onFailure protocol.FailurePolicy // nil: the same
	client    *dialect.Dialect       // in whose hook output it is answered; nil: with the outcome
}

// readParams reads the params of a call at an event. null is a param that is not there.
func readParams(event protocol.Event, workspace, params string) (r request, err error) {
	known := slices.Clone(paramsOfEveryCall)
	if event.HasTool() {
		known = append(known, paramsOfTools...)
	}
	if event == protocol.PostTool {
		known = append(known, paramsOfResults...)
	}
	r.call = protocol.Call{Event: event, Workspace: workspace}
	if params != "" && !strings.HasPrefix(params, "{") {
		return r, jsonrpc.Errorf(jsonrpc.InvalidParams, "params must be an object, as in {\"tool\":\"shell\",\"args\":{}}")
	}
	seen := map[string]bool{}
	strictjson.Members(cmp.Or(params, "{}"), func(key, value string) bool {
		written := strictjson.Text(key)
		name := strings.ReplaceAll(written, "-", "_")
		name = cmp.Or(paramsOfClients[name], name)
		switch {
		case slices.Contains(paramsPinned, name):
			err = fmt.Errorf("%q is for all calls of a server; give it to hookrun serve as a flag", written)
		case !slices.Contains(known, name):
			err = fmt.Errorf("unknown param %q%s", written, hintParam(name, known))
		case seen[name]:
			err = fmt.Errorf("%q is there twice", name)
		case value != "null":
			err = r.set(name, value)
		}
		seen[name] = true
		return err == nil
	})
	if err == nil && event.HasTool() && r.call.Tool == "" {
		err = fmt.Errorf("\"tool\" is missing; give the name of the tool")
	}
	if err != nil {
		err = jsonrpc.Errorf(jsonrpc.InvalidParams, "%v", err)
	}
	return r, err
}

func hintParam(wrong string, known []string) string {
	if s := spelling.Suggest(wrong, known); s != "" {
		return s
	}
	return "; known are " + strings.Join(known, ", ")
}

// set takes one param, of the name that is the flag's.
func (r *request) set(name, raw string) (err error) {
	switch name { // these can be megabytes
	case "args":
		r.call.Args = argsText(raw)
		return nil
	case "result":
		r.call.Result = valueText(raw)
		return nil
	}
	value := gjson.Parse(raw)
	texts := map[string]*string{
		"tool": &r.call.Tool, "session_id": &r.call.SessionID, "prompt": &r.call.Prompt, "transcript_path": &r.call.TranscriptPath,
		"tool_use_id": &r.call.ToolUseID, "agent_id": &r.call.AgentID, "orchestrator_id": &r.call.OrchestratorID,
	}
	into, isText := texts[name]
	switch {
	case name == "failed":
		if value.Type != gjson.True && value.Type != gjson.False {
			return fmt.Errorf("%q must be true or false", name)
		}
		r.call.Failed = value.Bool()
	case name == "timeout" && value.Type == gjson.Number:
		if r.timeout, err = hookfile.ParseTimeout(value.Raw); err != nil {
			return fmt.Errorf("%q %w", name, err)
		}
	case value.Type != gjson.String:
		return fmt.Errorf("%q must be a string", name)
	case isText:
		*into = strictjson.Text(value.Raw)
	case name == "timeout":
		if r.timeout, err = hookfile.ParseTimeout(strictjson.Text(value.Raw)); err != nil {
			return fmt.Errorf("%q %w", name, err)
		}
	case name == "on_failure":
		if r.onFailure, err = onFailure(strictjson.Text(value.Raw)); err != nil {
			return fmt.Errorf("%q %w", name, err)
		}
	case name == "workspace":
		return r.setWorkspace(strictjson.Text(value.Raw))
	}
	return nil
}

// setWorkspace takes another folder for the hooks to run in. Which hooks there are does not change: they were read when
// the server started.
func (r *request) setWorkspace(folder string) error {
	if !filepath.IsAbs(folder) {
		return fmt.Errorf("\"workspace\" must be an absolute path, not %q", folder)
	}
	if err := mustBeFolder(folder); err != nil {
		return err
	}
	r.call.Workspace = filepath.Clean(folder)
	return nil
}

// argsText takes the arguments of a tool. Some loops have them as the text that the model wrote: a string that holds an object
// is that object, or guards would look for its fields in vain.
func argsText(value string) string {
	if strings.HasPrefix(value, `"`) {
		text := strictjson.Text(value)
		if start := strings.TrimLeft(text, " \t\r\n"); strings.HasPrefix(start, "{") {
			return text // if it is no JSON, it becomes a string again
		}
	}
	return value
}

func valueText(value string) string {
	if strings.HasPrefix(value, `"`) {
		return strictjson.Text(value)
	}
	return string(strictjson.Compact(nil, value))
}
