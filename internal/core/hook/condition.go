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

	"github.com/hookrun/hookrun/internal/lib/strictjson"
)

// Condition is an entry of "when": it must hold for the hook to run. The zero Condition never holds. If a condition
// cannot be decided, it holds: in doubt the gate runs.
//
// A path leads from a field of the hook input to a value or, through a list, to many values. Paths are gjson's, but
// without searches, because the model would choose the first key that fits a pattern.
type Condition struct {
	Text              string // as in the file, for people
	path              string // as written
	field             string // of the hook input
	steps             []step // from the field to the values
	holds             func([]value) bool
	cost              func([]value) int // the cost of holds, in steps; nil: negligible
	holdsWithoutValue bool              // the condition holds if the path has no value
}

// step is one name in a path, or each: all elements of a list or, as the last step, the length of the list.
type step struct {
	key  string
	each bool
}

// ConditionAt returns a condition about the values at a path. It holds for no call until it has a test: Matches,
// Equals, Exists or Finds. The error's text continues a sentence that begins with the path.
func ConditionAt(path string) (c Condition, err error) {
	c.path = path
	c.field, c.steps, err = parsePath(path)
	return c, err
}

// Matches makes the condition hold if any value matches the pattern.
func (c *Condition) Matches(pattern *regexp.Regexp) {
	c.holds, c.cost = patternTest(pattern), stepsOf(pattern)
}

// Equals makes the condition hold if any value equals wanted.
func (c *Condition) Equals(wanted gjson.Result) { c.holds = equals(wanted) }

// Exists makes the condition hold if the path has a value, or, with wanted false, if the path has no value.
func (c *Condition) Exists(wanted bool) {
	c.holds = func(all []value) bool { return len(all) > 0 == wanted }
	c.holdsWithoutValue = !wanted
}

// Finds makes the condition hold if accepts returns true for any value that is a text and not empty.
func (c *Condition) Finds(accepts func(text string) bool) {
	c.holds = func(all []value) bool {
		return slices.ContainsFunc(all, func(v value) bool { return !v.json && v.text != "" && accepts(v.text) })
	}
}

// Field is the condition's field of the hook input, or "" for an invalid path.
func (c *Condition) Field() string { return c.field }

// HoldsWithoutValue reports whether the condition holds if the path has no value.
func (c *Condition) HoldsWithoutValue() bool { return c.holdsWithoutValue }

// String returns the condition as in the file.
func (c Condition) String() string { return c.Text }

// value is a text, or JSON of another type.
type value struct {
	text string
	json bool
}

// walk yields the values at the end of the steps. Its recursion is as deep as the number of steps.
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
		for _, element := range v.ForEach {
			if next.each && len(rest) > 0 || !next.each && next.key == strconv.Itoa(n) {
				walk(element, rest, yield)
			}
			n++
		}
		if next.each && len(rest) == 0 {
			yield(value{text: strconv.Itoa(n), json: true})
		}
	case v.IsObject() && !next.each:
		for name, member := range v.ForEach {
			if strictjson.Text(name.Raw) == next.key {
				walk(member, rest, yield)
				return
			}
		}
	}
}

// equals returns a test that holds if any value equals wanted.
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

// maxSteps bounds a match. Package regexp takes time in proportion to the size of the pattern times the size of the
// text, and cannot be interrupted. At the bound a match takes some seconds at worst, and mostly far less.
const maxSteps = 1 << 28

// maxCallSteps bounds the cost of all conditions at a call, including the walks to their values. Beyond it all
// conditions hold.
const maxCallSteps = 1 << 30

// patternTest returns a test that holds if any value matches the pattern, or if the test could take too long. Many
// short texts take as long as one long text.
func patternTest(pattern *regexp.Regexp) func([]value) bool {
	cost := costOf(pattern)
	steps := stepsOf(pattern)
	return func(all []value) bool {
		_, needed := cost()
		return steps(all) > maxSteps || slices.ContainsFunc(all, func(v value) bool {
			return strings.Contains(v.text, needed) && pattern.MatchString(v.text)
		})
	}
}

// stepsOf returns a function for the maximum cost of matching a pattern against values.
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

// costOf returns cost for a pattern, computed at first use.
func costOf(pattern *regexp.Regexp) func() (int, string) {
	return sync.OnceValues(func() (int, string) { return cost(pattern.String()) })
}

// cost returns the number of instructions of a valid expression, and a text contained in every match. A search for that
// text first keeps most long texts away from the bound.
func cost(expression string) (instructions int, needed string) {
	parsed, err := syntax.Parse(expression, syntax.Perl)
	if err != nil {
		return maxSteps, ""
	}
	needed = requiredLiteral(parsed)
	program, err := syntax.Compile(parsed.Simplify())
	if err != nil {
		return maxSteps, ""
	}
	return len(program.Inst), needed
}

// requiredLiteral returns the longest literal contained in every match of an expression.
func requiredLiteral(re *syntax.Regexp) (longest string) {
	switch {
	case re.Op == syntax.OpLiteral && re.Flags&syntax.FoldCase == 0:
		// Invalid UTF-8 matches U+FFFD, but does not contain it.
		for part := range strings.SplitSeq(string(re.Rune), string(utf8.RuneError)) {
			if len(part) > len(longest) {
				longest = part
			}
		}
	case re.Op == syntax.OpCapture, re.Op == syntax.OpPlus, re.Op == syntax.OpConcat, re.Op == syntax.OpRepeat &&
		re.Min > 0:
		for _, sub := range re.Sub {
			if part := requiredLiteral(sub); len(part) > len(longest) {
				longest = part
			}
		}
	}
	return longest
}

// spendSteps adds to the cost of the call's conditions, and reports whether the total is within maxCallSteps.
func (m *MatchContext) spendSteps(n int) bool {
	m.conditionCost += n
	if m.conditionCost > maxCallSteps {
		m.warn("the conditions are too many to be compared with values of this size, so from some point on they " +
			"count as met")
	}
	return m.conditionCost <= maxCallSteps
}
