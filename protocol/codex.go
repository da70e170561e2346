package protocol

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/tidwall/gjson"

	"github.com/hookrun/hookrun/internal/printable"
	"github.com/hookrun/hookrun/internal/strictjson"
)

// Codex is the dialect of Codex CLI 0.169.0, as the real client was recorded. All hooks of a call run at once, equal ones too. JSON
// counts with exit 0 alone, and is dropped whole for a key that the client does not know; exit 2 blocks if it has something on stderr.
// Everything else that goes wrong lets pass. Where it departs from the client is in the README.
var Codex = &Dialect{
	Name:    "codex",
	Events:  codexEvents,
	Timeout: 600 * time.Second,
	TimeoutAt: func(e Event) time.Duration {
		if e == "Interrupt" || e == "SessionEnd" {
			return time.Second
		}
		return 0
	},
	Causes:     []Cause{CauseSignal, CauseUnstarted, CauseTimeout, CauseOutput, CauseExit, CauseUnsupported},
	Failure:    func(Event, Cause) Decision { return Continue },
	Passes:     func(e Event) bool { return codexMomentOf(e).does&fails == 0 },
	Parallel:   true,
	MaxContext: 10_000,

	OverlooksUnsupported: true,

	SubjectField: func(e Event) string { return codexMomentOf(e).subject },
	Event:        codexEvent,
	Payload:      codexPayload,
	Judge:        codexJudge,
	Answer: func(o Outcome) ([]byte, int, error) {
		text, err := o.Codex()
		return text, 0, err // with any other exit it would not be read
	},
	// Claude Code has no turn_id, and a model at the start of a session alone, where it has no permission_mode. At SessionEnd nothing
	// tells the two apart, and nothing that is answered counts.
	Sign: func(c *Call) bool {
		return c.Field("turn_id") != "" || c.Field("model") != "" && c.Field("permission_mode") != ""
	},
}

// codexMoment is what one event of the client is like.
type codexMoment struct {
	name     Event
	subject  string // the field that matchers are held against
	does     effect
	decision string        // the words for a decision at the top level; "": there is no such field
	answer   []claudeField // what hookSpecificOutput may have; nil: there is no such field
}

// What hooks can do at an event of this client only.
const (
	deaf     effect = 1 << (iota + 8) // nothing that a hook prints is read
	jsonOnly                          // text is an answer that cannot be read
	endless                           // continue: false, stopReason and suppressOutput are not supported
	replaces                          // continue: false puts a text in the place of the tool's result, and the turn goes on
	terse                             // systemMessage is all that an answer may have
)

var codexContext = []claudeField{{"additionalContext", "string"}}

var codexMoments = []codexMoment{
	{"SessionStart", "source", fails | stops | speaks, "", codexContext},
	{"UserPromptSubmit", "", blocks | fails | stops | speaks, "block", codexContext},
	{"PreModelRequest", "", deaf, "", nil},
	{"PostModelRequest", "", deaf, "", nil},
	{"PreToolUse", "tool_name", blocks | fails | endless, "approve|block", []claudeField{{"permissionDecision", "allow|deny|ask"}, {"permissionDecisionReason", "string"}, {"updatedInput", "any"}, {"additionalContext", "string"}}},
	{"PermissionRequest", "tool_name", blocks | fails | endless, "", []claudeField{{"decision", "object"}}},
	{"PostToolUse", "tool_name", blocks | fails | replaces, "block", []claudeField{{"additionalContext", "string"}, {"updatedMCPToolOutput", "any"}}},
	{"SubagentStart", "agent_type", speaks, "", codexContext},
	{"SubagentStop", "agent_type", blocks | stops | jsonOnly, "block", nil},
	{"Stop", "", blocks | stops | jsonOnly, "block", nil},
	{"PreCompact", "trigger", fails | stops, "", nil},
	{"PostCompact", "trigger", stops, "", nil},
	{"Interrupt", "", jsonOnly | terse, "", nil},
	{"SessionEnd", "reason", deaf, "", nil},
}

func codexEvents() (names []Event) {
	for _, m := range codexMoments {
		names = append(names, m.name)
	}
	return names
}

func codexMomentOf(e Event) codexMoment {
	for _, m := range codexMoments {
		if m.name == e {
			return m
		}
	}
	return codexMoment{name: e, does: blocks | fails}
}

