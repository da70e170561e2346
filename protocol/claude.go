package protocol

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/tidwall/gjson"

	"github.com/hookrun/hookrun/internal/jsontype"
	"github.com/hookrun/hookrun/internal/spelling"
	"github.com/hookrun/hookrun/internal/strictjson"
)

// ClaudeCode is the dialect of Claude Code 2.1.329, as the real client was recorded. All hooks of a call run at once. Exit 2
// blocks, any other exit but 0 is a failure that lets pass, and JSON on stdout is read on every exit. Where it departs from
// the client, as in the order of results, is in the README.
var ClaudeCode = &Dialect{
	Name:    "claude",
	Events:  claudeEvents,
	Timeout: 600 * time.Second,
	TimeoutAt: func(e Event) time.Duration {
		switch e {
		case "UserPromptSubmit", "PreModelSwitch", "PostModelSwitch":
			return 30 * time.Second
		case "MessageDisplay":
			return 10 * time.Second
		case "SessionEnd":
			return 1500 * time.Millisecond
		}
		return 0
	},
	Causes: []Cause{CauseSignal, CauseUnstarted, CauseTimeout, CauseOutput, CauseExit, CauseUnsupported},
	Failure: func(e Event, cause Cause) Decision {
		if e == "PreModelSwitch" && cause == CauseTimeout {
			return Block
		}
		return Continue // whatever goes wrong with a hook, the client goes on
	},
	Passes:          claudePasses,
	Parallel:        true,
	MaxContext:      10_000,
	FollowsDir:      true,
	Environment:     func(c *Call) []string { return []string{"CLAUDE_PROJECT_DIR=" + c.Workspace} },
	HiddenVariables: []string{"OTEL_"},
	SubjectField:    claudeSubject,
	Event:           claudeEvent,
	Payload:         claudePayload,
	Judge:           claudeJudge,
	Detaches:        claudeDetaches,
	Answer: func(o Outcome) ([]byte, int, error) {
		text, err := o.Claude()
		return text, o.ClaudeExit(), err
	},
	Project:       "CLAUDE_PROJECT_DIR",
	StrictResults: true,
}

// claudeMoment is what one event of the client is like.
type claudeMoment struct {
	name    Event
	subject string // the field that matchers are held against
	does    effect
	answer  []claudeField // what hookSpecificOutput may have; additionalContext is context everywhere
}

// effect is what hooks can do at an event.
type effect int

const (
	blocks   effect = 1 << iota // exit 2 and decision "block" hold something up, or after the fact are feedback
	fails                       // what a failure means can be set: it may block
	stops                       // continue: false ends the turn
	speaks                      // plain text on stdout is for the model
	allExits                    // any exit but 0 blocks
)

// claudeField is a field of an answer, and its type as package jsontype names it.
type claudeField struct{ key, is string }

