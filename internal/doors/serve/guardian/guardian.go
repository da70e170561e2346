// Package guardian reads requests of the OWASP Agent Control Standard 0.1.0 as calls, and writes outcomes as decisions.
//
//	r, err := guardian.Read("steps/toolCallRequest", params)
//	… run the hooks of r.Call; fit the outcome with r.Fit …
//	result := r.Decision(outcome)
//
// Guarantee: a step with a request_id that can be read always gets a decision. If the step cannot be read, or its hooks
// gave no verdict, the decision is DENY: an agent may take an error for an approval.
//
// Not supported: signatures, the chain of hashes, replay protection, and therefore the profile acs-core; steps other
// than prompts and tool calls. Package acs of the clients asks other Guardians.
package guardian

import (
	"cmp"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"github.com/tidwall/gjson"

	"github.com/hookrun/hookrun/internal/clients/acs"
	"github.com/hookrun/hookrun/internal/clients/client"
	"github.com/hookrun/hookrun/internal/core/dialect"
	"github.com/hookrun/hookrun/internal/lib/jsonrpc"
	"github.com/hookrun/hookrun/internal/lib/strictjson"
	"github.com/hookrun/hookrun/protocol"
)

const (
	version         = acs.Version
	userMessage     = acs.UserMessage
	toolCallRequest = acs.ToolCallRequest
	toolCallResult  = acs.ToolCallResult
)

// Codes of the standard's own errors.
const (
	unsupportedVersion jsonrpc.Code = -32001
	notNegotiated      jsonrpc.Code = -32003
	signatureInvalid   jsonrpc.Code = -32004
)

// Request is an agent's request to a Guardian.
type Request struct {
	Call  dialect.Call // zero if Reply is set
	Reply []byte       // the result of a handshake or a ping; nil: a step, which needs a decision
	// Fault says why the step cannot be read, so it must be denied.
	Fault error

	id string
}

// IsMethod reports whether a method belongs to the standard.
func IsMethod(method string) bool {
	return method == "handshake/hello" || method == "system/ping" || strings.HasPrefix(method, "steps/")
}

// Read reads the params of a method of the standard. The error is a *jsonrpc.Error.
func Read(method, params string) (r Request, err error) {
	p := gjson.Parse(params)
	r.id = dialect.StringOf(p.Get("request_id"))
	switch {
	case !p.IsObject() || r.id == "":
		return r, jsonrpc.Errorf(jsonrpc.InvalidParams, "the params need a request_id, which is a string")
	case method == "system/ping": // has no other error
		r.Reply = r.ping(p.Get("payload.echo"))
		return r, nil
	case !strings.HasPrefix(dialect.StringOf(p.Get("acs_version")), "0."):
		return r, wrongVersion()
	case p.Get("signature").Type != gjson.Null:
		return r, &jsonrpc.Error{Code: signatureInvalid, Message: "signatures are not supported, so this one proves " +
			"nothing; send none, and use TLS and a token", Data: []byte(`{"reason":"signatures_unsupported"}`)}
	case method == "handshake/hello":
		r.Reply, err = r.hello(p.Get("payload"))
		return r, err
	case method != userMessage && method != toolCallRequest && method != toolCallResult:
		e := jsonrpc.Errorf(notNegotiated, "%s is not evaluated; known are %s, %s, %s", method, userMessage,
			toolCallRequest, toolCallResult)
		e.Data = dialect.JSONObject("reason", []byte(`"not_negotiated"`), "method", strictjson.Quote(method))
		return r, e
	}
	r.Fault = r.read(method, params, p)
	return r, nil
}

// read reads a step into r.Call.
func (r *Request) read(method, params string, p gjson.Result) error {
	c := &r.Call
	payload, metadata := p.Get("payload"), p.Get("metadata")
	c.SessionID, c.AgentID = dialect.StringOf(metadata.Get("session_id")), dialect.StringOf(metadata.Get("agent_id"))
	if dir := dialect.StringOf(metadata.Get("cwd")); filepath.IsAbs(dir) {
		c.Dir = dir
	}
	switch c.ToolUseID = r.id; method {
	case userMessage:
		c.Event = protocol.PreExecute
	case toolCallRequest:
		c.Event = protocol.PreTool
	default:
		c.Event, c.ToolUseID = protocol.PostTool, dialect.StringOf(payload.Get("request_id_ref"))
	}
	if faults := strictjson.Check(params, strictjson.MaxDepth); len(faults) > 0 {
		return fmt.Errorf("the params cannot be read: %s", faults[0].Text)
	}
	if c.Event == protocol.PreExecute {
		return r.readPrompt(payload.Get("content"))
	}
	if c.Tool = dialect.StringOf(payload.Get("tool.name")); c.Tool == "" {
		return errors.New("the payload needs a tool with a name")
	}
	if c.Event == protocol.PreTool {
		return r.readArguments(payload)
	}
	outputs := payload.Get("outputs")
	if !outputs.IsArray() {
		return errors.New("the payload needs the outputs, which are an array")
	}
	var texts []string
	for _, output := range outputs.Array() {
		value := output.Get("value")
		if !value.Exists() {
			return errors.New("each of the outputs needs a value")
		}
		texts = append(texts, strictjson.ValueText([]byte(value.Raw)))
	}
	c.Result = strings.Join(texts, "\n")
	c.Failed = dialect.StringOf(payload.Get("exit_status")) != "success"
	return nil
}