// codexEvent: a tool that failed has run all the same, and one that was blocked has not.
func codexEvent(c *Call) Event {
	switch {
	case c.Event.Canonical() != PostTool:
		return c.Event.Claude()
	case c.Blocked:
		return "" // a moment that the client does not have
	}
	return "PostToolUse"
}

// codexPayload passes on the client's own input, or writes what the client would have, as far as the caller knows it.
func codexPayload(c *Call) (Payload, []string, error) {
	event := codexEvent(c)
	if Event(c.Field("hook_event_name")) == event {
		return Payload{[]byte(c.ClientInput), []byte("\n")}, nil, nil
	}
	var o object
	var warnings []string
	o.text("session_id", c.SessionID)
	if turn := c.Field("turn_id"); turn != "" {
		o.text("turn_id", turn)
	}
	if c.TranscriptPath == "" {
		o.raw("transcript_path", []byte("null"))
	} else {
		o.text("transcript_path", c.TranscriptPath)
	}
	dir := c.Dir
	if dir == "" {
		dir = c.Workspace
	}
	o.text("cwd", dir)
	o.text("hook_event_name", string(event))
	o.text("model", c.Field("model"))
	o.text("permission_mode", "default")
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
	case "PostToolUse":
		o.raw("tool_response", toolResponse(c.Result))
		o.text("tool_use_id", c.ToolUseID)
	case "PreToolUse":
		o.text("tool_use_id", c.ToolUseID)
	case "UserPromptSubmit":
		o.text("prompt", c.Prompt)
	}
	if c.AgentID != "" {
		o.text("agent_id", c.AgentID)
	}
	return o.end(), warnings, nil
}

// codexJudge reads, in this order: no start, deadline, signal or exit code, output.
func codexJudge(c *Call, hook string, r *Result) Verdict {
	m := codexMomentOf(codexEvent(c))
	who := said(m.name, hook)
	failed := func(cause Cause, why string) Verdict {
		return Verdict{Cause: cause, Status: StatusFailed, Problem: who + " " + why}
	}
	stderr := r.Stderr.Text()
	switch {
	case r.Late:
		return codexLate(c, hook, *r)
	case r.Err != nil:
		return Verdict{Cause: CauseUnstarted, Status: StatusUnstarted, Problem: who + " could not run: " + r.Err.Error()}
	case r.Async:
		return Verdict{Decision: Continue, Status: StatusAsync}
	case r.TimedOut: // what it printed until then is no answer
		return Verdict{Cause: CauseTimeout, Status: StatusTimeout, Problem: who + " timed out after " + r.Limit.String() + r.hint()}
	case r.Garbled != "":
		return failed(CauseOutput, "gave an answer that cannot be read: "+r.Garbled)
	case r.Signal != "":
		return failed(CauseSignal, "was killed by "+r.Signal)
	case r.ExitCode == 2 && m.does&blocks != 0 && stderr != "": // stdout is not read
		return Verdict{Decision: Block, Cause: CausePolicy, Status: StatusBlocked, Reason: stderr}
	case r.ExitCode == 2 && m.does&blocks != 0:
		return failed(CauseExit, "exited with 2 and has nothing on stderr, where Codex looks for the reason")
	case r.ExitCode != 0 && stderr != "":
		return failed(CauseExit, fmt.Sprintf("exited with %d\n%s", r.ExitCode, stderr))
	case r.ExitCode != 0:
		return failed(CauseExit, fmt.Sprintf("exited with %d", r.ExitCode))
	}
	v, err := codexResult(c, m, hook, r)
	if err != nil {
		return failed(CauseOutput, "gave an answer that cannot be read: "+err.Error())
	}
	if m.does&deaf == 0 {
		v = doubtEqualKeys(who, answerOf(r.Stdout.Text()), v)
	}
	return v
}

// codexLate reads what an async hook said in the end: no decision counts any more.
func codexLate(c *Call, hook string, r Result) Verdict {
	r.Late = false
	v := codexJudge(c, hook, &r)
	late := Verdict{Decision: Continue, Status: StatusAsync, Warnings: v.Warnings}
	if v.Problem != "" {
		late.Warnings = append(late.Warnings, "async "+v.Problem)
		return late
	}
	late.Context, late.SystemMessage = v.Context, v.SystemMessage
	return late
}

