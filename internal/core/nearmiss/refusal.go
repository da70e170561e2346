package nearmiss

import (
	"slices"
	"strings"
	"unicode"

	"github.com/tidwall/gjson"

	"github.com/hookrun/hookrun/internal/lib/lazy"
	"github.com/hookrun/hookrun/internal/lib/spelling"
	"github.com/hookrun/hookrun/internal/lib/strictjson"
)

// Words of refusals, beside the words in words.go. JSON of other programs has some of them too, so only small objects
// count.
var (
	passes = []string{"safe", "valid", "success", "ok", "authorized", "authorised", "run", "execute", "pass", "passed",
		"clean", "compliant", "accepted", "accept", "proceed", "continue", "access", "approval", "verdict", "decision",
		"permissiondecision", "permission"}
	reported     = []string{"success", "valid", "ok", "pass", "passed"} // with counts beside them, by tests
	never        = []string{"ok", "safe", "continue", "decision"}       // with 0 no count
	dangers      = []string{"unsafe", "dangerous", "malicious", "harmful", "flagged", "violation", "policyviolation"}
	endings      = []string{"kill", "skip", "unauthorized", "rejectonce", "rejectalways", "never"}
	failures     = []string{"error", "fail", "failed", "failure"}
	refusalLists = []string{"violations", "denials", "blockedby"}
	wrappers     = []string{"message", "msg", "text", "output", "stdout", "content", "result", "answer"}
	exits        = []string{"code", "exitcode", "status", "returncode"}
	verdicts     = []string{"state", "mode", "access", "recommendation", "errors", "hookspecificoutput", "optionid",
		"gate", "guard", "vote", "review", "evaluation", "consensus", "feedback", "event",
		"errormessage", "errorcode"}
	nothing = []string{"", "none", "null", "nil", "false", "no", "ok", "na", "nothing", "noerror", "noerrors", "0"}
	counted = []string{"size", "list", "rules", "count", "total", "tests"} // behind DENY in a report
	refused = []string{"unsafe", "dangerous", "malicious", "unauthorized", "policyviolation", "securityviolation",
		"exit", "exitcode", "exitstatus", "verweigert", "abgelehnt", "blockiert", "zugriffverweigert", "refusé",
		"accèsrefusé", "bloqué", "denegado", "accesodenegado", "bloqueado", "拒绝", "拒否", "禁止"}
)

// decided is a key and a refusal in lines of logs, XML and tables.
var decided = lazy.Regexp{Text: `(?im)(?:^[\s<#*|]*(?:\w[\w-]*)?(?:decision|verdict|result|outcome|permission|answer)` +
	`["'*\x60]*\s*(?:[:=|>(]|[-=]>| - | is )|(?:^|\s)\w*decision=)\s*["'*\x60]*` +
	`(?:block|blocked|deny|denied|reject|rejected|unsafe)["'*\x60]*(?:\s*\|?\s*$|[^\s\w,|-]|\s+\w+=)`}

// prefixed is what stands before a refusal in a line of a log.
var prefixed = lazy.Regexp{Text: `^(?:\[[^\]\s]*\]|\d[\d-]+[T ][\d:.,]+Z?|ERROR|WARN|INFO|[a-zA-Z_.]+:)\s+`}

// Limits of a refusal: bytes of text, keys of an object that no answer has, and depth.
const (
	maxRefusal     = 64 << 10
	maxRefusalKeys = 4
	maxRefusalDeep = 2
)

// Refusal returns a part of a text that may say no in other words than an answer: a small JSON object such as {"safe":
// false}, a line of YAML, TOML or variables such as decision=block, or a first or last line such as BLOCKED: why.
// Refusal returns "" without such a part. onlyKeys: only the keys of answers count.
func Refusal(text string, onlyKeys bool) (found string) {
	seen := strings.TrimSpace(clean(text))
	switch long := len(seen) - maxRefusal; {
	case long > 0:
		found = refusalInLines(seen[:maxRefusal/2]+"\n"+seen[maxRefusal/2+long:], onlyKeys)
		if found != "" && gjson.Valid(seen) { // no JSON of that size is a refusal
			return ""
		}
	case gjson.Valid(seen):
		found = refusalIn(gjson.Parse(seen), 0, false, onlyKeys)
	default:
		found = refusalInLines(seen, onlyKeys)
	}
	if found != "" && hasUnseen(text) {
		found += " (with characters that cannot be seen)"
	}
	return found
}

