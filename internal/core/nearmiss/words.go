package nearmiss

import (
	"math/bits"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/hookrun/hookrun/internal/lib/lazy"
	"github.com/hookrun/hookrun/internal/lib/spelling"
)

// words are the keys of all clients' answers that are not common in other JSON.
var words = []string{"decision", "permissionDecision", "continue", "hookSpecificOutput", "reason",
	"permissionDecisionReason", "stopReason", "systemMessage", "additionalContext", "updatedInput", "updatedToolOutput",
	"updatedMCPToolOutput", "suppressOutput"}

// Keys returns the keys of answers that Scan looks for.
func Keys() []string { return slices.Clone(words) }

// lookalikes are words that resemble a key of an answer but have a meaning of their own.
var lookalikes = []string{
	"precision", "revision", "provision", "division", "elision", "derision", "decisionid", "contain", "dances",
	"season", "treason", "continuum",
	"lock", "locked", "clock", "clocked", "flock", "black",
}

// rewriteOf returns the key of the rewrite that another name stands for, or "".
func rewriteOf(name string) string {
	switch name {
	case "toolinput", "newinput", "modifiedinput", "modifiedargs", "updatedargs", "updatedtoolinput":
		return "updatedInput"
	case "updatedoutput", "modifiedoutput", "updatedresult", "modifiedresult":
		return "updatedToolOutput"
	}
	return ""
}

// verdictKeys are keys that may be meant as a decision if the value is a word for a decision.
var verdictKeys = []string{
	"action", "permission", "verdict", "status", "result", "outcome", "behavior", "behaviour", "response", "judgment",
	"judgement", "ruling", "answer", "approval", "effect", "policy", "directive", "resolution", "disposition",
	"conclusion", "determination",
}

// stops are keys that block a call if true. If false they have no meaning: the result of a tool may have them.
var stops = []string{"stop", "halt", "abort", "cancel", "cancelled", "canceled", "prevent", "prevented", "interrupt",
	"terminate"}

// refusals are words before "reason" in keys that say why a call was denied, beside denials.
var refusals = []string{"blocking", "denial", "rejection", "refusal"}

// runVerbs are verbs that block a call if false, or if true with a "not". Otherwise they have no meaning: other JSON
// says with them what has happened, or how often.
var runVerbs = []string{"continue", "run", "execute"}

// affixes are words before or after the verb in a key, as in should_block and preventExecution.
var affixes = []string{"is", "was", "been", "be", "has", "can", "will", "should", "must", "do", "not", "access",
	"permission", "execution", "continuation", "tooluse", "tool", "call", "command", "request", "action",
	"this", "the"}

// verb returns the verb of a name, without affixes.
func verb(name string) string {
	for range 3 { // "should not be", "tool call request"
		before := name
		for _, word := range affixes {
			if name == "" || name[0] != word[0] && name[len(name)-1] != word[len(word)-1] {
				continue
			}
			rest := strings.TrimSuffix(strings.TrimPrefix(name, word), word)
			switch {
			case rest == name || rest == "":
			case slices.Contains(stops, name): // "cancel" does not begin with "can"
				return name
			default:
				name = rest
			}
		}
		if name == before {
			break
		}
	}
	return name
}

var (
	denials = []string{"deny", "denied", "denies", "block", "blocked", "reject", "rejected", "refuse", "refused",
		"forbid", "forbidden", "disallow", "disallowed", "veto", "vetoed", "prohibited"}
	approvals = []string{"allow", "allowed", "approve", "approved", "permit", "permitted"}
	questions = []string{"ask", "defer"}
	yes       = []string{"true", "yes", "y", "on", "1"}
	no        = []string{"false", "no", "n", "off", "0"}
)

// bracketed is a value that is an object or a list.
var bracketed = value{open: true}

// value is the value of a key.
type value struct {
	text   string
	quoted bool
	open   bool // an object or a list
	cut    bool // the text ends within the value, so the value may go on in any way
}

func (v value) shown() string {
	if v.open || v.text == "" {
		return ""
	}
	text := spelling.Brief(v.text, maxShown)
	if v.quoted {
		return `"` + text + `"`
	}
	return text
}

