package protocol

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/tidwall/gjson"

	"github.com/hookrun/hookrun/internal/strictjson"
)

// Gemini is the dialect of Gemini CLI 0.61.0, as the real client was recorded. All hooks of a call run at once, unless a group of
// the file wants them in turn. A JSON answer counts whatever the exit code; a text blocks with any code but 0 and 1, and a code
// without a text blocks nothing. Where it departs from the client is in the README.
var Gemini = &Dialect{
	Name:    "gemini",
	Events:  geminiEvents,
	Timeout: 60 * time.Second,
	Causes:  []Cause{CauseSignal, CauseUnstarted, CauseTimeout, CauseOutput, CauseExit},
	Failure: func(e Event, cause Cause) Decision {
		// The client's shell says of a command that is not there why, and ends with 127, which blocks. A shell that is not there
		// itself must do no less.
		if cause == CauseUnstarted && (e == "BeforeTool" || e == "BeforeAgent" || e == "BeforeModel") {
			return Block
		}
		return Continue
	},
	Passes:                func(e Event) bool { return geminiMomentOf(e).does&fails == 0 },
	Parallel:              true,
	DropAllContextOnBlock: true,
	FirstOfSame:           true,
	AllReasons:            true,
	NoReason:              "No reason provided", // the client's words
	Environment:           geminiEnvironment,
	OwnEnvironmentWins:    true,
	SubjectField:          func(e Event) string { return geminiMomentOf(e).subject },
	Event:                 geminiEvent,
	Payload:               geminiPayload,
	Judge:                 geminiJudge,
	Chain:                 geminiChain,
	Answer: func(o Outcome) ([]byte, int, error) {
		text, err := o.Gemini()
		return text, 0, err // a JSON answer counts whatever the exit
	},
	Sign:     func(c *Call) bool { return c.Field("timestamp") != "" },
	Project:  "GEMINI_PROJECT_DIR",
	ToolName: geminiToolName,
}

// geminiMoment is what one event of the client is like.
type geminiMoment struct {
	name    Event
	subject string // the field that matchers are held against
	does    effect
	context bool     // additionalContext is for the model; elsewhere the client drops it
	carries []string // what else hookSpecificOutput may have
}

var geminiMoments = []geminiMoment{
	{"SessionStart", "source", 0, true, nil},
	{"BeforeAgent", "", blocks | fails | stops, true, nil},
	{"PreCompress", "trigger", 0, false, nil},
	{"BeforeModel", "", blocks | fails | stops, false, []string{"llm_request", "llm_response"}},
	{"BeforeToolSelection", "", 0, false, []string{"toolConfig"}},
	{"AfterModel", "", blocks | fails | stops, false, []string{"llm_response"}},
	{"BeforeTool", "tool_name", blocks | fails | stops, false, nil},
	{"AfterTool", "tool_name", blocks | fails | stops, true, []string{"tailToolCallRequest"}},
	{"Notification", "", 0, false, nil},
	// A block sends the agent back to work, without a limit: a hook that is broken must not do that for ever.
	{"AfterAgent", "", blocks | stops, false, []string{"clearContext"}},
	{"SessionEnd", "reason", 0, false, nil},
}

func geminiEvents() (names []Event) {
	for _, m := range geminiMoments {
		names = append(names, m.name)
	}
	return names
}

func geminiMomentOf(e Event) geminiMoment {
	for _, m := range geminiMoments {
		if m.name == e {
			return m
		}
	}
	return geminiMoment{name: e}
}

// geminiEvent: AfterTool is for tools that ran, those that failed too.
func geminiEvent(c *Call) Event {
	if c.Blocked && c.Event.Canonical() == PostTool {
		return "" // a moment that the client does not have
	}
	return c.Event.Gemini()
}

func geminiEnvironment(c *Call) []string {
	env := []string{"GEMINI_PROJECT_DIR=" + c.Workspace, "GEMINI_CWD=" + c.Workspace, "CLAUDE_PROJECT_DIR=" + c.Workspace}
	if c.Event == "" { // of a process that sees many calls
		return env
	}
	return append(env, "GEMINI_SESSION_ID="+c.SessionID)
}

