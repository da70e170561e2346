package droid

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/tidwall/gjson"

	"github.com/hookrun/hookrun/internal/clients/client"
	"github.com/hookrun/hookrun/internal/core/dialect"
	"github.com/hookrun/hookrun/internal/core/nearmiss"
	"github.com/hookrun/hookrun/internal/lib/strictjson"
)

// validWords shows the answers that block, for messages.
const validWords = `an answer that blocks is {"hookSpecificOutput": {"permissionDecision": "deny", ` +
	`"permissionDecisionReason": "…"}} before a tool, and {"decision": "block", "reason": "…"} at Stop; exit 2 ` +
	`blocks everywhere`

// answer has the parts of a hook's JSON that the client reads. No type is converted, and the last of equal keys counts.
// As permissionDecision every value counts except null, false, 0 and "", even a value without an effect.
type answer struct {
	object               gjson.Result // does not exist without JSON
	stops                bool
	stopReason, decision string
	reason, system       string
	word, why            string // of permissionDecision
	context              string
	input                gjson.Result
}

// readAnswer reads stdout. broken means that stdout begins like JSON and is not JSON, so the client takes it as text.
func readAnswer(stdout string, cut bool) (a answer, broken bool) {
	if !strings.HasPrefix(client.TrimJS(stdout), "{") {
		return a, false
	}
	object, is := client.JSONValue(strings.Trim(stdout, " \t\r\n"))
	if !is || cut || !object.IsObject() {
		return a, true
	}
	top := dialect.LastOf(object)
	within := dialect.LastOf(top["hookSpecificOutput"])
	a = answer{object: object, stops: top["continue"].Type == gjson.False,
		stopReason: dialect.StringOf(top["stopReason"]), decision: dialect.StringOf(top["decision"]),
		reason: dialect.StringOf(top["reason"]), system: dialect.StringOf(top["systemMessage"]),
		why: dialect.StringOf(within["permissionDecisionReason"]), input: within["updatedInput"],
		context: dialect.StringOf(within["additionalContext"])}
	if word := within["permissionDecision"]; word.Type == gjson.String {
		a.word = strictjson.Text(word.Raw)
	} else if word.Type == gjson.True || word.Type == gjson.JSON || word.Type == gjson.Number && word.Num != 0 {
		a.word = word.Raw
	}
	return a, false
}

// known reports whether an answer has a key of the client. An answer without one is plain text.
func (a *answer) known() bool {
	for _, key := range []string{"continue", "stopReason", "suppressOutput", "systemMessage", "decision", "reason",
		"hookSpecificOutput"} {
		if _, has := dialect.LastOf(a.object)[key]; has {
			return true
		}
	}
	return false
}

// doubt returns an error if an answer that does not block may have been meant as a block.
func (a *answer) doubt(m rule) error {
	top := dialect.LastOf(a.object)
	goesOn := top["continue"]
	switch {
	case goesOn.Type != gjson.Null && !goesOn.IsBool():
		return dialect.WrongType("continue", "true or false", goesOn)
	case a.stops && m.Can&(dialect.Block|dialect.Stop) == 0:
		return fmt.Errorf(`"continue": false means nothing at %s`, m.Name)
	case m.Name == "PreToolUse" && a.word == "ask":
		return fmt.Errorf(`"permissionDecision": "ask" asks nobody, and the tool runs; deny, or exit with 2`)
	case m.Name == "PreToolUse" && a.word != "" && a.word != "allow":
		return fmt.Errorf("permissionDecision %q does not exist; %s", a.word, validWords)
	case m.Name == "Stop" && a.decision == "block":
		return fmt.Errorf(`"decision": "block" needs a "reason"`)
	case m.Name != "Stop" && cmp.Or(a.decision, "approve") != "approve":
		return fmt.Errorf(`"decision": %q means nothing at %s; %s`, a.decision, m.Name, validWords)
	case a.input.Exists() && a.input.Type != gjson.Null && !a.input.IsObject():
		return dialect.WrongType("updatedInput", "an object", a.input)
	}
	return nearmiss.MisspelledBlock(a.object, validWords)
}