// null reports whether the value is as good as missing.
func (v value) null() bool {
	return !v.quoted && !v.open && !v.cut && len(v.text) <= maxShown &&
		slices.Contains([]string{"null", "none", "nil", "undefined"}, strings.ToLower(v.text))
}

// is reports whether the value is one of the words, in any spelling.
func (v value) is(lists ...[]string) bool {
	if v.open || len(v.text) > maxShown {
		return false
	}
	word := Letters(v.text)
	return slices.ContainsFunc(lists, func(list []string) bool { return slices.Contains(list, word) })
}

// hasText reports whether the value is a string and not blank.
func (v value) hasText() bool { return v.quoted && strings.TrimSpace(v.text) != "" }

// match returns the key of an answer that key equals, misspells or replaces by a synonym.
func match(key string, v value, place Place) (meant string, kind Kind, ok bool) {
	if v.null() || len(key) > maxKey {
		return "", 0, false
	}
	if place == Nested { // only unmistakable keys
		switch key {
		case "decision":
			ok = v.is(denials)
		case "permissionDecision", "hookSpecificOutput":
			ok = true
		}
		return key, Exact, ok
	}
	name := Letters(key)
	meant = meantName(key, name)
	switch {
	case meant != "" && meant == key:
		return meant, Exact, true
	case meant != "" && (meant != "reason" || v.quoted || v.cut): // a list of reasons belongs to a report
		return meant, Misspelling, true
	}
	if to := rewriteOf(name); to != "" {
		return to, Synonym, true
	}
	if decidesAs(name, v) {
		return "decision", Synonym, true
	}
	return "", 0, false
}

// decidesAs reports whether a key and its value mean yes or no in other words than an answer: a key for a verdict with
// a word for a verdict, or a verb such as "allow" with a value for yes or no.
func decidesAs(name string, v value) bool {
	if !v.cut && !v.is(denials, approvals, questions, yes, no) { // as most values
		ends := func(word string) bool { return strings.HasSuffix(name, word) }
		if !v.hasText() || !ends("reason") && !slices.ContainsFunc(denials, ends) {
			return false
		}
	}
	if v.is(denials, approvals, questions) && isVerdict(name) {
		return true
	}
	if name == "type" || name == "kind" {
		return v.is([]string{"deny", "denied", "reject", "rejected"})
	}
	if of, is := strings.CutSuffix(name, "reason"); is {
		return (near(verb(of), denials) || slices.Contains(refusals, verb(of))) && (v.cut || v.hasText())
	}
	switch stem := verb(name); {
	case near(stem, denials):
		// "block": "why" is a rule of a hooks file, and a mistake here.
		return v.is(yes, no) || v.cut || slices.Contains(denials, stem) && strings.HasSuffix(name, stem) &&
			v.hasText() && !isNumber(v.text)
	case near(stem, approvals) || stem == "proceed":
		return v.is(yes, no) || v.cut
	case slices.Contains(runVerbs, stem):
		return !isNumber(v.text) && (v.is(no) || v.is(yes) && strings.Contains(name, "not")) || v.cut
	default:
		return v.is(yes) && (slices.Contains(stops, stem) || slices.Contains(questions, stem))
	}
}

// isVerdict reports whether a key is for a verdict.
func isVerdict(name string) bool {
	return near(name, verdictKeys) || strings.Contains(name, "decision") || strings.Contains(name, "permission") ||
		strings.Contains(name, "verdict")
}

// isAnswerKey reports whether an answer may have the key, even with a value without a meaning.
func isAnswerKey(key string) bool {
	return meantKey(key) != "" || key == "hookEventName" || key == "terminalSequence"
}

func isNumber(s string) bool { return strings.Trim(s, "0123456789.") == "" }

// near reports whether a name is one of the words, or differs by one letter from a word of five letters or more.
func near(name string, list []string) bool {
	if slices.Contains(list, name) {
		return true
	}
	if len(name) < 5 || slices.Contains(lookalikes, name) {
		return false
	}
	letters := letterSet(name)
	return slices.ContainsFunc(list, func(w string) bool {
		return len(w) >= 5 && bits.OnesCount32(letters^letterSet(w)) <= 2 && spelling.Distance(name, w) <= 1
	})
}