// claudeMoments are the events of the client.
var claudeMoments = []claudeMoment{
	{"SessionStart", "source", speaks, []claudeField{{"additionalContext", "string"}, {"initialUserMessage", "string"}, {"sessionTitle", "string"}, {"watchPaths", "strings"}, {"reloadSkills", "boolean"}}},
	{"Setup", "trigger", 0, nil}, // the client drops what is said there
	{"UserPromptSubmit", "", blocks | fails | stops | speaks, []claudeField{{"additionalContext", "string"}, {"sessionTitle", "string"}, {"suppressOriginalPrompt", "boolean"}}},
	{"UserPromptExpansion", "command_name", blocks | fails | stops | speaks, []claudeField{{"additionalContext", "string"}}},
	{"PreToolUse", "tool_name", blocks | fails | stops, []claudeField{{"permissionDecision", "allow|deny|ask|defer"}, {"permissionDecisionReason", "string"}, {"updatedInput", "object"}, {"additionalContext", "string"}}},
	{"PermissionRequest", "tool_name", fails, []claudeField{{"decision", "object"}}},
	{"PermissionDenied", "tool_name", 0, []claudeField{{"retry", "boolean"}}},
	{"PostToolUse", "tool_name", blocks | fails | stops, []claudeField{{"additionalContext", "string"}, {"classifierContext", "string"}, {"updatedToolOutput", "any"}, {"updatedMCPToolOutput", "any"}}},
	{"PostToolUseFailure", "tool_name", blocks | fails, []claudeField{{"additionalContext", "string"}}},
	{"PostToolBatch", "", blocks | fails | stops, []claudeField{{"additionalContext", "string"}}},
	{"Notification", "notification_type", 0, nil},
	{"MessageDisplay", "", 0, []claudeField{{"displayContent", "string"}}},
	{"SubagentStart", "agent_type", stops, []claudeField{{"additionalContext", "string"}}},
	{"SubagentStop", "agent_type", blocks | stops, []claudeField{{"additionalContext", "string"}}},
	{"TaskCreated", "", blocks | fails, nil},
	{"TaskCompleted", "", blocks | stops, nil},
	{"Stop", "", blocks | stops, []claudeField{{"additionalContext", "string"}}},
	{"StopFailure", "error", 0, nil},
	{"TeammateIdle", "", blocks | stops, nil},
	{"InstructionsLoaded", "load_reason", 0, nil},
	{"ConfigChange", "source", blocks | fails, nil},
	{"CwdChanged", "", 0, []claudeField{{"watchPaths", "strings"}}},
	{"DirectoryAdded", "source", 0, nil},
	{"FileChanged", "file_path", 0, []claudeField{{"watchPaths", "strings"}}},
	{"WorktreeCreate", "", blocks | fails | allExits, []claudeField{{"worktreePath", "string"}}},
	{"WorktreeRemove", "", blocks | fails | allExits, nil},
	{"PreCompact", "trigger", blocks | fails | speaks, nil},
	{"PostCompact", "trigger", 0, nil},
	{"PreModelSwitch", "to_model", blocks | fails, []claudeField{{"permissionDecision", "allow|deny|ask|defer"}, {"permissionDecisionReason", "string"}, {"updatedInput", "object"}, {"additionalContext", "string"}}},
	{"PostModelSwitch", "to_model", speaks, []claudeField{{"additionalContext", "string"}}},
	{"Elicitation", "mcp_server_name", blocks | fails, []claudeField{{"action", "accept|decline|cancel"}, {"content", "object"}}},
	{"ElicitationResult", "mcp_server_name", blocks | fails, []claudeField{{"action", "accept|decline|cancel"}, {"content", "object"}}},
	{"SessionEnd", "reason", 0, nil},
}

func claudeEvents() (names []Event) {
	for _, m := range claudeMoments {
		names = append(names, m.name)
	}
	return names
}

func claudeSubject(e Event) string { return claudeMomentOf(e).subject }

func claudeMomentOf(e Event) claudeMoment {
	for _, m := range claudeMoments {
		if m.name == e {
			return m
		}
	}
	return claudeMoment{name: e, does: blocks | fails}
}

// claudeEvent: the client has an event of its own for a tool that failed.
func claudeEvent(c *Call) Event {
	if e := c.Event.Claude(); e != "PostToolUse" || !c.Failed {
		return e
	}
	return "PostToolUseFailure"
}

// claudePayload passes on the client's own input, or writes what the client would have, as far as the caller knows it. A
// result that is a JSON object or array goes in as it is, since the client's tools have such results.
func claudePayload(c *Call) (Payload, []string, error) {
	event := claudeEvent(c)
	if name := Event(c.Field("hook_event_name")); name == event {
		return Payload{[]byte(c.ClientInput), []byte("\n")}, nil, nil
	} else if name != "" && name == name.Canonical() && name.Claude() == event { // by TENEX's name
		same := *c
		same.setField("hook_event_name", jsonText(string(event)))
		return Payload{[]byte(same.ClientInput), []byte("\n")}, nil, nil
	}
	var o object
	var warnings []string
	o.text("session_id", c.SessionID)
	o.text("transcript_path", c.TranscriptPath)
	dir := c.Dir
	if dir == "" {
		dir = c.Workspace
	}
	o.text("cwd", dir)
	o.text("permission_mode", "default")
	if c.AgentID != "" {
		o.text("agent_id", c.AgentID)
	}
	o.text("hook_event_name", string(event))
	if c.Event.HasTool() {
		input, w, err := c.Input()
		if err != nil {
			return nil, nil, err
		}
		warnings = w
		o.text("tool_name", c.Tool)
		o.raw("tool_input", input)
	}
	if event == "PostToolUse" {
		o.raw("tool_response", toolResponse(c.Result))
	}
	if c.Event.HasTool() {
		o.text("tool_use_id", c.ToolUseID)
	}
	switch event {
	case "PostToolUseFailure":
		o.text("error", c.Result)
		o.raw("is_interrupt", []byte("false"))
	case "UserPromptSubmit":
		o.text("prompt", c.Prompt)
	}
	return o.end(), warnings, nil
}

