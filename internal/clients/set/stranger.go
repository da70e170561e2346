package set

import (
	"slices"
	"strings"

	"github.com/tidwall/gjson"

	"github.com/hookrun/hookrun/internal/core/dialect"
	"github.com/hookrun/hookrun/internal/lib/strictjson"
)

// Stranger is an error about a hook input that no known client writes, or not for this entry.
type Stranger struct {
	error
	doc string
}

// Who says which program may have sent the input, and how to keep it from running the entry: several programs run the
// hooks in other programs' files.
func (s Stranger) Who() string {
	if isGrok(func(key string) bool { return gjson.Get(s.doc, key).Exists() }) {
		return "set hooks = false under [compat.claude] and [compat.cursor] in ~/.grok/config.toml"
	}
	return "some programs run the hooks in the files of others: VS Code, unless \"chat.hookFilesLocations\" in its " +
		"settings has the file with false, and Grok Build, unless ~/.grok/config.toml has hooks = false under " +
		"[compat.claude] and [compat.cursor]"
}

// isGrok reports whether Grok Build wrote an input, by the keys that the input has. It names its events and tools in
// its own way, and those of Claude Code beside them.
func isGrok(has func(key string) bool) bool {
	return has("workspaceRoot") && (has("hookEventName") || has("toolName"))
}

// named are the keys under which programs name the event of a hook input, and withGate keys that only inputs about a
// prompt or a tool have.
var (
	named    = []string{"hook_event_name", "hookEventName", "hookName", "event_name", "eventName", "event"}
	withGate = []string{"tool_name", "toolName", "tool_input", "toolInput", "tool", "toolCall", "tool_call",
		"tool_info", "tool_use_id", "toolUseId", "prompt", "command", "args"}
)

// HasGate reports whether the input may be about a prompt or a tool. Of an unknown program only the name of the event
// tells, so every name but those that other clients have for a start, an end or a note may be a gate. A block at the
// end of a turn would start the next turn, forever.
func (s Stranger) HasGate() bool {
	doc := gjson.Parse(s.doc)
	if slices.ContainsFunc(withGate, func(key string) bool { return doc.Get(key).Exists() }) {
		return true
	}
	for _, key := range named {
		name := strings.ToLower(strings.NewReplacer("_", "", "-", "", ".", "", ":", "").Replace(doc.Get(key).String()))
		switch name {
		case "sessionstart", "sessionend", "agentspawn", "agentstart", "agentend", "subagentstart", "subagentstop",
			"subagentend", "stop", "stopfailure", "agentstop", "taskstart", "taskcomplete", "notification",
			"precompact", "postcompact":
			return false
		}
	}
	return true
}

// Denial returns one answer that clients read as a denial beside exit 2 and the reason on stderr, whichever form they
// read. "continue": false is not in it, because it would end the turn of some.
func (s Stranger) Denial(reason string) []byte {
	why, deny := strictjson.Quote(reason), []byte(`"deny"`)
	event := gjson.Get(s.doc, "hook_event_name")
	if event.Type != gjson.String {
		event.Raw = `"PreToolUse"`
	}
	return dialect.JSONObject(
		"decision", []byte(`"block"`), "reason", why, // of Claude Code and most others
		"permissionDecision", deny, "permissionDecisionReason", why, // of Copilot CLI, and at the next line as well
		"behavior", deny, "message", why,
		"permission", deny, "user_message", why, "agent_message", why, // of Cursor
		"cancel", []byte("true"), "errorMessage", why, // of Cline
		"hookSpecificOutput", dialect.JSONObject("hookEventName", []byte(event.Raw),
			"permissionDecision", deny, "permissionDecisionReason", why,
			"decision", dialect.JSONObject("behavior", deny, "message", why)))
}