// refusalInLines is Refusal for a text other than JSON.
func refusalInLines(seen string, onlyKeys bool) string {
	var lines, objects []string
	isPolicy := false
	for line := range strings.Lines(strings.ReplaceAll(seen, "\r", "\n")) {
		line = strings.TrimRight(line, " \t\n")
		if strings.TrimFunc(line, isMark) == "" || strings.HasPrefix(line, "```") {
			continue
		}
		lines = append(lines, line)
		key, _, _ := strings.Cut(strings.Replace(line, "ALLOW ", "ALLOW:", 1), ":")
		if isPolicy = isPolicy || slices.Contains(approvals, Letters(key)); line[0] == '{' && gjson.Valid(line) {
			objects = append(objects, line)
		}
	}
	if len(objects) == 1 { // more are the log of another program
		return refusalIn(gjson.Parse(objects[0]), 0, false, onlyKeys)
	}
	for i, line := range lines {
		end, alone := i == 0 || i == len(lines)-1, len(lines) == 1
		if !onlyKeys && (assignsNo(line, alone) || !isPolicy && line[0] > ' ' &&
			(end || line[0] != '#' && shouts(line) && strings.Contains(line, ": ")) && saysNoInLog(line, alone)) {
			return spelling.Brief(line, maxShown)
		}
	}
	if !onlyKeys {
		if all := decided.Get().FindAllString(seen, 2); len(all) == 1 { // more are a log of answers
			return spelling.Brief(strings.TrimSpace(all[0]), maxShown)
		}
	}
	return ""
}

// assignsNo reports whether a line gives a key a value that says no, as in decision=block.
func assignsNo(line string, alone bool) bool {
	line = strings.TrimPrefix(strings.TrimSpace(strings.TrimPrefix(line, "export ")), "- ") // -decision is of a diff
	line = strings.Replace(line, "=", ":", 1)
	key, word, found := strings.Cut(line, ":")
	if !found || line[0] == '-' || line[0] == ' ' || strings.ContainsAny(strings.TrimSpace(key), " \t{[(<") {
		return false
	}
	name := Letters(key)
	if stem := verb(name); !strings.Contains(name, "not") {
		name = stem
	}
	word, _ = firstWords(word)
	return (alone && slices.Contains(passes, name) || slices.Contains(dangers, name) || name == "action" ||
		slices.Contains([]string{"safe", "continue", "proceed"}, name) || strings.Contains(name, "decision") ||
		strings.Contains(name, "verdict") || slices.Contains(denials, name) || slices.Contains(approvals, name)) &&
		refuses(name, value{text: word}, 0)
}

// firstWords splits a text behind its first letters and blanks. It skips marks before them, as of Markdown.
func firstWords(text string) (words, rest string) {
	text = strings.Trim(strings.TrimLeftFunc(text, isMark), "_")
	at := strings.IndexFunc(text+".", func(r rune) bool { return !unicode.IsLetter(r) && r != ' ' })
	return text[:at], text[at:]
}

func isMark(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }

// saysNoInLog is saysNo also behind what logs put before a message.
func saysNoInLog(line string, alone bool) bool {
	if saysNo(line, alone) {
		return true
	}
	at := prefixed.Get().FindStringIndex(line)
	return at != nil && (shouts(line[at[1]:]) || line[0] == '[') && saysNoInLog(line[at[1]:], false)
}

// shouts reports whether the first word of a text is in capitals.
func shouts(text string) bool {
	first, _, _ := strings.Cut(text, " ")
	return first == strings.ToUpper(first)
}

// saysNo reports whether a line begins with a refusal, with nothing or a reason behind it: "deny", "**Denied:** why",
// "BLOCKED by policy". A count or a list behind it belongs to a report. alone: the text has no other line.
func saysNo(line string, alone bool) bool {
	head, rest := firstWords(strings.TrimRight(line, ")>'\"~/|│ "))
	for _, by := range []string{"policy", "hook", "guard"} {
		head = strings.TrimSuffix(head, " by "+by)
	}
	first, more, _ := strings.Cut(head, " ")
	loud := shouts(head)
	if loud && slices.Contains(denials, Letters(first)) && more != "" && // BLOCKED by policy
		!slices.Contains(counted, Letters(strings.Fields(more + " .")[0])) {
		head, rest = first, more+rest
	} else if rest != "" && !strings.HasSuffix(head, " ") && strings.IndexByte(":]!.`*", rest[0]) < 0 ||
		len(rest) > 1 && rest[0] == '.' && rest[1] != ' ' { // deny-list, deny.toml
		return false
	}
	name, why := Letters(head), strings.TrimFunc(rest, isMark)
	switch stem := verb(name); {
	case strings.HasPrefix(name, "exit"):
		return alone && why == "2" && slices.Contains(refused, name)
	case strings.ContainsAny(rest, "[{|"), strings.Contains(name, "not") && // not blocked
		!slices.Contains(approvals, stem) && stem != "run" && stem != "proceed",
		!strings.Contains(name, "not") && !slices.Contains(denials, stem) && !slices.Contains(refused, name) &&
			!(loud && slices.Contains(stops, stem)):
		return false
	case why == "":
		return alone || loud || !strings.HasPrefix(line, "#") && !strings.HasSuffix(line, ":")
	}
	return !unicode.IsDigit(rune(why[0])) && (loud && Letters(why) == "no" || !slices.Contains(nothing, Letters(why)))
}