func toolResponse(result string) []byte {
	if start := strings.TrimSpace(result); strings.HasPrefix(start, "{") || strings.HasPrefix(start, "[") {
		if same, warnings, err := once(lossy(result), "the result"); err == nil && warnings == nil {
			return strictjson.Compact(nil, same)
		}
	}
	return jsonText(result)
}

// claudeDetaches: {"async": true} on the first line. A line that decides something as well is an answer.
func claudeDetaches(line []byte) bool {
	return isAsync(string(line)) && len(strictjson.Check(string(line), maxInputDepth)) == 0
}

func isAsync(text string) bool {
	if !strings.Contains(text, `"async"`) {
		return false
	}
	for _, f := range strictjson.Check(text, maxInputDepth) {
		if f.Kind != strictjson.Duplicate {
			return false
		}
	}
	return claudeAsync(gjson.Parse(text))
}

// claudeAsync reports whether an answer says that nobody is to wait, and nothing that could decide, however it is spelt.
func claudeAsync(answer gjson.Result) (async bool) {
	if !answer.IsObject() {
		return false
	}
	decides := false
	answer.ForEach(func(key, value gjson.Result) bool {
		switch name := strictjson.Text(key.Raw); {
		case name == "async": // of two the last counts
			async = value.Type == gjson.True
		case slices.Contains(claudeDeciding, name) || claudeMeant(name, claudeTop) != "":
			decides = true
		}
		return true
	})
	return async && !decides
}

// claudeJudge reads, in this order: no start, deadline, output, exit code.
func claudeJudge(c *Call, hook string, r *Result) Verdict {
	m := claudeMomentOf(claudeEvent(c))
	who := said(m.name, hook)
	switch {
	case r.Late:
		return claudeLate(c, m, hook, r)
	case r.Err != nil:
		return Verdict{Cause: CauseUnstarted, Status: StatusUnstarted, Problem: who + " could not run: " + r.Err.Error()}
	case r.WentAsync:
		return claudeWentAsync(m, who)
	case r.Async:
		return Verdict{Decision: Continue, Status: StatusAsync}
	case r.TimedOut: // what it printed until then is no answer
		return Verdict{Cause: CauseTimeout, Status: StatusTimeout, Problem: who + " timed out after " + r.Limit.String() + r.hint()}
	case r.Garbled != "":
		return Verdict{Cause: CauseOutput, Status: StatusFailed, Problem: who + " gave an answer that cannot be read: " + r.Garbled}
	}
	return doubtEqualKeys(who, answerOf(trimJS(r.Stdout.All())), claudeResult(c, m, hook, r))
}

// claudeWentAsync is the verdict of a hook that its file wants waited for and whose first line says that nobody is to wait. In the
// client it then decides nothing. Where it could have held something up that is a failure: an answer that nobody will read.
func claudeWentAsync(m claudeMoment, who string) Verdict {
	if m.does&(blocks|fails|stops) == 0 {
		return Verdict{Decision: Continue, Status: StatusAsync}
	}
	return Verdict{Cause: CauseOutput, Status: StatusAsync, Problem: who + ` went async by its own first line, so nothing that it decides ` +
		`counts; let it answer before it ends, or say "async": true in its entry`}
}

// claudeLate reads what an async hook said in the end: of a JSON answer the context and the message to the user, whatever
// its exit code. Plain text counts for nothing, and no decision does.
func claudeLate(c *Call, m claudeMoment, hook string, r *Result) Verdict {
	who := "async " + said(m.name, hook)
	v := Verdict{Decision: Continue, Status: StatusAsync}
	if r.TimedOut {
		v.Warnings = []string{who + " timed out after " + r.Limit.String() + " and was killed" + r.hint()}
		return v
	}
	text := trimJS(r.Stdout.All())
	if first, rest, _ := strings.Cut(text, "\n"); claudeDetaches([]byte(trimJS(first))) {
		text = trimJS(rest)
	}
	if !strings.HasPrefix(text, "{") {
		return v
	}
	a, err := claudeAnswer(c, m, hook, text)
	if err != nil || r.Stdout.LeftOut() > 0 {
		v.Warnings = []string{who + " gave an answer that cannot be read"}
		return v
	}
	v.Context, v.SystemMessage = a.Context, a.SystemMessage
	return v
}

