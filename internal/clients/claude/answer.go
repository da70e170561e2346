package claude

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/tidwall/gjson"

	"github.com/hookrun/hookrun/internal/clients/client"
	"github.com/hookrun/hookrun/internal/core/dialect"
	"github.com/hookrun/hookrun/internal/core/nearmiss"
	"github.com/hookrun/hookrun/internal/lib/strictjson"
	"github.com/hookrun/hookrun/protocol"
)

// readAnswer reads a JSON answer by the client's schema: no type is converted, null is a wrong type, the last of equal
// keys counts, and unknown keys are ignored.
func readAnswer(c *dialect.Call, m dialect.Event, hook, text string) (dialect.Verdict, error) {
	if err := client.CheckJSON(text, strictjson.MaxDepth); err != nil {
		return dialect.Verdict{Decision: protocol.Continue}, err
	}
	a, slip, err := readObject(gjson.Parse(text), client.ClaudeAnswer, "")
	if err != nil {
		return dialect.Verdict{Decision: protocol.Continue}, err
	}
	var s map[string]gjson.Result
	if object, ok := a["hookSpecificOutput"]; ok {
		if err := checkEventName(object, m.Name); err != nil {
			return dialect.Verdict{Decision: protocol.Continue}, err
		}
		var inner string
		if s, inner, err = readObject(object, m.Fields, "hookSpecificOutput"); err != nil {
			return dialect.Verdict{Decision: protocol.Continue}, err
		}
		slip = cmp.Or(slip, inner)
	}
	v, err := verdictOf(c, m, hook, a, s)
	if err == nil && slip != "" && v.Decision != protocol.Block {
		return dialect.Verdict{Decision: protocol.Continue}, fmt.Errorf("it has %s, so what it decided is not known",
			slip)
	}
	if err == nil {
		noteDoubt(&v, m, hook, text, misplacedKeys(m, hook, text, a))
	}
	return v, err
}

// noteDoubt notes keys of the answer that the client ignores, although the hook may have meant a decision.
func noteDoubt(v *dialect.Verdict, m dialect.Event, hook, text string, misplaced []string) {
	if len(misplaced) > 0 {
		v.Doubt, v.Warnings = misplaced[0], append(v.Warnings, misplaced[1:]...)
		return
	}
	var own []string
	for _, f := range m.Fields {
		own = append(own, f.Key())
	}
	if v.Decision == protocol.Continue {
		err := nearmiss.MisspelledBlock(gjson.Parse(text), nearmiss.ValidWords, own...)
		v.NoteDoubt(dialect.MessagePrefix(m.Name, hook), clientName, err)
	}
}

// misplacedKeys returns a warning for each deciding key at a level where the client silently ignores the key.
func misplacedKeys(m dialect.Event, hook, text string, a map[string]gjson.Result) (warnings []string) {
	look := func(object gjson.Result, known []dialect.Field, place, instead string) {
		for key := range object.ForEach {
			name := strictjson.Text(key.Raw)
			isKnown := slices.ContainsFunc(known, func(f dialect.Field) bool { return f.Key() == name })
			if !isKnown && (slices.Contains(client.ClaudeDeciding, name) || slices.Contains(dialect.Misplaced, name)) {
				warnings = append(warnings, fmt.Sprintf("%s answered with %q %s, where it means nothing at %s%s",
					dialect.MessagePrefix(m.Name, hook), name, place, m.Name, instead))
			}
		}
	}
	look(gjson.Parse(text), client.ClaudeAnswer, "at the top of its JSON", "; it belongs in hookSpecificOutput")
	if object, ok := a["hookSpecificOutput"]; ok {
		look(object, m.Fields, "in hookSpecificOutput", "")
	}
	return warnings
}

