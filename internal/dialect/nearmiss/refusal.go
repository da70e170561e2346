package nearmiss

import (
	"slices"
	"strings"

	"github.com/tidwall/gjson"

	"github.com/hookrun/hookrun/internal/spelling"
	"github.com/hookrun/hookrun/internal/strictjson"
)

// Words of refusals, beside the words in words.go. JSON of other programs has some of them too, so only small objects
// count.
var (
	passes = []string{"safe", "valid", "success", "ok", "authorized", "authorised", "run", "execute", "pass", "passed",
		"clean", "compliant", "accepted", "accept", "proceed"}
	dangers      = []string{"unsafe", "dangerous", "malicious"}
	endings      = []string{"kill", "skip"}
	refusalLists = []string{"violations", "denials", "blockedby"}
)

// Limits of a refusal: bytes of text, keys of an object, and depth.
const (
	maxRefusal     = 64 << 10
	maxRefusalKeys = 4
	maxRefusalDeep = 2
)

// Refusal returns a part of a text that may say no in other words than an answer: a small JSON object such as {"safe":
// false}, or a line of YAML, TOML or variables such as decision=block. Refusal returns "" without such a part.
func Refusal(text string) string {
	text = strings.TrimSpace(clean(text))
	if len(text) > maxRefusal {
		return ""
	}
	if strings.HasPrefix(text, "{") && gjson.Valid(text) {
		return refusalIn(gjson.Parse(text), 0)
	}
	for line := range strings.Lines(text) {
		line = strings.TrimRight(strings.TrimPrefix(strings.TrimSpace(line), "export "), ",; \t")
		at := strings.IndexAny(line, ":=")
		if at < 0 || strings.ContainsAny(strings.TrimSpace(line[:at]), " \t{[(<") {
			continue
		}
		name, word := Letters(line[:at]), strings.Trim(strings.TrimSpace(line[at+1:]), `"'`)
		decides := name == "safe" || name == "action" || strings.Contains(name, "decision") ||
			strings.Contains(name, "verdict") || slices.Contains(denials, name) || slices.Contains(approvals, name)
		if decides && refuses(name, value{text: word}) {
			return spelling.Brief(line, maxShown)
		}
	}
	return ""
}

func refusalIn(object gjson.Result, deep int) (found string) {
	keys := 0
	object.ForEach(func(_, _ gjson.Result) bool { keys++; return keys <= maxRefusalKeys })
	if keys > maxRefusalKeys {
		return ""
	}
	object.ForEach(func(key, member gjson.Result) bool {
		name := strictjson.Text(key.Raw)
		word := Letters(name)
		no := false
		switch {
		case member.IsObject():
			if deep < maxRefusalDeep {
				found = refusalIn(member, deep+1)
			}
			return found == ""
		case member.IsArray():
			no = slices.Contains(refusalLists, word) && len(member.Array()) > 0 ||
				slices.ContainsFunc(member.Array(), func(e gjson.Result) bool {
					return word == "errors" && e.Type == gjson.String && value{text: strictjson.Text(e.Raw)}.is(denials)
				})
		default:
			no = refuses(word, value{text: member.String(), quoted: member.Type == gjson.String})
		}
		if no {
			found = spelling.Brief(key.Raw+": "+member.Raw, maxShown)
		}
		return !no
	})
	return found
}

// refuses reports whether a key and its value say no. name has the Letters of the key.
func refuses(name string, v value) bool {
	switch {
	case slices.Contains(passes, name), slices.Contains(approvals, name):
		return v.is([]string{"false", "no"})
	case slices.Contains(dangers, name), slices.Contains(denials, name):
		return v.is([]string{"true", "yes"})
	case isVerdict(name), name == "state", name == "mode":
		return v.is(denials, stops, dangers, endings)
	}
	return false
}