// geminiPayload passes on the client's own input, or writes what the client would have, as far as the caller knows it.
func geminiPayload(c *Call) (Payload, []string, error) {
	event := geminiEvent(c)
	if Event(c.Field("hook_event_name")) == event {
		return Payload{[]byte(c.ClientInput), []byte("\n")}, nil, nil
	}
	var o object
	var warnings []string
	o.text("session_id", c.SessionID)
	o.text("transcript_path", c.TranscriptPath)
	o.text("cwd", c.Workspace)
	o.text("hook_event_name", string(event))
	o.text("timestamp", time.Now().UTC().Format("2006-01-02T15:04:05.000Z"))
	if c.Event.HasTool() {
		input, w, err := c.Input()
		if err != nil {
			return nil, nil, err
		}
		warnings = w
		o.text("tool_name", c.Tool)
		o.raw("tool_input", input)
	}
	switch event {
	case "AfterTool":
		o.raw("tool_response", geminiResponse(c))
	case "BeforeAgent":
		o.text("prompt", c.Prompt)
	}
	return o.end(), warnings, nil
}

// geminiResponse writes a tool's result in the client's form.
func geminiResponse(c *Call) []byte {
	text := jsonText(c.Result)
	response := Fields{{"llmContent", text}, {"returnDisplay", text}}
	if c.Failed {
		failure, _ := Fields{{"message", text}}.MarshalJSON() // made of JSON, it cannot fail
		response.Set("error", failure)
	}
	written, _ := response.MarshalJSON()
	return written
}

// geminiResult reads a tool's result from the client's form: what the model sees of it.
func (c *Call) geminiResult(response gjson.Result) {
	content, failure := response.Get("llmContent"), response.Get("error")
	c.Failed = failure.Type != gjson.Null
	switch {
	case content.Exists():
		c.Result = textOf([]byte(content.Raw))
	case c.Failed && failure.Get("message").Exists():
		c.Result = textOf([]byte(failure.Get("message").Raw))
	}
}

// geminiToolName writes the name of an MCP tool as all the others do. The client joins its parts by single underscores, so that only
// what stands beside it says where the server's name ends.
func geminiToolName(c *Call) string {
	server, tool := c.Field("mcp_context.server_name"), c.Field("mcp_context.tool_name")
	if server == "" || tool == "" {
		return ""
	}
	return "mcp__" + server + "__" + tool
}

// geminiChain merges a rewrite into the input that the next hook in turn gets, where the tool will be given the rewrite alone,
// and adds context to the prompt. A hook that ended with another code than 0 changes nothing.
func geminiChain(c *Call, v *Verdict) bool {
	if v.Cause == CauseExit || v.Cause == CauseSignal {
		return false
	}
	switch geminiEvent(c) {
	case "BeforeTool":
		old, _, err := c.Input()
		merged := mergedJSON(old, v.UpdatedInput)
		if err != nil || merged == nil {
			return false
		}
		c.Args = string(merged)
		c.setField("tool_input", merged)
		return true
	case "BeforeModel":
		const key = "llm_request"
		merged := mergedJSON([]byte(gjson.Get(c.ClientInput, key).Raw), v.Other.Get(key))
		if merged == nil {
			return false
		}
		c.setField(key, merged)
		return true
	case "BeforeAgent":
		if v.Context == "" {
			return false
		}
		c.Prompt += "\n\n" + v.Context
		c.setField("prompt", jsonText(c.Prompt))
		return true
	}
	return false
}

// mergedJSON is an object with the fields of another one over its own, nil where either is none.
func mergedJSON(object, over []byte) []byte {
	if !gjson.ParseBytes(object).IsObject() || !gjson.ParseBytes(over).IsObject() {
		return nil
	}
	var all, more Fields
	_, _ = all.UnmarshalJSON(object), more.UnmarshalJSON(over) // of an object there is no error
	for _, f := range more {
		all.Set(f.Key, f.Value)
	}
	merged, _ := all.MarshalJSON() // made of JSON, it cannot fail
	return merged
}

