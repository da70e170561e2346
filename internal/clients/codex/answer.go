package codex

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/tidwall/gjson"

	"github.com/hookrun/hookrun/internal/clients/client"
	"github.com/hookrun/hookrun/internal/core/dialect"
	"github.com/hookrun/hookrun/internal/lib/strictjson"
	"github.com/hookrun/hookrun/protocol"
)

// readAnswer reads a JSON answer as the client does: an unknown key or a wrong type is an error, null counts as
// missing, and the last of equal keys counts.
func readAnswer(c *dialect.Call, m rule, text string) (v dialect.Verdict, err error) {
	if err := client.CheckJSON(text, maxDepth); err != nil {
		return v, err
	}
	if at := halfPair(text); at >= 0 {
		line, col := strictjson.Position(text, at)
		return v, fmt.Errorf("line %d, column %d: half of a surrogate pair", line, col)
	}
	if !strings.HasPrefix(text, "{") {
		return v, errors.New("it must be a JSON object")
	}
	a, err := readObject(gjson.Parse(text), m.topFields(), "")
	if err != nil {
		return v, err
	}
	var s fields
	if object, ok := a["hookSpecificOutput"]; ok {
		if s, err = readObject(object, append([]dialect.Field{"hookEventName string"}, m.Fields...),
			"hookSpecificOutput"); err != nil {
			return v, err
		}
		if name, ok := s["hookEventName"]; !ok {
			return v, errors.New("hookSpecificOutput has no hookEventName")
			// any event of Codex will do
		} else if !events.Has(protocol.Event(dialect.StringOf(name))) {
			return v, fmt.Errorf("hookSpecificOutput.hookEventName %s is no event of Codex", name.Raw)
		}
	}
	v = dialect.OK()
	v.SystemMessage, v.Context = a.text("systemMessage"), s.text("additionalContext")
	if err := decide(&v, c, m, a, s); err != nil {
		return dialect.Verdict{}, err
	}
	return v, nil
}

// maxDepth is how deep an answer may nest.
const maxDepth = 127

// halfPair returns the offset of an unpaired surrogate escape, such as \ud83d alone, or -1. Codex rejects such JSON.
func halfPair(text string) int {
	half := func(i int) uint64 { // 0xd800 for a first half, 0xdc00 for a second
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
		i++ // the escaped character
	}
	return -1
}

// specificKeys returns the keys that hookSpecificOutput may have.
func (m rule) specificKeys() (keys []string) {
	for _, f := range m.Fields {
		keys = append(keys, f.Key())
	}
	return keys
}

// topFields returns the fields that an answer may have at its top level.
func (m rule) topFields() []dialect.Field {
	fields := []dialect.Field{"systemMessage string"}
	if m.Can&messageOnly != 0 {
		return fields
	}
	fields = append(fields, []dialect.Field{"continue boolean", "stopReason string", "suppressOutput boolean"}...)
	switch {
	case m.Name == "PreToolUse":
		fields = append(fields, "decision approve|block", "reason string")
	case m.Can&hasDecision != 0:
		fields = append(fields, "decision block", "reason string")
	}
	if m.Fields != nil {
		fields = append(fields, []dialect.Field{"hookSpecificOutput object"}...)
	}
	return fields
}

// fields are the fields of an object, without null values.
type fields map[string]gjson.Result

func (f fields) has(key string) bool { _, ok := f[key]; return ok }

func (f fields) text(key string) string { return dialect.StringOf(f[key]) }

// readObject returns the fields of an object. An unknown field is an error, with the client that has such a field.
func readObject(object gjson.Result, known []dialect.Field, where string) (found fields, err error) {
	found = fields{}
	for key, value := range object.ForEach {
		name := strictjson.Text(key.Raw)
		if !slices.ContainsFunc(known, func(f dialect.Field) bool { return f.Key() == name }) {
			if where != "" {
				name = where + "." + name
			}
			return found, fmt.Errorf("it has %q%s, which Codex does not know there, and drops the whole answer for",
				name, ownerOf(strictjson.Text(key.Raw)))
		}
		found[name] = value
	}
	for _, f := range known {
		switch value, ok := found[f.Key()]; {
		case !ok || err != nil:
		case value.Type == gjson.Null && f.Type() != "boolean": // null is a wrong type for a boolean
			delete(found, f.Key())
		default:
			err = client.CheckType(f, value, where)
		}
	}
	return found, err
}

