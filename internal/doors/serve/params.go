package serve

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/tidwall/gjson"

	"github.com/hookrun/hookrun/internal/clients"
	"github.com/hookrun/hookrun/internal/core/dialect"
	"github.com/hookrun/hookrun/internal/core/hookfile"
	"github.com/hookrun/hookrun/internal/doors/calls"
	"github.com/hookrun/hookrun/internal/lib/files/regular"
	"github.com/hookrun/hookrun/internal/lib/spelling"
	"github.com/hookrun/hookrun/internal/lib/strictjson"
	"github.com/hookrun/hookrun/protocol"
)

// Params have the names of the flags, with _ or - between words.
var (
	paramsOfEveryCall = []string{
		"session_id", "prompt", "transcript_path", "tool_use_id", "agent_id", "orchestrator_id",
		"timeout", "on_failure", "workspace",
	}
	paramsOfTools   = []string{"tool", "args"}
	paramsOfResults = []string{"result", "failed", "blocked"}
)

// canonical translates a client's name for a param, because loops written for clients' hooks use these names.
func canonical(name string) string {
	switch name {
	case "tool_name":
		return "tool"
	case "tool_input":
		return "args"
	case "tool_response", "tool_output", "tool_result": // of Claude Code, MassGen, Universal Agent
		return "result"
	}
	return name
}

// flagsOfServe are flags of serve for all calls, so they are not params.
var flagsOfServe = []string{"config", "claude", "dialect", "output", "verbose", "wrap"}

// request is the params of a call.
type request struct {
	call      calls.Call
	timeout   time.Duration         // 0: the server's
	onFailure dialect.FailurePolicy // nil: the server's
}

// readRequest reads the params of a method that runs hooks.
func readRequest(method, workspace, params string) (r request, err error) {
	if method == "fire" {
		c := &r.call
		c.Call, c.Warnings, err = clients.All().ParseInput(cmp.Or(params, "{}"))
		if err == nil {
			err = r.takeOutput()
		}
		if err == nil && c.Output != nil && c.Output.Dialect != c.Client { // "output" names the client
			equalKeys := c.EqualKeys
			c.Call, _, err = clients.All().ParseEntryInput(c.ClientInput, c.Output, func(string) string { return "" })
			c.EqualKeys = c.EqualKeys || equalKeys
		}
	} else {
		err = r.readParams(protocol.Event(method), params)
	}
	r.call.Workspace = cmp.Or(r.call.Workspace, workspace)
	return r, err
}

// readParams reads the params of a call at an event. A null param counts as absent.
func (r *request) readParams(event protocol.Event, params string) error {
	known := slices.Clone(paramsOfEveryCall)
	if clients.All().IsAboutTool(event) {
		known = append(known, paramsOfTools...)
	}
	if event == protocol.PostTool {
		known = append(known, paramsOfResults...)
	}
	r.call.Event = event
	if params != "" && !strings.HasPrefix(params, "{") {
		return errors.New(`params must be an object, as in {"tool":"shell","args":{}}`)
	}
	seen := map[string]bool{}
	for key, value := range strictjson.Members(params) {
		written := strictjson.Text(key)
		name := canonical(strings.ReplaceAll(written, "-", "_"))
		switch {
		case slices.Contains(flagsOfServe, name):
			return fmt.Errorf("%q is for all calls of a server; give it to hookrun serve as a flag", written)
		case !slices.Contains(known, name):
			return fmt.Errorf("unknown param %q%s", written, spelling.Hint(name, known))
		case seen[name]:
			return fmt.Errorf("%q is there twice", name)
		case value != "null":
			if err := r.setParam(name, value); err != nil {
				return err
			}
		}
		seen[name] = true
	}
	switch {
	case clients.All().IsAboutTool(event) && r.call.Tool == "":
		return errors.New(`"tool" is missing; give the name of the tool`)
	case r.call.Failed && r.call.Blocked:
		return errors.New(`"failed" and "blocked" exclude each other: a tool that failed has run; leave one out`)
	}
	return nil
}

// setParam sets one param.
func (r *request) setParam(name, raw string) (err error) {
	c := &r.call
	switch name { // these two can be megabytes, and have any type
	case "args":
		c.Args = argsText(raw)
		return nil
	case "result":
		c.Result = resultText(raw)
		return nil
	}
	value, want := gjson.Parse(raw), "string"
	switch {
	case name == "failed" || name == "blocked":
		want = "boolean"
	case name == "timeout" && value.Type == gjson.Number:
		want = "number"
	}
	if want, ok := strictjson.CheckType(value, want); !ok {
		return fmt.Errorf("%q must be %s", name, want)
	}
	switch text := strictjson.ValueText([]byte(raw)); name {
	case "failed":
		c.Failed = value.Bool()
	case "blocked":
		c.Blocked = value.Bool()
	case "timeout":
		r.timeout, err = hookfile.ParseTimeout(text)
	case "on_failure":
		r.onFailure, err = hookfile.ParseFailurePolicy(text)
	case "workspace":
		c.Workspace, err = workspaceFolder(text)
	default:
		*map[string]*string{
			"tool": &c.Tool, "session_id": &c.SessionID, "prompt": &c.Prompt, "transcript_path": &c.TranscriptPath,
			"tool_use_id": &c.ToolUseID, "agent_id": &c.AgentID, "orchestrator_id": &c.OrchestratorID,
		}[name] = text
	}
	if err != nil {
		return fmt.Errorf("%q %w", name, err)
	}
	return nil
}

// workspaceFolder checks the working directory for the call's hooks. The hooks themselves stay as the server read them
// at its start.
func workspaceFolder(path string) (string, error) {
	if !filepath.IsAbs(path) {
		return "", fmt.Errorf("must be an absolute path, not %q", path)
	}
	info, err := os.Stat(path)
	if err == nil && !info.IsDir() {
		err = errors.New("not a directory")
	}
	if err != nil {
		return "", fmt.Errorf("%s: %w; give the folder of the project", path, regular.UnwrapPath(err))
	}
	return filepath.Clean(path), nil
}

// argsText returns a tool's arguments as JSON. Some loops send the arguments as the model's text: a string that
// contains an object becomes that object, because guards look for the object's fields.
func argsText(value string) string {
	if strings.HasPrefix(value, `"`) {
		text := strictjson.Text(value)
		if start := strings.TrimLeft(text, " \t\r\n"); strings.HasPrefix(start, "{") {
			return text // an invalid object becomes a string again
		}
	}
	return value
}

// resultText returns a tool's result: the text of a string, else the JSON.
func resultText(value string) string {
	if strings.HasPrefix(value, `"`) {
		return strictjson.Text(value)
	}
	return string(strictjson.Compact(nil, value))
}