// codexResult reads what a hook printed that ended well. An error means that it counts for nothing.
func codexResult(c *Call, m codexMoment, hook string, r *Result) (Verdict, error) {
	text := r.Stdout.Text() // without white space around; a byte order mark is none
	isJSON := strings.HasPrefix(text, "{") || strings.HasPrefix(text, "[")
	v := Verdict{Decision: Continue, Status: StatusOK}
	switch {
	case text == "" || m.does&deaf != 0:
		return v, nil
	case isJSON && r.Stdout.LeftOut() > 0:
		return v, errors.New("it is too long: 1 MiB of output is kept")
	case isJSON:
		v, err := codexAnswer(c, m, text)
		if doubt := doubtOf(gjson.Parse(text), codexWords, m.own()...); err == nil && doubt != nil && v.Decision == Continue {
			v.Doubt = doubted(said(m.name, hook), "Codex", doubt)
		}
		return v, err
	case m.does&jsonOnly != 0:
		return v, fmt.Errorf("at %s it must be one JSON object, or nothing", m.name)
	case m.does&speaks != 0:
		v.Context, v.Truncated = text, r.Stdout.LeftOut() > 0
	}
	// The client lets pass, and is content with the run.
	v.Doubt = doubtOfText(said(m.name, hook), r.Stdout.All())
	return v, nil
}

// codexAnswer reads a JSON answer as the client does: it may have nothing but what is known, each of its type; null is no value, and of
// two equal keys the last counts.
func codexAnswer(c *Call, m codexMoment, text string) (v Verdict, err error) {
	for _, f := range strictjson.Check(text, codexDepth) {
		if f.Kind != strictjson.Duplicate {
			line, col := strictjson.Position(text, f.Offset)
			return v, fmt.Errorf("line %d, column %d: %s", line, col, f.Text)
		}
	}
	if at := halfPair(text); at >= 0 {
		line, col := strictjson.Position(text, at)
		return v, fmt.Errorf("line %d, column %d: half of a surrogate pair", line, col)
	}
	if !strings.HasPrefix(text, "{") {
		return v, errors.New("it must be a JSON object")
	}
	a, err := codexObject(gjson.Parse(text), m.fields(), "")
	if err != nil {
		return v, err
	}
	var s codexFields
	if object, ok := a["hookSpecificOutput"]; ok {
		if s, err = codexObject(object, append([]claudeField{{"hookEventName", "string"}}, m.answer...), "hookSpecificOutput"); err != nil {
			return v, err
		}
		if name, ok := s["hookEventName"]; !ok {
			return v, errors.New("hookSpecificOutput has no hookEventName")
		} else if !slices.Contains(codexEvents(), Event(strictTextOf(name))) { // which of them does not matter
			return v, fmt.Errorf("hookSpecificOutput.hookEventName %s is no event of Codex", name.Raw)
		}
	}
	v = Verdict{Decision: Continue, Status: StatusOK, SystemMessage: a.text("systemMessage"), Context: s.text("additionalContext")}
	if err := codexDecide(&v, c, m, a, s); err != nil {
		return Verdict{}, err
	}
	return v, nil
}

// codexDepth is how deep an answer may nest.
const codexDepth = 127

// halfPair finds an escape like \ud83d that no other one completes to a character, which is none of Codex's JSON; -1: there is none.
func halfPair(text string) int {
	half := func(i int) uint64 { // 0xd800 is a first one, 0xdc00 a second
		if len(text) < i+6 || text[i:i+2] != `\u` {
			return 0
		}
		n, _ := strconv.ParseUint(text[i+2:i+6], 16, 16)
		return n & 0xfc00
	}
	for i := 0; i < len(text); i++ {
		if text[i] != '\\' {
			continue
		}
		switch half(i) {
		case 0xdc00:
			return i
		case 0xd800:
			if half(i+6) != 0xdc00 {
				return i
			}
			i += 6
		}
		i++ // what is escaped
	}
	return -1
}

// own are the keys that hookSpecificOutput may have.
func (m *codexMoment) own() (keys []string) {
	for _, f := range m.answer {
		keys = append(keys, f.key)
	}
	return keys
}