// known are the words with what meantName compares.
var known = lazy.Value[[]knownWord]{Make: func() (known []knownWord) {
	for _, w := range words {
		known = append(known, knownWord{w, strings.ToLower(w), letterSet(strings.ToLower(w))})
	}
	return known
}}

type knownWord struct {
	word, name string
	letters    uint32
}

// vowels is the letterSet of the letters that consonants leaves out.
const vowels = 1 | 1<<('e'-'a') | 1<<('i'-'a') | 1<<('o'-'a') | 1<<('u'-'a') | 1<<('y'-'a')

// letterSet returns the set of letters in a name, with one bit for all others. A step of spelling.Distance changes at
// most two bits.
func letterSet(name string) (set uint32) {
	for i := range len(name) {
		set |= 1 << min(name[i]-'a', 26) // others wrap around, or are greater
	}
	return set
}

// meantKey returns the key of an answer that key equals or misspells, or "".
func meantKey(key string) string { return meantName(key, Letters(key)) }

// meantName is meantKey for a key with its Letters.
func meantName(key, name string) (meant string) {
	best := 3
	if name == "" || slices.Contains(lookalikes, name) || key == "hookEventName" {
		return ""
	}
	letters := letterSet(name)
	for _, w := range known.Get() {
		if w.word == key {
			return key
		}
		limit := min(2, len(w.word)/4) // one for "reason"
		// A replaced letter may be several bytes long.
		if n := len(name) - len(w.word); n > 3*limit || n < -limit {
			continue
		}
		differ := letters ^ w.letters
		sameConsonants := name[0] == w.name[0] && differ&^vowels == 0
		if bits.OnesCount32(differ) > 2*limit && !sameConsonants {
			continue
		}
		d := spelling.Distance(name, w.name)
		if d == 3 && sameConsonants && consonants(name) == consonants(w.name) {
			d = 2 // "descion"
		}
		if d <= limit && d < best {
			best, meant = d, w.word
		}
	}
	return meant
}

// consonants returns the consonants of a word, sorted: they survive swapped letters and missing vowels.
func consonants(word string) string {
	rest := strings.NewReplacer("a", "", "e", "", "i", "", "o", "", "u", "", "y", "").Replace(word)
	letters := strings.Split(rest, "")
	slices.Sort(letters)
	return strings.Join(letters, "")
}

// cutKey completes a key that was cut off by the end of the text: it returns the key of an answer that begins with
// start, or start itself.
func cutKey(start string) string {
	name := Letters(start)
	for _, w := range words {
		if len(name) >= 3 && strings.HasPrefix(strings.ToLower(w), name) {
			return w
		}
	}
	return start
}

// alike are letters that look like the Latin letters in their places of latin.
const alike, latin = "авсԁеһіјӏмпорѕтухοαεικνρτυ", "abcdehijlmnopstuxoaeiknptu"

// Letters returns the letters and digits of a word in lower case, with Latin letters for letters that look like them.
func Letters(s string) string {
	b, same := make([]byte, 0, 64), true // same: s is its letters
	for i := range len(s) {
		switch c := s[i]; {
		case c >= utf8.RuneSelf:
			return strings.Map(letter, s)
		case c >= 'a' && c <= 'z' || c >= '0' && c <= '9':
			b = append(b, c)
		case c >= 'A' && c <= 'Z':
			b, same = append(b, c+'a'-'A'), false
		default:
			same = false
		}
	}
	if same {
		return s
	}
	return string(b)
}

// letter returns a letter or digit as Letters does, and -1 for any other character.
func letter(r rune) rune {
	if r >= 0x80 {
		if r = unicode.ToLower(r); r > '！' && r <= '～' { // full width
			r -= '！' - '!'
		} else if at := strings.IndexRune(alike, r); at >= 0 {
			return rune(latin[at/2])
		}
	}
	if unicode.IsLetter(r) || unicode.IsDigit(r) {
		return unicode.ToLower(r)
	}
	return -1
}