func claudePasses(e Event) bool { return claudeMomentOf(e).does&fails == 0 }

// claudeResult judges a hook that ended.
func claudeResult(c *Call, m claudeMoment, hook string, r *Result) Verdict {
	who := said(m.name, hook)
	stderr := r.Stderr.All()
	text := trimJS(r.Stdout.All())
	isJSON := strings.HasPrefix(text, "{") && strings.HasSuffix(text, "}")
	v := Verdict{Decision: Continue, Status: StatusOK}
	var unreadable error
	switch head := trimJS(string(r.Stdout.Head)); {
	case r.Stdout.LeftOut() > 0 && (head == "" || strings.HasPrefix(head, "{")):
		isJSON, unreadable = true, errors.New("it is too long: 1 MiB of output is kept")
	case isJSON && r.HTTP == nil && isAsync(text) && (r.ExitCode != 2 || !strings.Contains(text, "\n")): // on one line it never blocks
		return claudeWentAsync(m, who)
	case isJSON:
		v, unreadable = claudeAnswer(c, m, hook, text)
	}
	failed := r.Signal != "" || r.ExitCode != 0
	switch {
	case r.HTTP != nil && r.HTTP.Failure != "": // the client knows one failure for all
		return Verdict{Cause: CauseExit, Status: StatusFailed, Problem: who + " got no answer: " + r.HTTP.Why}
	case m.does&blocks != 0 && (r.ExitCode == 2 || failed && m.does&allExits != 0):
		if v.Decision != Block {
			if v.Reason = stderr; stderr == "" {
				v.Reason = "No stderr output"
			}
		}
		v.Decision, v.Cause, v.Status, v.Approved, v.UpdatedInput = Block, CausePolicy, StatusBlocked, false, nil
		return v
	case r.HTTP != nil && !isJSON && text != "":
		return Verdict{Cause: CauseOutput, Status: StatusFailed, Problem: who + " answered with something else than a JSON object"}
	case unreadable != nil:
		return Verdict{Cause: CauseOutput, Status: StatusFailed, Problem: who + " gave an answer that cannot be read: " + unreadable.Error()}
	case failed && v.Decision == Block: // a deny stands, however its author died
		return v
	case failed:
		v.Answered = isJSON
		if !isJSON {
			v.Status = StatusFailed
		}
		v.Cause, v.Problem = CauseExit, fmt.Sprintf("%s exited with %d", who, r.ExitCode)
		if r.Signal != "" {
			v.Cause, v.Problem = CauseSignal, who+" was killed by "+r.Signal
		}
		if r.Fault != "" {
			v.Problem += "; " + r.Fault
		}
		switch {
		case stderr == "":
		case isJSON: // its reason is that of what it answered
			v.Problem += "\n" + stderr
		default:
			v.Reason = v.Problem + "\n" + stderr
		}
		return v
	case isJSON:
		return v
	case m.name == "WorktreeCreate":
		if lines := strings.Split(text, "\n"); text != "" {
			v.Other.Set("worktreePath", jsonText(strings.TrimSpace(lines[len(lines)-1])))
		}
		return v
	case m.does&speaks != 0:
		v.Context, v.Truncated = text, r.Stdout.LeftOut() > 0
	}
	v.Doubt = doubtOfText(who, r.Stdout.All())
	return v
}

// trimJS removes white space as JavaScript has it, which counts a byte order mark.
func trimJS(s string) string {
	return strings.TrimFunc(s, func(r rune) bool { return r == '\ufeff' || r != '\u0085' && unicode.IsSpace(r) })
}

var claudeTop = []claudeField{
	{"continue", "boolean"}, {"suppressOutput", "boolean"}, {"stopReason", "string"}, {"decision", "approve|block"}, {"reason", "string"},
	{"systemMessage", "string"}, {"terminalSequence", "string"}, {"hookSpecificOutput", "object"},
}

