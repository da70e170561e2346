package protocol

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/tidwall/gjson"

	"github.com/hookrun/hookrun/internal/nearmiss"
	"github.com/hookrun/hookrun/internal/spelling"
	"github.com/hookrun/hookrun/internal/strictjson"
)

// validWords is how an answer says yes and no.
const validWords = `an answer is {"decision": "block" or "approve", "reason": "…"}, or {"hookSpecificOutput": ` +
	`{"permissionDecision": "deny", "ask", "defer" or "allow", "permissionDecisionReason": "…"}}`

// How answers say it that know fewer words.
const (
	codexWords = `an answer that blocks is {"decision": "block", "reason": "…"}, or, before a tool, ` +
		`{"hookSpecificOutput": {"hookEventName": "PreToolUse", "permissionDecision": "deny", "permissionDecisionReason": "…"}}`
	geminiWords = `an answer is {"decision": "deny", "ask" or "allow", "reason": "…"}`
)

// printAlone is the mend for a text that is not an answer alone.
func printAlone(text string) string {
	if strings.ContainsRune(text, 0) {
		return "print it in UTF-8, not UTF-16"
	}
	return "print nothing but the JSON, and all else to stderr"
}

// unknownKey says of a key that is none of an answer's what it may have been meant for.
func unknownKey(s nearmiss.Sign, words string) error {
	key := spelling.Brief(s.Key, 40)
	switch {
	case s.Kind == nearmiss.Word: // at a wrong place
		return fmt.Errorf("it has %q at a place where that means nothing; %s", key, words)
	case s.Meant == "updatedInput" || s.Meant == "updatedToolOutput":
		return fmt.Errorf(`it has %q, which is no key of an answer; did you mean %q in "hookSpecificOutput"?`, key,
			s.Meant)
	case s.Kind == nearmiss.Slip:
		return fmt.Errorf("it has %q, which is no key of an answer; did you mean %q? %s", key, s.Meant, words)
	}
	return fmt.Errorf("it has %s, which is no decision: %s", strings.TrimSuffix(s.String(), ` for "decision"`), words)
}

// Keys of answers that mean something at one of the two levels alone.
var (
	specificOnly = []string{"permissionDecision", "permissionDecisionReason", "additionalContext",
		"updatedInput", "updatedToolOutput", "updatedMCPToolOutput"}
	topOnly = []string{"reason", "continue", "stopReason", "systemMessage", "suppressOutput", "hookSpecificOutput"}
)

// nearest is the first key of an answer that means nothing there: a misspelt one, one of nobody's, or one at the other
// level. It is nil if there is none.
func nearest(signs []nearmiss.Sign) *nearmiss.Sign {
	for i, s := range signs {
		switch {
		case s.Place == nearmiss.Inside || s.Report:
		case s.Kind != nearmiss.Word,
			s.Place == nearmiss.Top && slices.Contains(specificOnly, s.Key),
			s.Place == nearmiss.Specific && slices.Contains(topOnly, s.Key):
			return &signs[i]
		}
	}
	return nil
}

// doubtOf says what of a JSON answer, which its client read and let pass, may have been meant to hold the call up; nil:
// nothing. words say how the client's answers say yes and no, known are keys of hookSpecificOutput that are its own.
func doubtOf(object gjson.Result, words string, known ...string) error {
	signs := slices.DeleteFunc(nearmiss.Scan(object.Raw), func(s nearmiss.Sign) bool {
		text := s.Kind == nearmiss.Word && slices.Contains([]string{"additionalContext", "systemMessage",
			"suppressOutput"}, s.Key)
		return text || s.Place == nearmiss.Specific && slices.Contains(known, s.Key)
	})
	if s := nearest(signs); s != nil {
		return unknownKey(*s, words)
	}
	if err := incomplete(object, words); err != nil {
		return err
	}
	if err, _ := exitCodeIn(object); err != nil {
		return err
	}
	for _, inside := range insideOf(signs) {
		return errors.New(inside)
	}
	return nil
}