// fields are those that an answer may have at its top level.
func (m *codexMoment) fields() []claudeField {
	fields := []claudeField{{"systemMessage", "string"}}
	if m.does&terse != 0 {
		return fields
	}
	fields = append(fields, claudeField{"continue", "boolean"}, claudeField{"stopReason", "string"}, claudeField{"suppressOutput", "boolean"})
	if m.decision != "" {
		fields = append(fields, claudeField{"decision", m.decision}, claudeField{"reason", "string"})
	}
	if m.answer != nil {
		fields = append(fields, claudeField{"hookSpecificOutput", "object"})
	}
	return fields
}

// codexFields are the fields of an object, those that are not null.
type codexFields map[string]gjson.Result

func (f codexFields) has(key string) bool { _, ok := f[key]; return ok }

func (f codexFields) text(key string) string { return strictTextOf(f[key]) }

// codexObject returns the fields of an object. One that is not known is an error, named with the client that knows it.
func codexObject(object gjson.Result, known []claudeField, where string) (found codexFields, err error) {
	found = codexFields{}
	object.ForEach(func(key, value gjson.Result) bool {
		name := strictjson.Text(key.Raw)
		if !slices.ContainsFunc(known, func(f claudeField) bool { return f.key == name }) {
			if where != "" {
				name = where + "." + name
			}
			err = fmt.Errorf("it has %q%s, which Codex does not know there, and drops the whole answer for", name, ownerOf(strictjson.Text(key.Raw)))
			return false
		}
		found[name] = value
		return true
	})
	for _, f := range known {
		switch value, ok := found[f.key]; {
		case !ok || err != nil:
		case value.Type == gjson.Null && f.is != "boolean": // of what is true or false it is a wrong type
			delete(found, f.key)
		default:
			err = claudeType(f, value, where)
		}
	}
	return found, err
}

// ownerOf says whose word a key of an answer is, if it is another client's.
func ownerOf(key string) string {
	is := func(f claudeField) bool { return f.key == key }
	whole := codexMoment{decision: "block", answer: codexContext}
	switch {
	case slices.ContainsFunc(whole.fields(), is), slices.ContainsFunc(codexMoments, func(m codexMoment) bool { return slices.ContainsFunc(m.answer, is) }):
		return "" // it is at a wrong place
	case slices.ContainsFunc(claudeTop, is), slices.ContainsFunc(claudeMoments, func(m claudeMoment) bool { return slices.ContainsFunc(m.answer, is) }):
		return ", a word of Claude Code's"
	case key == "tool_input", slices.ContainsFunc(geminiMoments, func(m geminiMoment) bool { return slices.Contains(m.carries, key) }):
		return ", a word of Gemini CLI's"
	}
	return ""
}

// codexDecide takes what an answer decides. An error means that the client has no use for it, and so drops all of it.
func codexDecide(v *Verdict, c *Call, m codexMoment, a, s codexFields) error {
	block := func(reason string) {
		v.Decision, v.Cause, v.Status, v.Reason = Block, CausePolicy, StatusBlocked, strings.TrimSpace(reason)
	}
	ends := a["continue"].Type == gjson.False
	suppressed := a["suppressOutput"].Type == gjson.True
	reason := strings.TrimSpace(a.text("reason"))
	blocked := a.text("decision") == "block"
	switch {
	case m.does&endless != 0 && ends:
		return fmt.Errorf("%s has no continue: false", m.name)
	case m.does&endless != 0 && a.has("stopReason"):
		return fmt.Errorf("%s has no stopReason", m.name)
	case m.does&(endless|replaces) != 0 && suppressed && !(m.does&replaces != 0 && ends):
		return fmt.Errorf("%s has no suppressOutput", m.name)
	case m.does&replaces != 0 && ends:
		if suppressed || blocked && reason == "" {
			v.Context = ""
		}
		block(firstText(reason, a.text("stopReason"), "PostToolUse hook stopped execution"))
		return nil
	case m.does&stops != 0 && ends:
		v.Stop, v.StopReason = true, a.text("stopReason")
		if m.does&jsonOnly != 0 { // a block would send the agent on, and a stop is stronger
			return nil
		}
	}
	switch m.name {
	case "PreToolUse":
		if s.has("permissionDecision") || s.has("permissionDecisionReason") || s.has("updatedInput") {
			return codexPermission(v, c, s, block) // the other form does not count then
		}
		if a.text("decision") == "approve" {
			return errors.New(`Codex has no decision "approve"; to let pass, say nothing`)
		}
	case "PermissionRequest":
		return codexRequest(v, s, block)
	case "PostToolUse":
		if s.has("updatedMCPToolOutput") {
			return errors.New("Codex does not support updatedMCPToolOutput")
		}
	}
	switch {
	case blocked && reason != "":
		block(reason)
	case blocked && !v.Stop:
		return errors.New(`decision "block" needs a reason`)
	case (m.name == "PreToolUse" || m.name == "PostToolUse") && a.has("reason"):
		return errors.New("there is a reason without a decision")
	}
	return nil
}