// claudeAnswer reads a JSON answer as the client's schema does: no type is converted, null is no value, of two equal keys
// the last counts, and keys that the schema does not have are passed over.
func claudeAnswer(c *Call, m claudeMoment, hook, text string) (Verdict, error) {
	for _, f := range strictjson.Check(text, maxInputDepth) {
		if f.Kind != strictjson.Duplicate {
			line, col := strictjson.Position(text, f.Offset)
			return Verdict{Decision: Continue}, fmt.Errorf("line %d, column %d: %s", line, col, f.Text)
		}
	}
	a, slip, err := claudeObject(gjson.Parse(text), claudeTop, "")
	if err != nil {
		return Verdict{Decision: Continue}, err
	}
	var s map[string]gjson.Result
	if object, ok := a["hookSpecificOutput"]; ok {
		if err := claudeEventName(object, m.name); err != nil {
			return Verdict{Decision: Continue}, err
		}
		var inner string
		if s, inner, err = claudeObject(object, m.answer, "hookSpecificOutput"); err != nil {
			return Verdict{Decision: Continue}, err
		}
		slip = cmp.Or(slip, inner)
	}
	v, err := claudeVerdict(c, m, hook, a, s)
	if err == nil && slip != "" && v.Decision != Block {
		return Verdict{Decision: Continue}, fmt.Errorf("it has %s, so what it decided is not known", slip)
	}
	if err == nil {
		claudeDoubt(&v, m, hook, text, claudeStrays(m, hook, text, a))
	}
	return v, err
}

// claudeDoubt notes what of an answer the client passes over that may have been meant.
func claudeDoubt(v *Verdict, m claudeMoment, hook, text string, strays []string) {
	if len(strays) > 0 {
		v.Doubt, v.Warnings = strays[0], append(v.Warnings, strays[1:]...)
		return
	}
	var own []string
	for _, f := range m.answer {
		own = append(own, f.key)
	}
	if err := doubtOf(gjson.Parse(text), validWords, own...); err != nil && v.Decision == Continue {
		v.Doubt = doubted(said(m.name, hook), "Claude Code", err)
	}
}

// claudeStrays warns of keys that decide, at a place where they do not. The client passes over them without a word.
func claudeStrays(m claudeMoment, hook, text string, a map[string]gjson.Result) (warnings []string) {
	look := func(object gjson.Result, known []claudeField, place, instead string) {
		object.ForEach(func(key, _ gjson.Result) bool {
			name := strictjson.Text(key.Raw)
			isKnown := slices.ContainsFunc(known, func(f claudeField) bool { return f.key == name })
			if !isKnown && (slices.Contains(claudeDeciding, name) || slices.Contains(misplaced, name)) {
				warnings = append(warnings, fmt.Sprintf("%s answered with %q %s, where it means nothing at %s%s", said(m.name, hook), name, place, m.name, instead))
			}
			return true
		})
	}
	look(gjson.Parse(text), claudeTop, "at the top level", "; it belongs in hookSpecificOutput")
	if object, ok := a["hookSpecificOutput"]; ok {
		look(object, m.answer, "in hookSpecificOutput", "")
	}
	return warnings
}

// claudeObject returns the fields of an object that are known, the last of equal ones, each of its type. slip names a field
// that is not, and that one which decides is meant by.
func claudeObject(object gjson.Result, known []claudeField, where string) (found map[string]gjson.Result, slip string, err error) {
	found = map[string]gjson.Result{}
	object.ForEach(func(key, value gjson.Result) bool {
		name := strictjson.Text(key.Raw)
		if slices.ContainsFunc(known, func(f claudeField) bool { return f.key == name }) {
			found[name] = value
		} else if meant := claudeMeant(name, known); meant != "" {
			slip = fmt.Sprintf("%q for %q", name, meant)
		}
		return true
	})
	for _, f := range known { // in their order, so that the same answer has the same error
		if value, ok := found[f.key]; ok {
			if err := claudeType(f, value, where); err != nil {
				return nil, "", err
			}
		}
	}
	return found, slip, nil
}

// claudeDeciding are the keys that block. One that is misspelt the client passes over, and the call goes on.
var claudeDeciding = []string{"continue", "decision", "hookSpecificOutput", "permissionDecision", "action", "behavior"}

// claudeWords come close to a deciding key and are words of their own.
var claudeWords = []string{"precision", "revision", "provision", "division"}