// geminiJudge reads, in this order: no start, deadline, text, exit code. The text is stdout's, or stderr's where stdout is blank.
func geminiJudge(c *Call, hook string, r *Result) Verdict {
	m := geminiMomentOf(geminiEvent(c))
	who := said(m.name, hook)
	switch {
	case r.Err != nil:
		return Verdict{Cause: CauseUnstarted, Status: StatusUnstarted, Problem: who + " could not run: " + r.Err.Error()}
	case r.TimedOut: // what it printed until then is no answer
		return Verdict{Cause: CauseTimeout, Status: StatusTimeout, Problem: who + " timed out after " + r.Limit.String() + r.hint()}
	case r.Garbled != "":
		return Verdict{Cause: CauseOutput, Status: StatusFailed, Problem: who + " gave an answer that cannot be read: " + r.Garbled}
	}
	text := trimJS(r.Stdout.All())
	if text == "" {
		text = trimJS(r.Stderr.All())
	}
	code := r.ExitCode
	if r.Signal != "" {
		code = 0 // as far as a text is concerned
	}
	v := Verdict{Decision: Continue, Status: StatusOK}
	var odd error // what of the answer means nothing to the client, though it was meant
	answer, isJSON := geminiJSON(text)
	switch {
	case isJSON && answer.IsObject():
		if v, odd = m.answer(who, answer); odd == nil && v.Decision == Continue && v.Doubt == "" {
			if err := doubtOf(answer, geminiWords, append([]string{"tool_input"}, m.carries...)...); err != nil {
				v.Doubt = doubted(who, "Gemini CLI", err)
			}
		}
		v.Answered = true
	case isJSON:
		odd = wrongType("the answer", "a JSON object", answer)
	case text == "":
	case code > 1:
		if m.does&blocks != 0 {
			return Verdict{Decision: Block, Cause: CausePolicy, Status: StatusBlocked, Reason: text}
		}
	case code == 1:
		v.SystemMessage = "Warning: " + text
	default:
		v.SystemMessage = text
		if odd = geminiLost(text); odd == nil {
			v.Doubt = doubtOfText(who, text)
		}
	}
	if v.Decision != Continue { // a deny stands, however its author ended
		if v.Decision == Block && (r.ExitCode != 0 || r.Signal != "") { // but no hook behind it sees what else it said
			v.UpdatedInput, v.Context = nil, ""
		}
		return v
	}
	switch {
	case r.Signal != "":
		v.Cause, v.Problem = CauseSignal, who+" was killed by "+r.Signal
	case code != 0 && text == "":
		v.Cause, v.Problem = CauseExit, fmt.Sprintf("%s exited with %d and printed nothing, which blocks nothing; print the reason", who, code)
	case code != 0:
		v.Cause, v.Problem = CauseExit, fmt.Sprintf("%s exited with %d", who, code)
	case odd != nil:
		v.Cause, v.Problem = CauseOutput, who+" gave an answer that means nothing: "+odd.Error()
		odd = nil
	default:
		v.Answered = false
		return doubtEqualKeys(who, answer, v)
	}
	v.Status = StatusFailed
	if odd != nil {
		v.Problem += ", and its answer means nothing: " + odd.Error()
	}
	return doubtEqualKeys(who, answer, v)
}

// geminiJSON reads a text as the client does: it is JSON, or a JSON string that holds JSON, or no JSON at all.
func geminiJSON(text string) (value gjson.Result, is bool) {
	if value, is = jsonValue(text); is && value.Type == gjson.String {
		return jsonValue(strictjson.Text(value.Raw))
	}
	return value, is
}

func jsonValue(text string) (value gjson.Result, is bool) {
	for _, f := range strictjson.Check(text, maxInputDepth) {
		if f.Kind != strictjson.Duplicate {
			return gjson.Result{}, false
		}
	}
	return gjson.Parse(text), true
}

// geminiLost says of a text that is a message to the user why it may have been meant as an answer.
func geminiLost(text string) error {
	switch {
	case strings.HasPrefix(text, "{"):
		return errors.New("it begins with { and is no JSON, or has something behind it; print the JSON alone")
	case strings.Contains(text, `"decision"`), strings.Contains(text, `"permissionDecision"`):
		return errors.New("there is text around its JSON, so that was not read; print the JSON alone")
	}
	return nil
}

// geminiTop are the keys of an answer, in the form that claudeMeant looks for slips in.
var geminiTop = []claudeField{{"decision", ""}, {"reason", ""}, {"continue", ""}, {"stopReason", ""}, {"suppressOutput", ""}, {"systemMessage", ""}, {"hookSpecificOutput", ""}}

// claudesWords are keys of Claude Code's and Codex's answers that decide or rewrite there, and mean nothing here.
var claudesWords = []string{"permissionDecision", "permissionDecisionReason", "updatedInput", "updatedToolOutput", "updatedMCPToolOutput"}