// readObject returns the known fields of an object: the last of equal keys, each checked for its type. slip names an
// unknown key that looks like a misspelt deciding key.
func readObject(object gjson.Result, known []dialect.Field, where string) (found map[string]gjson.Result, slip string,
	err error) {
	found = map[string]gjson.Result{}
	for key, value := range object.ForEach {
		name := strictjson.Text(key.Raw)
		if slices.ContainsFunc(known, func(f dialect.Field) bool { return f.Key() == name }) {
			found[name] = value
		} else if meant := client.Misspelt(name, known); meant != "" {
			slip = fmt.Sprintf("%q for %q", name, meant)
		}
	}
	for _, f := range known { // in table order, so equal answers have equal errors
		if value, ok := found[f.Key()]; ok {
			if err := client.CheckType(f, value, where); err != nil {
				return nil, "", err
			}
		}
	}
	return found, slip, nil
}

func checkEventName(object gjson.Result, event protocol.Event) error {
	switch name := dialect.LastOf(object)["hookEventName"]; {
	case !name.Exists():
		return errors.New("hookSpecificOutput has no hookEventName")
	case event == skillCommand && name.Type == gjson.String && strictjson.Text(name.Raw) == "PreToolUse":
	case name.Type != gjson.String || strictjson.Text(name.Raw) != string(event):
		return dialect.WrongType("hookSpecificOutput.hookEventName", `"`+string(event)+`"`, name)
	}
	return nil
}

// verdictOf returns the verdict of an answer: a is the top level, s is hookSpecificOutput.
func verdictOf(c *dialect.Call, m dialect.Event, hook string, a, s map[string]gjson.Result) (dialect.Verdict, error) {
	v := dialect.OK()
	v.SystemMessage, v.Context = textOf(a, "systemMessage"), textOf(s, "additionalContext")
	if m.Can&dialect.Stop != 0 && a["continue"].Type == gjson.False {
		v.Stop, v.StopReason = true, textOf(a, "stopReason")
	}
	decide(&v, c, m, a, s)
	if decision, ok := s["decision"]; ok { // PermissionRequest
		if err := permission(&v, decision); err != nil {
			return dialect.Verdict{Decision: protocol.Continue}, err
		}
	}
	if action := textOf(s, "action"); action == "decline" || action == "cancel" {
		block(&v, "The hook answered: "+action)
	}
	if input, ok := s["updatedInput"]; ok && v.Decision != protocol.Block {
		v.UpdatedInput = client.Rewritten(input)
	}
	if m.Name == skillCommand {
		fitSkill(&v)
	}
	for _, key := range []string{"updatedToolOutput", "updatedMCPToolOutput"} {
		if output, ok := s[key]; ok {
			rewriteOutput(&v, c, m, hook, key, output)
		}
	}
	if v.Decision != protocol.Continue {
		v.Status = dialect.StatusBlocked
	}
	if sequence, ok := a["terminalSequence"]; ok {
		v.Other.Set("terminalSequence", strictjson.Compact(nil, sequence.Raw))
	}
	for _, f := range m.Fields {
		if value, ok := s[f.Key()]; ok && !slices.Contains(verdictKeys, f.Key()) {
			v.Other.Set(f.Key(), strictjson.Compact(nil, value.Raw))
		}
	}
	return v, nil
}

// decide reads decision and permissionDecision. permissionDecision overrides an approval, but not a block.
func decide(v *dialect.Verdict, c *dialect.Call, m dialect.Event, a, s map[string]gjson.Result) {
	word, why := textOf(s, "permissionDecision"), textOf(s, "permissionDecisionReason")
	reason := textOf(a, "reason")
	switch textOf(a, "decision") {
	case "approve":
		if m.Name == "PreToolUse" || m.Name == "PreModelSwitch" {
			v.Approve(reason)
		}
	case "block":
		if m.Can&dialect.Block != 0 {
			block(v, reason)
		}
	}
	switch {
	case word == "deny":
		block(v, why, reason)
	case v.Decision == protocol.Block || word == "":
	case word == "allow":
		v.Approve(why)
	default:
		v.Decision, _ = dialect.PermissionWords.Decision(word)
		did := "asked for confirmation for"
		if word == "defer" {
			did = "deferred"
		}
		v.Cause, v.Approved = protocol.CausePolicy, false
		v.Reason = cmp.Or(why, fmt.Sprintf("Hook %s:%s %s this tool", m.Name, c.Tool, did))
	}
}