func (r *Request) readPrompt(content gjson.Result) error {
	if !content.IsArray() {
		return errors.New("the payload needs the content, which is an array")
	}
	var texts []string
	for _, part := range content.Array() {
		switch kind, value := dialect.StringOf(part.Get("type")), part.Get("value"); {
		case kind == "":
			return errors.New("each part of the content needs a type")
		case kind == "text" && value.Type != gjson.String:
			return errors.New("a text of the content has no value, which is a string")
		case kind == "text":
			texts = append(texts, dialect.StringOf(value))
		}
	}
	r.Call.Prompt = strings.Join(texts, "\n")
	return nil
}

// readArguments unwraps the values of the arguments. A command line beside the arguments counts as the argument
// "command", which guards look at.
func (r *Request) readArguments(payload gjson.Result) (err error) {
	var args strictjson.Fields
	given, raw := payload.Get("arguments"), payload.Get("raw_command")
	if !given.IsObject() {
		return errors.New("the payload needs arguments, which are an object")
	}
	given.ForEach(func(key, argument gjson.Result) bool {
		value := argument.Get("value")
		if name := strictjson.Text(key.Raw); !argument.IsObject() || !value.Exists() {
			err = fmt.Errorf("the argument %q has no value", name)
		} else {
			args = append(args, strictjson.Field{Key: name, Value: []byte(value.Raw)})
		}
		return err == nil
	})
	if raw.Type != gjson.Null && err == nil {
		command := args.Get("command")
		if raw.Type != gjson.String {
			return errors.New("the raw_command is no string")
		}
		if command != nil && !strictjson.Equal(gjson.ParseBytes(command), raw) {
			return errors.New("the raw_command and the argument \"command\" differ")
		}
		args.Set("command", []byte(raw.Raw))
	}
	r.Call.Args = string(dialect.ObjectOf(args))
	return err
}

// CannotAsk reports whether a decision on the step can only be ALLOW, DENY or MODIFY.
func (r *Request) CannotAsk() bool { return r.Call.Event != protocol.PreTool }

// Fit turns a part of an outcome that no decision has into a block.
func (r *Request) Fit(o *protocol.Outcome) {
	if o.Stop && o.Decision == protocol.Continue {
		o.Decision, o.Reason = protocol.Block, cmp.Or(o.StopReason, "a hook ends the turn")
	}
	if o.Decision != protocol.Continue || o.UpdatedInput == nil || r.Call.Event != protocol.PreTool {
		return
	}
	why := client.InvalidInput(*o)
	gjson.Parse(r.Call.Args).ForEach(func(key, _ gjson.Result) bool {
		if name := strictjson.Text(key.Raw); why == "" && !dialect.Has(gjson.ParseBytes(o.UpdatedInput), name) {
			why = client.ChangedInput(*o, fmt.Sprintf(", and the Agent Control Standard cannot remove %q", name))
		}
		return why == ""
	})
	if why != "" {
		o.Decision, o.Cause, o.Hook, o.Reason = protocol.Block, protocol.CauseRewrite, o.UpdatedBy, why
		o.UpdatedInput = nil
	}
}

// Deny returns the decision on a step whose hooks gave no verdict.
func (r *Request) Deny(why string) []byte {
	return r.Decision(protocol.Outcome{Event: r.Call.Event, Decision: protocol.Block, Reason: why})
}