// answer says what a JSON object means. No type is converted, and of two equal keys the last counts. odd is what may have been
// meant to hold the call up or change it, and does not.
func (m *geminiMoment) answer(who string, object gjson.Result) (v Verdict, odd error) {
	v = Verdict{Decision: Continue, Status: StatusOK}
	strange := func(format string, args ...any) {
		if odd == nil {
			odd = fmt.Errorf(format, args...)
		}
	}
	ignored := func(what string) {
		v.Warnings = append(v.Warnings, fmt.Sprintf("%s answered with %s, which means nothing at %s; ignored", who, what, m.name))
	}
	top := lastOf(object)
	v.Reason = messageOf(top["reason"])
	if v.SystemMessage = messageOf(top["systemMessage"]); messageOf(top["suppressOutput"]) != "" {
		v.SystemMessage = ""
	}
	switch decision := top["decision"]; {
	case decision.Type == gjson.Null: // also where there is none
	case decision.Type != gjson.String:
		strange("%w", wrongType("decision", "a string", decision))
	default:
		m.decide(&v, strictjson.Text(decision.Raw), strange, ignored)
	}
	switch goOn := top["continue"]; {
	case goOn.Type == gjson.Null, goOn.Type == gjson.True:
	case goOn.Type != gjson.False:
		strange("%w", wrongType("continue", "true or false", goOn))
	case m.does&stops == 0:
		ignored(`"continue": false`)
	default:
		v.Stop, v.StopReason = true, messageOf(top["stopReason"])
		if m.name == "BeforeTool" { // the client does not run this call either
			v.Decision, v.Cause, v.Status = Block, CausePolicy, StatusBlocked
		}
	}
	if why := messageOf(top["stopReason"]); why != "" && v.Decision == Block && (m.name == "BeforeModel" || m.name == "AfterModel") {
		v.Reason = why // elsewhere it means nothing but beside a stop
	}
	specific := top["hookSpecificOutput"]
	if specific.Type != gjson.Null && !specific.IsObject() {
		strange("%w", wrongType("hookSpecificOutput", "an object", specific))
	}
	within := lastOf(specific)
	m.specific(&v, within, strange, ignored)
	for _, fields := range []map[string]gjson.Result{top, within} {
		m.strangers(&v, who, fields, strange)
	}
	object.ForEach(func(key, _ gjson.Result) bool {
		switch name := strictjson.Text(key.Raw); {
		case name == "tool_input", name == "additionalContext":
			lost := fmt.Sprintf("%s answered with %q at the top level, where it means nothing; it belongs in hookSpecificOutput", who, name)
			if name == "tool_input" && v.Doubt == "" { // a rewrite
				v.Doubt = lost
			} else {
				v.Warnings = append(v.Warnings, lost)
			}
		case slices.Contains(claudesWords, name), slices.ContainsFunc(geminiTop, func(f claudeField) bool { return f.key == name }):
		default:
			if meant := claudeMeant(name, geminiTop); meant != "" {
				strange("it has %q for %q", name, meant)
			}
		}
		return true
	})
	return v, odd
}

// decide takes a decision. A word that the client does not know lets pass.
func (m *geminiMoment) decide(v *Verdict, word string, strange func(string, ...any), ignored func(string)) {
	switch {
	case word == "allow", word == "approve", word == "":
	case word == "ask" && m.name == "BeforeTool":
		v.Decision, v.Cause, v.Status = Ask, CausePolicy, StatusBlocked
	case word == "ask":
		strange(`"decision": "ask" asks nobody at %s`, m.name)
	case word != "deny" && word != "block":
		strange("decision %q does not exist; known are allow, deny, ask", word)
	case m.does&blocks == 0:
		ignored(fmt.Sprintf(`"decision": %q`, word))
	default:
		v.Decision, v.Cause, v.Status = Block, CausePolicy, StatusBlocked
	}
}

// specific reads hookSpecificOutput. Its hookEventName says nothing.
func (m *geminiMoment) specific(v *Verdict, fields map[string]gjson.Result, strange func(string, ...any), ignored func(string)) {
	if context := fields["additionalContext"]; context.Type == gjson.String && m.context {
		v.Context = strictjson.Text(context.Raw)
	} else if context.Type != gjson.Null {
		ignored(`"additionalContext"`)
	}
	switch input := fields["tool_input"]; {
	case input.Type == gjson.Null:
	case m.name != "BeforeTool":
		ignored(`"tool_input"`)
	case !input.IsObject():
		strange("%w", wrongType("tool_input", "an object", input))
	default: // also beside a deny: the next hook in turn sees it
		v.UpdatedInput = rewritten(input)
	}
	for _, key := range m.carries {
		if value, ok := fields[key]; ok {
			v.Other.Set(key, strictjson.Compact(nil, value.Raw))
		}
	}
}

// strangers looks for an answer in the words of another client. An allow among them changes nothing, here as there.
func (m *geminiMoment) strangers(v *Verdict, who string, fields map[string]gjson.Result, strange func(string, ...any)) {
	for _, key := range claudesWords {
		switch value, ok := fields[key]; {
		case !ok || value.Type == gjson.Null:
		case key == "permissionDecisionReason", key == "permissionDecision" && value.String() == "allow":
			v.Warnings = append(v.Warnings, fmt.Sprintf("%s answered with %q, a word of Claude Code and Codex that Gemini CLI does not read", who, key))
		default:
			strange(`%q is a word of Claude Code and Codex that Gemini CLI does not read; write "decision": "deny", or "tool_input" in hookSpecificOutput`, key)
		}
	}
}