// ownerOf returns the end of a message that names the other client with such a key, or "".
func ownerOf(key string) string {
	is := func(f dialect.Field) bool { return f.Key() == key }
	whole := rule{dialect.Event{Can: hasDecision, Fields: contextOnly}}
	switch {
	case slices.ContainsFunc(whole.topFields(), is), slices.ContainsFunc(events,
		func(m dialect.Event) bool { return slices.ContainsFunc(m.Fields, is) }):
		return "" // the key belongs to another level
	case slices.ContainsFunc(client.ClaudeAnswer, is), slices.Contains(dialect.ClaudeKeys, key) &&
		key != "updatedPermissions":
		return ", a word of Claude Code's"
	case key == "tool_input", slices.Contains(dialect.GeminiKeys, key):
		return ", a word of Gemini CLI's"
	}
	return ""
}

// decide reads the decision of an answer. After an error the client drops the whole answer.
func decide(v *dialect.Verdict, c *dialect.Call, m rule, a, s fields) error {
	block := func(reason string) {
		v.Decide(protocol.Block, strings.TrimSpace(reason))
	}
	ends := a["continue"].Type == gjson.False
	suppressed := a["suppressOutput"].Type == gjson.True
	reason := strings.TrimSpace(a.text("reason"))
	blocked := a.text("decision") == "block"
	switch {
	case m.Can&noStop != 0 && ends:
		return fmt.Errorf("%s has no continue: false", m.Name)
	case m.Can&noStop != 0 && a.has("stopReason"):
		return fmt.Errorf("%s has no stopReason", m.Name)
	case m.Can&(noStop|replaces) != 0 && suppressed && !(m.Can&replaces != 0 && ends):
		return fmt.Errorf("%s has no suppressOutput", m.Name)
	case m.Can&replaces != 0 && ends:
		if suppressed || blocked && reason == "" {
			v.Context = ""
		}
		block(firstText(reason, a.text("stopReason"), "PostToolUse hook stopped execution"))
		return nil
	case m.Can&dialect.Stop != 0 && ends:
		v.Stop, v.StopReason = true, a.text("stopReason")
		if m.Can&jsonOnly != 0 { // a block would send the agent on, and a stop is stronger
			return nil
		}
	}
	switch m.Name {
	case "PreToolUse":
		if s.has("permissionDecision") || s.has("permissionDecisionReason") || s.has("updatedInput") {
			return permission(v, c, s, block) // the other form does not count then
		}
		if a.text("decision") == "approve" {
			return fmt.Errorf(`%s has no decision "approve"; to let pass, say nothing`, clientName)
		}
	case "PermissionRequest":
		return request(v, s, block)
	case "PostToolUse":
		if s.has("updatedMCPToolOutput") {
			return fmt.Errorf("%s does not support updatedMCPToolOutput", clientName)
		}
	}
	switch {
	case blocked && reason != "":
		block(reason)
	case blocked && !v.Stop:
		return errors.New(`decision "block" needs a reason`)
	case (m.Name == "PreToolUse" || m.Name == "PostToolUse") && a.has("reason"):
		return errors.New("there is a reason without a decision")
	}
	return nil
}

// permission reads the decision of PreToolUse. "allow" is for rewrites only, and the client still asks its user.
func permission(v *dialect.Verdict, c *dialect.Call, s fields, block func(string)) error {
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
		return fmt.Errorf("%s has no permissionDecision %q by itself; to let pass, say nothing", clientName, word)
	}
	if v.UpdatedInput = client.Rewritten(input); c.Tool == "Bash" && input.Get("command").Type != gjson.String {
		v.Warnings = append(v.Warnings, "updatedInput has no command, without which Codex fails the call of Bash")
	}
	return nil
}

// request reads the decision of PermissionRequest.
func request(v *dialect.Verdict, s fields, block func(string)) error {
	object, ok := s["decision"]
	if !ok {
		return nil
	}
	d, err := readObject(object, []dialect.Field{"behavior allow|deny", "message string", "interrupt boolean",
		"updatedInput any", "updatedPermissions any"}, "decision")
	switch {
	case err != nil:
		return err
	case !d.has("behavior"):
		return errors.New("hookSpecificOutput.decision has no behavior")
	case d.has("updatedInput"), d.has("updatedPermissions"):
		return fmt.Errorf("%s supports neither updatedInput nor updatedPermissions in a decision", clientName)
	case d["interrupt"].Type == gjson.True:
		return fmt.Errorf("%s does not support interrupt", clientName)
	case d.text("behavior") == "deny":
		block(firstText(strings.TrimSpace(d.text("message")), "PermissionRequest hook denied approval"))
	default:
		v.Approved, v.Cause = true, protocol.CausePolicy
	}
	return nil
}

// firstText returns the first text that is not blank, or "".
func firstText(texts ...string) string {
	for _, t := range texts {
		if strings.TrimSpace(t) != "" {
			return t
		}
	}
	return ""
}