// codexPermission reads the decision of PreToolUse. An allow is for rewrites alone, and skips no question to the user.
func codexPermission(v *Verdict, c *Call, s codexFields, block func(string)) error {
	word, why := s.text("permissionDecision"), strings.TrimSpace(s.text("permissionDecisionReason"))
	input, rewrites := s["updatedInput"]
	switch {
	case rewrites && word != "allow":
		return errors.New(`updatedInput needs permissionDecision "allow"`)
	case word == "":
		return errors.New("there is a permissionDecisionReason without a permissionDecision")
	case word == "deny" && why == "":
		return errors.New(`permissionDecision "deny" needs a permissionDecisionReason`)
	case word == "deny":
		block(why)
		return nil
	case !rewrites:
		return fmt.Errorf("Codex has no permissionDecision %q by itself; to let pass, say nothing", word)
	}
	if v.UpdatedInput = rewritten(input); c.Tool == "Bash" && input.Get("command").Type != gjson.String {
		v.Warnings = append(v.Warnings, "updatedInput has no command, without which Codex fails the call of Bash")
	}
	return nil
}

// codexRequest reads the decision of PermissionRequest.
func codexRequest(v *Verdict, s codexFields, block func(string)) error {
	object, ok := s["decision"]
	if !ok {
		return nil
	}
	d, err := codexObject(object, []claudeField{{"behavior", "allow|deny"}, {"message", "string"}, {"interrupt", "boolean"}, {"updatedInput", "any"}, {"updatedPermissions", "any"}}, "decision")
	switch {
	case err != nil:
		return err
	case !d.has("behavior"):
		return errors.New("hookSpecificOutput.decision has no behavior")
	case d.has("updatedInput"), d.has("updatedPermissions"):
		return errors.New("Codex supports neither updatedInput nor updatedPermissions in a decision")
	case d["interrupt"].Type == gjson.True:
		return errors.New("Codex does not support interrupt")
	case d.text("behavior") == "deny":
		block(firstText(strings.TrimSpace(d.text("message")), "PermissionRequest hook denied approval"))
	default:
		v.Approved, v.Cause = true, CausePolicy
	}
	return nil
}

// firstText is the first of the texts that says something.
func firstText(texts ...string) string {
	for _, t := range texts {
		if strings.TrimSpace(t) != "" {
			return t
		}
	}
	return ""
}

