package hook

import (
	"regexp"
	"regexp/syntax"
	"slices"
	"strconv"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/tidwall/gjson"

	"github.com/hookrun/hookrun/internal/strictjson"
)

// Condition is something that must hold of a call, as an entry of "when" has it. The zero Condition never holds. A
// condition that cannot be decided holds: in doubt the gate runs.
//
// A path leads from a field of the hook input to one or, through a list, to many values. It is gjson's language without
// what searches: the first key that fits a pattern is one that the model chose.
type Condition struct {
	Text         string // as it stands in the file, for people
	path         string // as it is written
	field        string // of the hook input
	steps        []step // from there
	holds        func([]value) bool
	cost         func([]value) int // of holds, in steps; nil: next to none
	wantsNothing bool              // it holds where there is no value
}

// step is one name in a path. each: it goes through a list, or as the last one counts it.
type step struct {
	key  string
	each bool
}

// ConditionAt returns a condition of what a path leads to. It holds of no call until it has a test: see Matches,
// Equals, Exists and Finds. An error is the end of a sentence that begins with the path.
func ConditionAt(path string) (c Condition, err error) {
	c.path = path
	c.field, c.steps, err = parsePath(path)
	return c, err
}

// Matches has the condition hold if any of the values matches the pattern.
func (c *Condition) Matches(pattern *regexp.Regexp) {
	c.holds, c.cost = found(pattern), stepsOf(pattern)
}

// Equals has the condition hold if any of the values is the wanted one.
func (c *Condition) Equals(wanted gjson.Result) { c.holds = equals(wanted) }

// Exists has the condition hold if there is a value, or if there is none.
func (c *Condition) Exists(wanted bool) {
	c.holds = func(all []value) bool { return len(all) > 0 == wanted }
	c.wantsNothing = !wanted
}

// Finds has the condition hold if a function accepts any of the values that are texts and not empty.
func (c *Condition) Finds(accepts func(text string) bool) {
	c.holds = func(all []value) bool {
		return slices.ContainsFunc(all, func(v value) bool { return !v.json && v.text != "" && accepts(v.text) })
	}
}

// Field is the field of the hook input that the condition looks at, "" for a path with a fault.
func (c *Condition) Field() string { return c.field }

// WantsNothing reports whether the condition holds where there is no value.
func (c *Condition) WantsNothing() bool { return c.wantsNothing }

// String returns the condition as it stands in the file.
func (c Condition) String() string { return c.Text }

// value is a text, or JSON of any other kind.
type value struct {
	text string
	json bool
}

// walk yields what the steps lead to. It is as deep as they are many.
func walk(v gjson.Result, steps []step, yield func(value)) {
	if len(steps) == 0 {
		if v.Type == gjson.String {
			yield(value{text: strictjson.Text(v.Raw)})
		} else {
			yield(value{text: v.Raw, json: true})
		}
		return
	}
	next, rest := steps[0], steps[1:]
	switch {
	case v.IsArray():
		n := 0
		v.ForEach(func(_, element gjson.Result) bool {
			if next.each && len(rest) > 0 || !next.each && next.key == strconv.Itoa(n) {
				walk(element, rest, yield)
			}
			n++
			return true
		})
		if next.each && len(rest) == 0 {
			yield(value{text: strconv.Itoa(n), json: true})
		}
	case v.IsObject() && !next.each:
		v.ForEach(func(name, member gjson.Result) bool {
			if strictjson.Text(name.Raw) != next.key {
				return true
			}
			walk(member, rest, yield)
			return false
		})
	}
}

// equals holds where any value is the wanted one.
func equals(wanted gjson.Result) func([]value) bool {
	var text string
	if wanted.Type == gjson.String {
		text = strictjson.Text(wanted.Raw)
	}
	return func(all []value) bool {
		return slices.ContainsFunc(all, func(v value) bool {
			if v.json {
				return strictjson.Equal(gjson.Parse(v.text), wanted)
			}
			return wanted.Type == gjson.String && text == v.text
		})
	}
}

// maxSteps bounds a match. Package regexp takes time in proportion to the size of the pattern times that of the text,
// and cannot be interrupted. The bound is some seconds at the very worst, and mostly far less.
const maxSteps = 1 << 28

// maxCallSteps bounds what all conditions take at one call, and walking to what they look at. Beyond it conditions
// hold.
const maxCallSteps = 1 << 30

// found returns a test for whether a pattern is in any of the values. A test that could take too long counts as found.
// Many short texts take as long as one long text.
func found(pattern *regexp.Regexp) func([]value) bool {
	cost := costOf(pattern)
	steps := stepsOf(pattern)
	return func(all []value) bool {
		_, needed := cost()
		return steps(all) > maxSteps || slices.ContainsFunc(all, func(v value) bool {
			return strings.Contains(v.text, needed) && pattern.MatchString(v.text)
		})
	}
}

// stepsOf returns what it takes at most to look for a pattern in values.
func stepsOf(pattern *regexp.Regexp) func([]value) int {
	cost := costOf(pattern)
	return func(all []value) int {
		instructions, needed := cost()
		size := 0
		for _, v := range all {
			if strings.Contains(v.text, needed) {
				size += len(v.text)
			}
		}
		return instructions * size
	}
}

// costOf returns cost for a pattern, which is found out when it is needed.
func costOf(pattern *regexp.Regexp) func() (int, string) {
	return sync.OnceValues(func() (int, string) { return cost(pattern.String()) })
}

// cost returns how many instructions a valid expression has, and a text without which nothing matches it: to look for
// that text first keeps most long texts away from the bound.
func cost(expression string) (instructions int, needed string) {
	parsed, err := syntax.Parse(expression, syntax.Perl)
	if err != nil {
		return maxSteps, ""
	}
	needed = literal(parsed)
	program, err := syntax.Compile(parsed.Simplify())
	if err != nil {
		return maxSteps, ""
	}
	return len(program.Inst), needed
}

// literal returns the longest text that plainly stands in everything which an expression matches.
func literal(re *syntax.Regexp) (longest string) {
	switch {
	case re.Op == syntax.OpLiteral && re.Flags&syntax.FoldCase == 0:
		// Bytes that are no UTF-8 match U+FFFD, but do not contain it.
		for part := range strings.SplitSeq(string(re.Rune), string(utf8.RuneError)) {
			if len(part) > len(longest) {
				longest = part
			}
		}
	case re.Op == syntax.OpCapture, re.Op == syntax.OpPlus, re.Op == syntax.OpConcat, re.Op == syntax.OpRepeat &&
		re.Min > 0:
		for _, sub := range re.Sub {
			if part := literal(sub); len(part) > len(longest) {
				longest = part
			}
		}
	}
	return longest
}