// lastOf returns the fields of an object, the last of equal ones.
func lastOf(object gjson.Result) map[string]gjson.Result {
	fields := map[string]gjson.Result{}
	if !object.IsObject() {
		return fields
	}
	object.ForEach(func(key, value gjson.Result) bool {
		fields[strictjson.Text(key.Raw)] = value
		return true
	})
	return fields
}

// messageOf is a text for people. What JavaScript takes for false is none, and any other value that is no string is shown as the
// JSON that it is.
func messageOf(value gjson.Result) string {
	if value.Type == gjson.Null || value.Type == gjson.False || value.Type == gjson.Number && value.Num == 0 {
		return ""
	}
	return textOf([]byte(value.Raw))
}

// geminiOutput is the client's hook output.
type geminiOutput struct {
	Continue      *bool  `json:"continue,omitempty"`
	StopReason    string `json:"stopReason,omitempty"`
	Decision      string `json:"decision,omitempty"`
	Reason        string `json:"reason,omitempty"`
	SystemMessage string `json:"systemMessage,omitempty"`
	Specific      Fields `json:"hookSpecificOutput,omitempty"`
}

// Gemini returns the outcome as Gemini CLI's hook output, which makes hookrun a hook command of its own; its exit status is 0.
// Where the client has no word for something at the event, it is not lost: a decision becomes the stricter one, a new result of
// the tool the reason that the client puts in its place, and a text that the model cannot be given a message to the user.
func (o Outcome) Gemini() ([]byte, error) {
	m := geminiMomentOf(geminiEvent(&Call{Event: o.Event}))
	out := geminiOutput{}
	messages := append(slices.Clip(o.SystemMessages), o.notices()...)
	specific := Fields{{"hookEventName", jsonText(string(m.name))}}
	if o.Stop {
		out.Continue, out.StopReason = new(bool), o.StopReason
	}
	unfit := ""
	if m.name == "BeforeTool" {
		unfit = o.unfitInput() // the client would run the old one
	}
	switch {
	case o.Decision == Ask && m.name == "BeforeTool" && unfit == "":
		out.Decision, out.Reason = "ask", o.Reason
	case o.Decision != Continue && (o.Decision != Ask || unfit == ""):
		out.Decision, out.Reason = "deny", o.blockReason("Gemini CLI")
	case unfit != "":
		out.Decision, out.Reason = "deny", unfit
	case o.UpdatedOutput != nil && m.name == "AfterTool":
		out.Decision, out.Reason = "deny", textOf(o.UpdatedOutput)
	}
	if out.Decision == "deny" && m.does&blocks == 0 {
		messages = append(messages, fmt.Sprintf("hookrun: Gemini CLI cannot be held up at %s: %s", m.name, out.Reason))
	}
	if o.Stop && m.does&stops == 0 {
		messages = append(messages, fmt.Sprintf("hookrun: Gemini CLI cannot be stopped at %s: %s", m.name, o.StopReason))
	}
	stopped := o.Stop && m.does&stops != 0
	switch texts := strings.Join(o.Texts(), "\n\n"); {
	case texts == "":
	case out.Decision == "deny" && m.does&blocks != 0: // beside a deny the client drops context, and gives the model the reason
		out.Reason += "\n\n" + texts
	case m.context && !stopped && !(o.failed && m.name == "AfterTool"): // of a tool that failed the client gives the model the error alone
		specific.Set("additionalContext", jsonText(texts))
	default:
		messages = append(messages, "hookrun: Gemini CLI cannot give the model this at "+string(m.name)+":\n"+texts)
	}
	if o.UpdatedInput != nil && m.name == "BeforeTool" && unfit == "" {
		specific.Set("tool_input", o.UpdatedInput)
	}
	for _, f := range o.Other {
		if slices.Contains(m.carries, f.Key) {
			specific.Set(f.Key, f.Value)
		}
	}
	if stopped && out.Reason != "" { // the client reads the stop reason alone
		messages = append(messages, out.Reason)
	}
	shown := cmp.Or(out.StopReason, out.Reason)
	if shown != "" && len(messages) > 0 && (m.name == "BeforeAgent" || m.name == "AfterAgent" && stopped) { // the client shows them in its place
		messages = slices.Insert(messages, 0, shown)
	}
	if out.SystemMessage = strings.Join(messages, "\n"); len(specific) > 1 {
		out.Specific = specific
	}
	return appendJSON(nil, out)
}