// Decision returns the result for an outcome that was fitted.
func (r *Request) Decision(o protocol.Outcome) []byte {
	out, reason := r.result(""), o.Reason
	switch {
	case o.Decision == protocol.Ask:
		out.Set("decision", []byte(`"ask"`))
		out.Set("ask_details", dialect.JSONObject("approver", []byte(`{"type":"human","id":"user"}`),
			"question", strictjson.Quote(cmp.Or(reason, "May this tool run?")), "timeout_seconds", []byte("300"),
			"timeout_disposition", []byte(`"deny"`)))
	case o.Decision == protocol.Defer:
		out.Set("decision", []byte(`"defer"`))
		out.Set("defer_details", []byte(`{"reason":"pending_dependency","resolution_method":"human_approval",`+
			`"resolution_timeout_ms":300000,"timeout_decision":"deny"}`))
	case o.Decision != protocol.Continue:
		out.Set("decision", []byte(`"deny"`))
		reason = client.Joined(append([]string{cmp.Or(reason, "blocked by a hook")}, dialect.TextsOf(o)...)...)
	default:
		if changes := r.changes(o); changes != nil {
			reason = client.ChangedInput(o, "")
			out.Set("decision", []byte(`"modify"`))
			out.Set("modifications", changes)
		}
	}
	if reason != "" {
		out.Set("reasoning", strictjson.Quote(reason))
	}
	if o.Hook != "" && o.Decision != protocol.Continue {
		out.Set("policy_references", dialect.JSONList(dialect.JSONObject("policy_id", []byte(`"hookrun"`),
			"rule_id", strictjson.Quote(o.Hook))))
	}
	if o.Cause != "" && o.Decision != protocol.Continue {
		out.Set("reason_codes", dialect.JSONList(strictjson.Quote(string(o.Cause))))
	}
	rest, _ := strictjson.Marshal(struct {
		Stop    bool     `json:"stop,omitempty"`
		Texts   []string `json:"texts,omitempty"`
		ToUser  []string `json:"system_messages,omitempty"`
		Warning []string `json:"warnings,omitempty"`
	}{o.Stop, dialect.TextsOf(o), o.SystemMessages, o.Warnings})
	if string(rest) != "{}" {
		out.Set("policy_data", dialect.JSONObject("hookrun", rest))
	}
	return dialect.ObjectOf(out)
}

// changes returns the modifications for a rewrite, or nil.
func (r *Request) changes(o protocol.Outcome) []byte {
	switch {
	case o.UpdatedOutput != nil && r.Call.Event == protocol.PostTool:
		return dialect.JSONObject("modified_content", strictjson.Quote(strictjson.ValueText(o.UpdatedOutput)))
	case o.UpdatedInput != nil && r.Call.Event == protocol.PreExecute:
		prompt := gjson.GetBytes(o.UpdatedInput, "prompt")
		return dialect.JSONObject("modified_content", strictjson.Quote(dialect.StringOf(prompt)))
	case o.UpdatedInput == nil || r.Call.Event != protocol.PreTool:
		return nil
	}
	var changed strictjson.Fields
	before := dialect.LastOf(gjson.Parse(r.Call.Args))
	for key, value := range gjson.ParseBytes(o.UpdatedInput).ForEach {
		name := strictjson.Text(key.Raw)
		if old, was := before[name]; !was || !strictjson.Equal(old, value) {
			changed.Set(name, []byte(value.Raw))
		}
	}
	if changed == nil {
		return nil
	}
	return dialect.JSONObject("parameter_overrides", dialect.ObjectOf(changed))
}

// result returns the members that all results have. payload is JSON, or "".
func (r *Request) result(payload string) strictjson.Fields {
	out := dialect.FieldsOf("type", []byte(`"final"`), "acs_version", []byte(`"`+version+`"`),
		"request_id", strictjson.Quote(r.id), "decision", []byte(`"allow"`))
	if payload != "" {
		out.Set("payload", []byte(payload))
	}
	return out
}

func (r *Request) ping(echo gjson.Result) []byte {
	payload := dialect.FieldsOf("status", []byte(`"ok"`))
	if echo.Type == gjson.String {
		payload.Set("echo", []byte(echo.Raw))
	}
	payload.Set("server_timestamp", strictjson.Quote(time.Now().UTC().Format(time.RFC3339)))
	return dialect.ObjectOf(r.result(string(dialect.ObjectOf(payload))))
}

// hello answers a ClientHello. Agents look for the ServerHello in the result or in the payload of the result.
func (r *Request) hello(client gjson.Result) ([]byte, error) {
	for _, v := range client.Get("acs_versions_supported").Array() {
		if strings.HasPrefix(dialect.StringOf(v), "0.") {
			const hello = `{"negotiated_version":"` + version + `","methods_evaluated":["` +
				userMessage + `","` + toolCallRequest + `","` + toolCallResult +
				`","system/ping"],"selected_transport":"http",` +
				`"signature_algorithms_supported":[],"timeout_config":{"default_ms":60000},"skew_window_ms":300000,` +
				`"on_decision_failure":"deny","policy_requires_provenance":false,"profiles_accepted":[]}`
			return dialect.MergedJSON(dialect.ObjectOf(r.result(hello)), []byte(hello)), nil
		}
	}
	return nil, wrongVersion()
}

func wrongVersion() error {
	return &jsonrpc.Error{Code: unsupportedVersion, Message: "the version must be 0.y.z, as " + version,
		Data: []byte(`{"reason":"unsupported_version","supported_versions":["` + version + `"]}`)}
}