// Codex returns the outcome as Codex's hook output, which makes hookrun a hook command of its own there. What the client has no word
// for becomes the next stricter thing that it has, and where there is none a message to the user: one key too many, and it would drop
// the whole answer and let pass.
func (o Outcome) Codex() ([]byte, error) {
	m := codexMomentOf(codexEvent(&Call{Event: o.Event, Failed: o.failed}))
	if m.does&deaf != 0 {
		return []byte("{}"), nil
	}
	out := claudeOutput{} // the same fields, but for terminalSequence
	messages := append(slices.Clip(o.SystemMessages), o.notices()...)
	specific := Fields{{"hookEventName", jsonText(string(m.name))}}
	context := strings.Join(o.Texts(), "\n\n")
	held, why := o.Decision != Continue, firstText(o.blockReason("Codex"), "Blocked by a hook")
	switch {
	case m.does&endless != 0: // neither can end the turn, but both can hold up the call
		if o.Stop && !held {
			held, why = true, firstText(o.StopReason, o.Reason, "Stopped by a hook")
		}
		if m.name == "PermissionRequest" {
			o.codexRequest(&specific, held, why)
			break
		}
		if !held {
			why = o.codexUnfit()
			held = why != ""
		}
		switch {
		case held:
			specific.Set("permissionDecision", jsonText("deny"))
			specific.Set("permissionDecisionReason", jsonText(why))
		case o.UpdatedInput != nil: // no approval: the client asks its user all the same
			specific.Set("permissionDecision", jsonText("allow"))
			specific.Set("updatedInput", o.UpdatedInput)
			if o.Tool == "Bash" {
				messages = append(messages, codexUnused(o.UpdatedInput)...)
			}
		}
	case o.Stop && m.does&(stops|replaces) != 0, held && m.does&stops != 0 && m.decision == "":
		out.Continue, out.StopReason = new(bool), firstText(o.StopReason, why)
		if held && m.decision != "" {
			out.Decision, out.Reason = "block", why
		}
	case held && m.decision != "":
		out.Decision, out.Reason = "block", why
	case held:
		messages = append(messages, fmt.Sprintf("hookrun: Codex cannot be held up at %s: %s", m.name, why))
	case o.Stop:
		messages = append(messages, fmt.Sprintf("hookrun: Codex cannot be stopped at %s: %s", m.name, o.StopReason))
	case o.UpdatedOutput != nil && m.does&replaces != 0: // a block is what puts a text in the place of the result
		out.Decision, out.Reason = "block", firstText(textOf(o.UpdatedOutput), "(nothing)")
	}
	if o.Decision != Continue && o.Stop { // of two the client reads one
		switch {
		case out.Continue == nil:
			messages = append(messages, fmt.Sprintf("hookrun: Codex cannot be stopped at %s: %s", m.name, o.StopReason))
		case m.does&replaces == 0 && why != out.StopReason:
			messages = append(messages, why)
		}
	}
	switch {
	case context == "":
	case slices.Contains(m.answer, codexContext[0]):
		specific.Set("additionalContext", jsonText(context))
	case out.Decision == "block" && !o.Stop: // of two the client reads the stop
		out.Reason += "\n\n" + context
	default:
		messages = append(messages, fmt.Sprintf("hookrun: Codex cannot give the model this at %s:\n%s", m.name, context))
	}
	if out.SystemMessage = strings.Join(messages, "\n"); len(specific) > 1 {
		out.Specific = specific
	}
	return appendJSON(nil, out)
}

// codexUnfit says why the client would not run the tool with its new input, but fail, or drop the answer and run it with the old one.
func (o Outcome) codexUnfit() string {
	switch {
	case o.UpdatedInput == nil:
	case o.unfitInput() != "":
		return o.unfitInput()
	case o.Tool == "Bash" && gjson.GetBytes(o.UpdatedInput, "command").Type != gjson.String:
		return fmt.Sprintf("project hook '%s' changed the tool's input to one without a command", printable.Escape(o.rewroteInput))
	case len(strictjson.Check(string(o.UpdatedInput), codexDepth-2)) > 0:
		return fmt.Sprintf("project hook '%s' changed the tool's input to one that is nested deeper than Codex can read", printable.Escape(o.rewroteInput))
	}
	return ""
}

// codexUnused names what a rewrite of a shell call has besides the command, which is all that the client takes of it.
func codexUnused(input []byte) (messages []string) {
	gjson.ParseBytes(input).ForEach(func(key, _ gjson.Result) bool {
		if name := strictjson.Text(key.Raw); name != "command" {
			messages = append(messages, fmt.Sprintf("hookrun: Codex takes the command alone of a hook's new input, not its %q", name))
		}
		return true
	})
	return messages
}

// codexRequest writes the decision of PermissionRequest, which cannot carry a rewrite.
func (o Outcome) codexRequest(specific *Fields, held bool, why string) {
	var d Fields
	switch {
	case held:
	case o.UpdatedInput != nil:
		held, why = true, fmt.Sprintf("project hook '%s' changed the tool's input, and Codex cannot take that here", printable.Escape(o.rewroteInput))
	case !o.Approved:
		return
	}
	d.Set("behavior", jsonText("allow"))
	if held {
		d.Set("behavior", jsonText("deny"))
		d.Set("message", jsonText(why))
	}
	text, _ := d.MarshalJSON() // made of JSON, it cannot fail
	specific.Set("decision", text)
}
