package qwen

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/tidwall/gjson"

	"github.com/hookrun/hookrun/internal/clients/client"
	"github.com/hookrun/hookrun/internal/core/dialect"
	"github.com/hookrun/hookrun/internal/core/nearmiss"
	"github.com/hookrun/hookrun/internal/lib/strictjson"
	"github.com/hookrun/hookrun/protocol"
)

// noReason is the client's reason if no hook gave one.
const noReason = "No reason provided"

// answer is the answer of one hook, or the merged answer of several.
type answer struct {
	decision, reason, stopReason string
	stop                         bool // continue is false
	specific                     map[string]gjson.Result
}

// readAnswer reads a JSON answer. No type is converted, and the last of equal keys counts.
func readAnswer(object gjson.Result) *answer {
	top := dialect.LastOf(object)
	return &answer{decision: dialect.StringOf(top["decision"]), reason: client.MessageOf(top["reason"]),
		stopReason: client.MessageOf(top["stopReason"]), stop: top["continue"].Type == gjson.False,
		specific: dialect.LastOf(top["hookSpecificOutput"])}
}

// mergeAnswers merges the answers in file order. Any block counts before any allow. hookSpecificOutput is merged key by
// key, and the last value of a key counts.
func mergeAnswers(answers []*answer) *answer {
	all := answer{specific: map[string]gjson.Result{}}
	var reasons []string
	for _, a := range answers {
		switch {
		case a.denies():
			all.decision = "block"
		case a.decision == "allow":
			all.decision = cmp.Or(all.decision, "allow")
		}
		if a.reason != "" {
			reasons = append(reasons, a.reason)
		}
		if a.stop {
			all.stop, all.stopReason = true, cmp.Or(a.stopReason, all.stopReason)
		}
		maps.Copy(all.specific, a.specific)
	}
	all.reason = strings.Join(reasons, "\n")
	return &all
}

// mergeRequests merges the answers to a PermissionRequest: a deny counts before an allow, and all messages are joined.
// Several answers without a decision refuse the request, as in the client.
func mergeRequests(answers []*answer) gjson.Result {
	word, messages := "", []string(nil)
	for _, a := range answers {
		switch choice := behavior(a.specific["decision"]); choice {
		case "deny":
			word = choice
		case "allow":
			word = cmp.Or(word, choice)
		}
		if message := client.MessageOf(dialect.LastOf(a.specific["decision"])["message"]); message != "" {
			messages = append(messages, message)
		}
	}
	return gjson.ParseBytes(dialect.JSONObject("behavior", strictjson.Quote(word),
		"message", strictjson.Quote(strings.Join(messages, "\n"))))
}

func (a *answer) denies() bool { return a.decision == "block" || a.decision == "deny" }

func behavior(decision gjson.Result) string {
	return dialect.StringOf(dialect.LastOf(decision)["behavior"])
}

// decide returns the decision of an answer at the event, and the reason.
func (m rule) decide(a *answer) (protocol.Decision, string) {
	why := cmp.Or(a.stopReason, a.reason, noReason)
	switch request := a.specific["decision"]; {
	case m.Can&requests != 0 && request.IsObject() && behavior(request) != "allow":
		return protocol.Block, cmp.Or(client.MessageOf(dialect.LastOf(request)["message"]), "Blocked by hook")
	case m.Can&permits != 0:
		word := dialect.StringOf(a.specific["permissionDecision"])
		if !slices.Contains(permissions, word) {
			word = a.decision
		}
		own := a.reason
		if reason := a.specific["permissionDecisionReason"]; reason.Type == gjson.String {
			own = strictjson.Text(reason.Raw)
		}
		switch word {
		case "deny", "block":
			return protocol.Block, cmp.Or(own, why)
		case "ask":
			return protocol.Ask, cmp.Or(own, "User confirmation required")
		}
	case m.Can&todo != 0 && a.decision == "block", m.Can&dialect.Block != 0 && a.denies():
		return protocol.Block, why
	}
	if a.stop && m.Can&dialect.Stop != 0 {
		return protocol.Block, why
	}
	return protocol.Continue, ""
}

// permissions are the words of permissionDecision.
var permissions = []string{"allow", "deny", "ask"}

// rewriteKeys are keys that change a call or its result in Claude Code and in other clients.
var rewriteKeys = []string{"updatedInput", "updatedToolOutput", "updatedMCPToolOutput"}

// readRest reads the parts of an answer besides the decision. It notes a doubt if the client ignores a part that may
// have been meant as a decision.
func (m rule) readRest(v *dialect.Verdict, a *answer, object gjson.Result, who string) {
	top := dialect.LastOf(object)
	if suppressed := top["suppressOutput"]; client.MessageOf(suppressed) == "" {
		v.SystemMessage = client.MessageOf(top["systemMessage"])
	}
	if context := a.specific["additionalContext"]; context.Type == gjson.String && m.Can&dialect.Inject != 0 {
		v.Context = strictjson.Text(context.Raw)
	} else if context.Type != gjson.Null {
		v.WarnIgnored(who, `"additionalContext"`, m.Name)
	}
	request := dialect.LastOf(a.specific["decision"])
	if m.Can&requests != 0 && dialect.StringOf(request["behavior"]) == "allow" {
		v.Approved, v.Cause = true, protocol.CausePolicy
		if input := request["updatedInput"]; input.IsObject() {
			v.UpdatedInput = client.Rewritten(input)
		}
	}
	doubt := nearmiss.MisspelledBlock(object, validWords, "tool_input", "artifacts")
	v.NoteDoubt(who, clientName, cmp.Or(m.ignoredPart(top, a), doubt))
}

// ignoredPart returns an error about a part that has no effect, but may have been meant to block or change the call.
func (m rule) ignoredPart(top map[string]gjson.Result, a *answer) error {
	word, permission := top["decision"], a.specific["permissionDecision"]
	decision := dialect.StringOf(word)
	switch {
	case word.Type != gjson.Null && word.Type != gjson.String:
		return dialect.WrongType("decision", "a string", word)
	case decision != "" && !slices.Contains([]string{"allow", "approve", "deny", "block", "ask"}, decision):
		return fmt.Errorf("decision %q does not exist; %s", decision, validWords)
	case decision == "ask" && m.Can&permits == 0, a.denies() && m.Can&(dialect.Block|permits) == 0 &&
		!(m.Can&todo != 0 && decision == "block"):
		return fmt.Errorf(`"decision": %q does nothing at %s`, decision, m.Name)
	case permission.Type != gjson.Null && m.Can&permits == 0:
		return fmt.Errorf(`"permissionDecision" does nothing at %s`, m.Name)
	case permission.Type != gjson.Null && !slices.Contains(permissions, dialect.StringOf(permission)):
		return fmt.Errorf("permissionDecision %s does not exist; %s", permission.Raw, validWords)
	case a.denies() && m.Can&permits != 0 && dialect.StringOf(permission) == "allow":
		return fmt.Errorf(`"permissionDecision": "allow" undoes its "decision": %q`, decision)
	case top["continue"].Type == gjson.String || top["continue"].Type == gjson.Number:
		return dialect.WrongType("continue", "true or false", top["continue"])
	case a.stop && m.Can&dialect.Stop == 0:
		return fmt.Errorf(`"continue": false does nothing at %s`, m.Name)
	}
	for _, key := range rewriteKeys {
		if a.specific[key].Type != gjson.Null {
			return fmt.Errorf("it has %q, and %s lets no hook change that; block instead, and say how it should be",
				key, clientName)
		}
	}
	return nil
}
