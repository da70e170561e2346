package hookfile

import (
	"errors"
	"regexp"
	"regexp/syntax"
	"slices"
	"strings"

	"github.com/hookrun/hookrun/internal/dialect/all"
	"github.com/hookrun/hookrun/internal/jsregexp"
	"github.com/hookrun/hookrun/internal/spelling"
)

// clientMatcher is a matcher of a client's file. fault says what is wrong with it, as the end of a sentence that begins with it.
type clientMatcher interface {
	Matcher
	fault() string
}

// never is what a client makes of a matcher that is no expression.
const never = "is no regular expression and matches nothing, so the hook never runs: "

func (p Pattern) fault() string {
	switch {
	case p.err != nil:
		return never + p.err.Error()
	case p.names != nil && !slices.ContainsFunc(p.names, func(n string) bool { return n != "" }):
		return "names nothing, so the hook never runs"
	}
	return ""
}

// codexPattern is the matcher of Codex's files (0.169.0). Of letters, digits, _ and | alone it is a list of whole names with | between
// them; anything else is a regular expression of Rust's, found anywhere in a name. That is RE2's syntax, as Go's is, and so
// without look-around. "" and * are everything.
type codexPattern struct {
	text  string
	names []string
	regex *regexp.Regexp
	err   error
}

func newCodexPattern(text string) codexPattern {
	p := codexPattern{text: text}
	switch {
	case text == "" || text == "*":
	case strings.Trim(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_|") == "":
		p.names = strings.Split(text, "|")
	default:
		if p.err = rustsOwn(text); p.err == nil {
			p.regex, p.err = regexp.Compile(text)
		}
	}
	return p
}

func (p codexPattern) String() string { return p.text }

func (p codexPattern) fault() string {
	switch {
	case p.err == nil:
		return ""
	case p.foreign():
		return "is a regular expression that hookrun cannot read, so the hook always runs: " + spelling.Expression(p.err)
	}
	return never + spelling.Expression(p.err)
}

// foreign reports whether Rust might read what Go cannot. A hook that its client runs had better run.
func (p codexPattern) foreign() bool {
	fault, ok := errors.AsType[*syntax.Error](p.err)
	if !ok {
		return errors.As(p.err, new(rustOnly))
	}
	switch fault.Code {
	case syntax.ErrInvalidEscape: // \u{41}, but no back reference
		return !strings.ContainsAny(fault.Expr[1:], "0123456789k")
	case syntax.ErrInvalidPerlOp: // (?x), but no look-around
		return !strings.ContainsAny(fault.Expr, "=!<")
	case syntax.ErrInvalidCharRange: // \p{Alphabetic}, but not [z-a]
		return strings.HasPrefix(strings.ToLower(fault.Expr), `\p`)
	case syntax.ErrInvalidRepeatOp, syntax.ErrInvalidRepeatSize, syntax.ErrNestingDepth, syntax.ErrLarge:
		return true // a**, more than 1000 of something
	case syntax.ErrInvalidNamedCapture: // a name in other letters than ASCII's, but no look-behind
		return !strings.HasPrefix(fault.Expr, "(?<=") && !strings.HasPrefix(fault.Expr, "(?<!")
	}
	return false
}

// patchTool is the tool of Codex that has other names.
const patchTool = "apply_patch"

// Match reports whether the matcher matches a name. A patch answers to two names of Claude Code's tools as well.
func (p codexPattern) Match(name string) bool {
	return p.match(name) || name == patchTool && slices.ContainsFunc(all.ToolAliases(name), p.match)
}

func (p codexPattern) match(name string) bool {
	switch {
	case p.text == "" || p.text == "*":
		return true
	case p.err != nil:
		return p.foreign()
	case p.regex != nil:
		return p.regex.MatchString(name)
	}
	return slices.Contains(p.names, name)
}

// geminiPattern is the matcher of Gemini CLI's files (0.61.0): for tools a JavaScript regular expression, found anywhere in a name, for
// other things the whole word. Blanks around it do not count, and without more, or as *, it is everything.
type geminiPattern struct {
	text  string
	word  string
	regex *jsregexp.Regexp
	err   error
}

func newGeminiPattern(text string, tools bool) geminiPattern {
	p := geminiPattern{text: text, word: strings.TrimSpace(text)}
	if tools && p.word != "" && p.word != "*" {
		p.regex, p.err = jsregexp.Compile(p.word)
	}
	return p
}

func (p geminiPattern) String() string { return p.text }

func (p geminiPattern) fault() string {
	if p.err != nil {
		return never + p.err.Error()
	}
	return ""
}

// Match reports whether the matcher matches. An expression that cannot be decided in reasonable time does: the hook had better run.
func (p geminiPattern) Match(subject string) bool {
	if p.word == "" || p.word == "*" {
		return true
	}
	if p.regex == nil { // also where the expression is none
		return p.word == subject
	}
	matches, err := p.regex.Match(subject)
	return matches || err != nil
}