const notInSkill = ", and " + clientName + " runs no changed command of a skill"

// fitSkill adapts a verdict about a command in a skill: any word but allow, and any change, keeps it from running.
func fitSkill(v *dialect.Verdict) {
	switch {
	case v.UpdatedInput != nil:
		block(v, "the hook changed the command"+notInSkill)
	case v.Decision != protocol.Continue:
		block(v, v.Reason)
	}
	v.Approved, v.UpdatedInput = false, nil
}

// block makes the verdict a block, with the first reason that is not empty or the client's default.
func block(v *dialect.Verdict, reasons ...string) {
	v.Decision, v.Cause, v.Approved = protocol.Block, protocol.CausePolicy, false
	v.Reason = cmp.Or(cmp.Or(reasons...), "Blocked by hook")
}

// textOf returns the text of a field, or "" if the field is missing.
func textOf(fields map[string]gjson.Result, key string) string {
	if v, ok := fields[key]; ok {
		return strictjson.Text(v.Raw)
	}
	return ""
}

// verdictKeys are the keys that a Verdict has fields for; all other keys go into Other.
var verdictKeys = []string{"additionalContext", "permissionDecision", "permissionDecisionReason", "updatedInput",
	"updatedToolOutput", "updatedMCPToolOutput", "decision"}

// permission reads the decision of a PermissionRequest.
func permission(v *dialect.Verdict, decision gjson.Result) error {
	d, _, err := readObject(decision, []dialect.Field{"behavior allow|deny", "message string", "interrupt boolean",
		"updatedInput object", "updatedPermissions any"}, "decision")
	if err != nil {
		return err
	}
	behavior, ok := d["behavior"]
	if !ok {
		return errors.New("hookSpecificOutput.decision has no behavior")
	}
	if behavior.String() == "deny" {
		block(v, textOf(d, "message"))
		if v.Stop = d["interrupt"].Type == gjson.True; v.Stop {
			v.StopReason = v.Reason
		}
		return nil
	}
	v.Approved, v.Cause = true, protocol.CausePolicy
	if input, ok := d["updatedInput"]; ok {
		v.UpdatedInput = client.Rewritten(input)
	}
	if permissions, ok := d["updatedPermissions"]; ok {
		v.Other.Set("updatedPermissions", strictjson.Compact(nil, permissions.Raw))
	}
	return nil
}

// rewriteOutput takes a changed tool output if the client would: updatedMCPToolOutput counts for MCP tools only, and
// the output for Bash must have the shape of Bash's results.
func rewriteOutput(v *dialect.Verdict, c *dialect.Call, m dialect.Event, hook, key string, output gjson.Result) {
	ignore := func(why string) {
		v.Warnings = append(v.Warnings, fmt.Sprintf("%s answered with %s, %s; ignored",
			dialect.MessagePrefix(m.Name, hook), key, why))
	}
	switch {
	case key == "updatedMCPToolOutput" && !strings.HasPrefix(c.Tool, "mcp__"):
		ignore("which is for MCP tools")
	case c.Tool == "Bash" && !isShellResult(output):
		ignore("which has not the shape of Bash's results: stdout, stderr, interrupted")
		v.Withhold(hook) // the client would show the old result
	default:
		v.UpdatedOutput = client.Rewritten(output)
	}
}

// isShellResult reports whether a new result has the shape of Bash's results.
func isShellResult(v gjson.Result) bool {
	return v.Get("stdout").Type == gjson.String && v.Get("stderr").Type == gjson.String && v.Get("interrupted").IsBool()
}