// claudeMeant returns the key that blocks and that name is a slip of the pen for.
func claudeMeant(name string, known []claudeField) string {
	var deciding []string
	for _, f := range known {
		if slices.Contains(claudeDeciding, f.key) {
			deciding = append(deciding, f.key)
		}
	}
	if near := spelling.Near(name, deciding); len(near) > 0 && name != "hookEventName" && !slices.Contains(claudeWords, name) {
		return near[0]
	}
	return ""
}

func claudeType(f claudeField, value gjson.Result, where string) error {
	name := f.key
	if where != "" {
		name = where + "." + name
	}
	if want, ok := jsontype.Check(value, f.is); !ok {
		return wrongType(name, want, value)
	}
	return nil
}

func claudeEventName(object gjson.Result, event Event) error {
	var name gjson.Result
	object.ForEach(func(key, value gjson.Result) bool {
		if strictjson.Text(key.Raw) == "hookEventName" {
			name = value
		}
		return true
	})
	switch {
	case !name.Exists():
		return errors.New("hookSpecificOutput has no hookEventName")
	case name.Type != gjson.String || strictjson.Text(name.Raw) != string(event):
		return wrongType("hookSpecificOutput.hookEventName", `"`+string(event)+`"`, name)
	}
	return nil
}

// claudeVerdict says what an answer means. a is its top level, s its hookSpecificOutput.
func claudeVerdict(c *Call, m claudeMoment, hook string, a, s map[string]gjson.Result) (Verdict, error) {
	text := func(fields map[string]gjson.Result, key string) string {
		if v, ok := fields[key]; ok {
			return strictjson.Text(v.Raw)
		}
		return ""
	}
	v := Verdict{Decision: Continue, Status: StatusOK, SystemMessage: text(a, "systemMessage"), Context: text(s, "additionalContext")}
	if m.does&stops != 0 && a["continue"].Type == gjson.False {
		v.Stop, v.StopReason = true, text(a, "stopReason")
	}
	const blockedByHook = "Blocked by hook" // the client's word where there is no reason
	reason := text(a, "reason")
	block := func(why ...string) {
		v.Decision, v.Cause, v.Approved = Block, CausePolicy, false
		for _, v.Reason = range append(why, blockedByHook) {
			if v.Reason != "" {
				return
			}
		}
	}
	permissions := m.name == "PreToolUse" || m.name == "PreModelSwitch"
	if permissions && text(a, "decision") == "approve" {
		v.Approved, v.Cause, v.Reason = true, CausePolicy, reason
	}
	blocked := m.does&blocks != 0 && text(a, "decision") == "block"
	if blocked {
		block(reason)
	}
	why := text(s, "permissionDecisionReason")
	switch word := text(s, "permissionDecision"); {
	case word == "deny":
		block(why, reason)
	case blocked || word == "":
	case word == "allow":
		v.Approved, v.Cause, v.Reason = true, CausePolicy, why
	default:
		decision, _ := permissionWords.find(word)
		v.Decision, v.Cause, v.Approved, v.Reason = decision, CausePolicy, false, why
		if why == "" {
			v.Reason = fmt.Sprintf("Hook %s:%s asked for confirmation for this tool", m.name, c.Tool)
			if word == "defer" {
				v.Reason = fmt.Sprintf("Hook %s:%s deferred this tool", m.name, c.Tool)
			}
		}
	}
	if decision, ok := s["decision"]; ok { // PermissionRequest
		if err := claudePermission(&v, decision, block); err != nil {
			return Verdict{Decision: Continue}, err
		}
	}
	if action := text(s, "action"); action == "decline" || action == "cancel" {
		block("The hook answered: " + action)
	}
	if input, ok := s["updatedInput"]; ok && v.Decision != Block {
		v.UpdatedInput = rewritten(input)
	}
	for _, key := range []string{"updatedToolOutput", "updatedMCPToolOutput"} {
		if output, ok := s[key]; ok {
			claudeRewrite(&v, c, m, hook, key, output)
		}
	}
	if v.Decision != Continue {
		v.Status = StatusBlocked
	}
	if sequence, ok := a["terminalSequence"]; ok {
		v.Other.Set("terminalSequence", strictjson.Compact(nil, sequence.Raw))
	}
	for _, f := range m.answer {
		if value, ok := s[f.key]; ok && !slices.Contains(claudeCarried, f.key) {
			v.Other.Set(f.key, strictjson.Compact(nil, value.Raw))
		}
	}
	return v, nil
}