// doubtOfText is doubtOf for output that is no JSON object.
func doubtOfText(who, text string) string {
	stray, unreadable := inText(text)
	for _, s := range stray {
		return who + " " + s
	}
	if unreadable == nil && strings.HasPrefix(strings.TrimSpace(text), "{") {
		unreadable = errors.New("it begins with { and is no JSON; " + printAlone(text))
	}
	if unreadable != nil {
		return who + " printed text around a JSON answer, which was therefore not read: " + unreadable.Error()
	}
	return ""
}

// doubted is a doubt as a verdict has it.
func doubted(who, client string, err error) string {
	return fmt.Sprintf("%s gave an answer that %s takes for none: %v", who, client, err)
}

// insideOf says what of an answer stands so deep in other JSON, or beside so much else, that it is none.
func insideOf(signs []nearmiss.Sign) []string {
	for _, s := range signs {
		if s.Report && !s.Behind {
			return []string{fmt.Sprintf("printed JSON that has %s beside keys that no answer has, so it was taken for text; "+
				"an answer has a decision and no other keys", fmt.Sprintf("%q", spelling.Brief(s.Key, 40)))}
		}
		if s.Place == nearmiss.Inside {
			return []string{fmt.Sprintf("printed JSON that has %s inside, where it was not read; print the answer alone", s)}
		}
	}
	return nil
}

// inText looks for an answer in output that is none as a whole. unreadable: a line of it begins one. stray: behind
// other text on its line, or deep inside of other JSON, there is something that looks like one.
func inText(text string) (stray []string, unreadable error) {
	signs := nearmiss.Scan(text)
	for _, s := range signs {
		if !s.Behind && s.Place != nearmiss.Inside && !s.Report {
			return nil, fmt.Errorf("line %d has %s of an answer, and the output is not that answer alone; %s",
				s.Line, s, printAlone(text))
		}
	}
	for _, s := range signs {
		if s.Behind && s.Decides() {
			lost := fmt.Sprintf("printed text before a JSON answer on line %d, which was therefore not read; %s",
				s.Line, printAlone(text))
			return []string{lost}, nil
		}
	}
	return insideOf(signs), nil
}

// aroundText is inText for an answer that counts only if it is nothing but JSON.
func (a *answer) aroundText(text string) error {
	stray, unreadable := inText(text)
	a.doubts = stray
	return unreadable
}

// incomplete says what an answer lacks that has a reason and decides nothing.
func incomplete(object gjson.Result, words string) error {
	top := lastOf(object)
	within := lastOf(top["hookSpecificOutput"])
	is := func(fields map[string]gjson.Result, keys ...string) bool {
		return slices.ContainsFunc(keys, func(key string) bool { return fields[key].Type != gjson.Null })
	}
	says := func(fields map[string]gjson.Result, key string) bool {
		return fields[key].Type == gjson.String && !blank(strictjson.Text(fields[key].Raw))
	}
	changes := is(within, "updatedInput", "updatedToolOutput", "updatedMCPToolOutput", "tool_input", "action")
	decides := is(within, "permissionDecision", "decision")
	switch {
	case says(within, "permissionDecisionReason") && !decides && !changes:
		return fmt.Errorf("it has a permissionDecisionReason and no permissionDecision; %s", words)
	case says(top, "reason") && !is(top, "decision", "continue") && !decides && !changes:
		return fmt.Errorf("it has a reason and no decision; %s; a reason that goes with exit 2 belongs on stderr",
			words)
	case says(top, "stopReason") && !is(top, "continue"):
		return errors.New(`it has a stopReason and does not stop; add "continue": false, or leave it out`)
	}
	return nil
}

// isClientField reports whether a key of hookSpecificOutput is one of a client's answers, if not of those that mean
// something here.
func isClientField(key string) bool {
	has := func(fields []claudeField) bool {
		return slices.ContainsFunc(fields, func(f claudeField) bool { return f.key == key })
	}
	return slices.ContainsFunc(claudeMoments, func(m claudeMoment) bool { return has(m.answer) }) ||
		slices.ContainsFunc(geminiMoments, func(m geminiMoment) bool { return slices.Contains(m.carries, key) }) ||
		key == "updatedPermissions"
}