// refusalIn looks for a refusal in a value. inAnswer: the value is that of a key of an answer.
func refusalIn(v gjson.Result, deep int, inAnswer, onlyKeys bool) (found string) {
	if list := v.Array(); v.IsArray() && len(list) > 0 && (len(list) == 1 || list[0].Type == gjson.String) {
		v = list[0]
	}
	if v.Type == gjson.String {
		text := strictjson.Text(v.Raw)
		if deep == 0 && !onlyKeys && saysNo(text, true) {
			return spelling.Brief(v.Raw, maxShown)
		}
		v = gjson.Parse(text)
	}
	others, counts := 0, 0 // keys of no answer, and members as in a report
	for key, member := range v.ForEach {
		if !isAnswerKey(strictjson.Text(key.Raw)) {
			others++
		}
		if member.Type == gjson.Number || member.IsArray() {
			counts++
		} else if key.Raw == `"level"` { // of a line of a log
			counts += 2
		}
	}
	if !v.IsObject() || deep > maxRefusalDeep || others > maxRefusalKeys {
		return ""
	}
	v.ForEach(func(key, member gjson.Result) bool {
		name := strictjson.Text(key.Raw)
		word, meant := Letters(name), meantKey(name)
		decides := (Sign{Intended: meant}).Decides() && !rewrites(meant)
		if memberRefuses(word, member, counts, inAnswer) && (decides || inAnswer || !onlyKeys) {
			found = spelling.Brief(key.Raw+": "+member.Raw, maxShown)
		} else if decides || meant == "" && rewriteOf(word) == "" && (counts < 2 || !member.IsArray()) {
			// Not into texts, tools' arguments, and reports.
			found = refusalIn(member, deep+1, inAnswer || decides, onlyKeys)
		}
		return found == ""
	})
	return found
}

// memberRefuses is refuses for a value that may be a list or an object.
func memberRefuses(name string, member gjson.Result, counts int, inAnswer bool) bool {
	if len(member.Raw) > 2 && (member.IsArray() && slices.Contains(refusalLists, name) ||
		member.IsObject() && name == "error") {
		return true
	}
	return slices.ContainsFunc(member.Array(), func(e gjson.Result) bool { // also of a value that is no list
		v := value{text: strictjson.ValueText([]byte(e.Raw)), quoted: e.Type == gjson.String}
		return e.Type != gjson.JSON && (refuses(name, v, counts) || name == "continue" && !v.is(yes) && !v.null() ||
			name == "decision" && e.Type == gjson.Number && v.text != "1" ||
			inAnswer && (name == "type" && v.is(denials) || name == "value" && v.is(no)))
	})
}

// refuses reports whether a key and its value say no. name has the Letters of the key; counts is the number of numbers
// and lists in its object.
func refuses(name string, v value, counts int) bool {
	stem, word := verb(name), Letters(v.text)
	switch {
	case counts > 1 && slices.Contains(reported, stem):
		return false
	case word == "false", word == "no", word == "0" && counts == 1 && slices.Contains(never, stem):
		return slices.Contains(passes, stem) || slices.Contains(approvals, name) || strings.HasSuffix(name, "decision")
	case word == "true", word == "yes":
		return slices.Contains(dangers, stem) || slices.Contains(denials, name) || stem == "error"
	case word == "2" && slices.Contains(exits, name),
		v.quoted && slices.Contains(wrappers, name) && saysNo(v.text, true):
		return true
	case isVerdict(name), slices.Contains(verdicts, name), slices.Contains(approvals, name),
		strings.HasSuffix(name, "action"):
		return v.is(denials, stops, dangers, endings) || counts == 0 && v.is(failures)
	}
	return v.is(denials) && (strings.HasSuffix(name, "result") || strings.HasSuffix(name, "status")) || counts < 2 &&
		slices.Contains([]string{"error", "err", "violation"}, stem) && v.quoted && !slices.Contains(nothing, word)
}