// claudeCarried are fields that a verdict has a place for.
var claudeCarried = []string{"additionalContext", "permissionDecision", "permissionDecisionReason", "updatedInput", "updatedToolOutput", "updatedMCPToolOutput", "decision"}

// claudePermission reads the decision of PermissionRequest.
func claudePermission(v *Verdict, decision gjson.Result, block func(...string)) error {
	d, _, err := claudeObject(decision, []claudeField{{"behavior", "allow|deny"}, {"message", "string"}, {"interrupt", "boolean"}, {"updatedInput", "object"}, {"updatedPermissions", "any"}}, "decision")
	if err != nil {
		return err
	}
	behavior, ok := d["behavior"]
	if !ok {
		return errors.New("hookSpecificOutput.decision has no behavior")
	}
	if behavior.String() == "deny" {
		message := ""
		if m, ok := d["message"]; ok {
			message = strictjson.Text(m.Raw)
		}
		block(message)
		if v.Stop = d["interrupt"].Type == gjson.True; v.Stop {
			v.StopReason = v.Reason
		}
		return nil
	}
	v.Approved, v.Cause = true, CausePolicy
	if input, ok := d["updatedInput"]; ok {
		v.UpdatedInput = rewritten(input)
	}
	if permissions, ok := d["updatedPermissions"]; ok {
		v.Other.Set("updatedPermissions", strictjson.Compact(nil, permissions.Raw))
	}
	return nil
}

// claudeRewrite takes a changed tool output where the client would: what is only for MCP tools there alone, and for Bash only
// what has the shape of its results.
func claudeRewrite(v *Verdict, c *Call, m claudeMoment, hook, key string, output gjson.Result) {
	ignore := func(why string) {
		v.Warnings = append(v.Warnings, fmt.Sprintf("%s answered with %s, %s; ignored", said(m.name, hook), key, why))
	}
	switch {
	case key == "updatedMCPToolOutput" && !strings.HasPrefix(c.Tool, "mcp__"):
		ignore("which is for MCP tools")
	case c.Tool == "Bash" && !isShellResult(output):
		v.unfit = true // in the client's own form
		ignore("which has not the shape of Bash's results: stdout, stderr, interrupted")
	default:
		v.UpdatedOutput = rewritten(output)
	}
}

// isShellResult reports whether a new result has the shape that the client wants of the shell's.
func isShellResult(v gjson.Result) bool {
	return v.Get("stdout").Type == gjson.String && v.Get("stderr").Type == gjson.String && v.Get("interrupted").IsBool()
}

// rewritten returns a value that a hook puts in the place of another, without equal keys: whoever gets it must not read
// another value than the client would.
func rewritten(value gjson.Result) []byte {
	same, _, err := once(value.Raw, "")
	if err != nil {
		same = value.Raw // it was found to be JSON before
	}
	return strictjson.Compact(nil, same)
}

// claudeOutput is Claude Code's hook output (2.1.329).
type claudeOutput struct {
	Continue      *bool           `json:"continue,omitempty"`
	StopReason    string          `json:"stopReason,omitempty"`
	Decision      string          `json:"decision,omitempty"`
	Reason        string          `json:"reason,omitempty"`
	SystemMessage string          `json:"systemMessage,omitempty"`
	Terminal      json.RawMessage `json:"terminalSequence,omitempty"`
	Specific      Fields          `json:"hookSpecificOutput,omitempty"`
}

// Claude returns the outcome as Claude Code's hook output, which makes hookrun a hook command of its own. Where the
// client has no word for a decision at the event, the stricter one is used.
//
// At two events the client takes plain text alone: instructions for a compaction, and the path of a new worktree.
func (o Outcome) Claude() ([]byte, error) {
	event := claudeEvent(&Call{Event: o.Event, Failed: o.failed})
	if text := o.Text(); event == "PreCompact" && text != "" {
		return []byte(text), nil
	}
	if path := o.Other.Get("worktreePath"); event == "WorktreeCreate" && path != nil && o.Decision == Continue {
		return []byte(textOf(path)), nil
	}
	if why := o.unfitInput(); why != "" && o.Decision != Block {
		o.Decision, o.Reason, o.Approved, o.UpdatedInput = Block, why, false, nil
	}
	if o.withheld != nil && o.UpdatedOutput == nil { // the client would drop the hook's own new result, and show the old one
		if o.UpdatedOutput = o.withheld; o.Decision == Continue {
			o.Decision, o.Reason = Block, withheldReason(o.withheldBy)
		}
		o.SystemMessages = append(slices.Clip(o.SystemMessages), unfitMessage(o.withheldBy, o.Tool, gjson.ParseBytes(o.withheld)))
	}
	messages := append(slices.Clip(o.SystemMessages), o.notices()...)
	if event == "PostToolUseFailure" { // the client has no word for either there
		switch {
		case o.Stop && o.Decision == Continue:
			o.Decision, o.Reason = Block, o.StopReason
		case o.Stop:
			messages = append(messages, o.StopReason)
		}
		if o.UpdatedOutput != nil {
			messages = append(messages, "hookrun: Claude Code cannot change the result of a tool that failed, so the model sees it as it was")
		}
	}
	out := claudeOutput{SystemMessage: strings.Join(messages, "\n")}
	specific := Fields{{"hookEventName", jsonText(string(event))}}
	set := func(key, value string) {
		if value != "" {
			specific.Set(key, jsonText(value))
		}
	}
	if o.Stop {
		out.Continue, out.StopReason = new(bool), o.StopReason
	}
	switch event {
	case "PreToolUse", "PreModelSwitch":
		if o.Decision != Continue || o.Approved {
			word := o.Decision.String()
			for _, w := range permissionWords {
				if w.says == o.Decision {
					word = w.word
				}
			}
			set("permissionDecision", word)
			set("permissionDecisionReason", o.Reason)
		}
	case "PermissionRequest":
		o.permissionRequest(&specific)
	default:
		if o.Decision != Continue {
			out.Decision, out.Reason = "block", o.Reason
		}
	}
	if o.UpdatedInput != nil && event != "PermissionRequest" {
		specific.Set("updatedInput", o.UpdatedInput)
	}
	set("additionalContext", strings.Join(o.Texts(), "\n\n"))
	if o.UpdatedOutput != nil && event != "PostToolUseFailure" {
		specific.Set("updatedToolOutput", claudeResultOf(o.Tool, o.UpdatedOutput))
	}
	for _, f := range o.Other {
		switch f.Key {
		case "terminalSequence":
			out.Terminal = f.Value
		case "updatedPermissions": // stands in the decision
		default:
			specific.Set(f.Key, f.Value)
		}
	}
	if len(specific) > 1 {
		out.Specific = specific
	}
	return appendJSON(nil, out)
}

// claudeResultOf writes a value in the form of the shell's results: the client drops any other, and shows the model the old one. What it
// takes for a result of its other tools was not recorded.
func claudeResultOf(tool string, output []byte) []byte {
	if tool != "Bash" || isShellResult(gjson.ParseBytes(output)) {
		return output
	}
	result, _ := Fields{{"stdout", jsonText(textOf(output))}, {"stderr", []byte(`""`)}, {"interrupted", []byte("false")}, {"isImage", []byte("false")}}.MarshalJSON()
	return result
}

// permissionRequest writes the decision of that event, which has a form of its own.
func (o Outcome) permissionRequest(specific *Fields) {
	var d Fields
	switch {
	case o.Decision != Continue:
		d.Set("behavior", jsonText("deny"))
		d.Set("message", jsonText(o.Reason))
		if o.Stop {
			d.Set("interrupt", []byte("true"))
		}
	case o.Approved:
		d.Set("behavior", jsonText("allow"))
		if o.UpdatedInput != nil {
			d.Set("updatedInput", o.UpdatedInput)
		}
		if permissions := o.Other.Get("updatedPermissions"); permissions != nil {
			d.Set("updatedPermissions", permissions)
		}
	default:
		return
	}
	text, _ := d.MarshalJSON() // made of JSON, it cannot fail
	specific.Set("decision", text)
}

// ClaudeExit is the exit status that goes with Claude: 0, since the verdict is in the JSON, but at events where the client
// looks at the exit alone.
func (o Outcome) ClaudeExit() int {
	switch o.Event {
	case "TeammateIdle", "TaskCreated", "TaskCompleted", "WorktreeCreate", "WorktreeRemove", "Elicitation", "ElicitationResult":
		if o.Decision != Continue {
			return 2
		}
	}
	return 0
}
