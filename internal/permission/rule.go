// Package permission decides whether a hook's `if` lets it run for a tool call.
//
//	rule := permission.Parse("Bash(git push *)")
//	runs, why := rule.Match(permission.Call{Tool: "Bash", Input: `{"command":"cd x && git push"}`, Dir: dir, Home: home})
//	// true, `matches the command "git push"`
//
// An `if` is one permission rule of Claude Code, Tool or Tool(pattern), and this package says of it what version
// 2.1.329 was recorded to say (e2e/testdata/claude/if-*.jsonl). Of a shell tool the pattern is held against each
// simple command of the line, of a file tool against the path, of WebFetch against the host.
//
// It guarantees that doubt lets the hook run: a shell line that it cannot take apart, an input that it cannot read and
// a pattern whose meaning for a tool was not recorded all match. Match never fails. Its stack and its time are bounded: a
// line longer than 128 KiB is not taken apart at all, nor is one with more than 10,000 brackets and the like, and what
// package regexp could take too long for matches.
//
// It does not guarantee that a rule sees what a line does. Scripts and programs such as ssh run commands that no rule
// sees, let and [[ ]] evaluate text, and a program has more than one name. And it does not check the input: of two
// equal keys it reads the first, unless Call.EqualKeys says that there are any.
//
// A rule of a project's own file (Call.Project) goes further than the client: it looks behind wrappers such as env,
// timeout and bash -c, reads the paths of file tools of any name, and follows their symbolic links. Of words that the shell
// computes it weighs what is known against the pattern.
package permission

import (
	"fmt"
	"net/url"
	"runtime"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/hookrun/hookrun/internal/strictjson"
	"github.com/tidwall/gjson"
)

// Rule is one permission rule. The zero Rule matches every call.
type Rule struct {
	text    string
	tool    string
	pattern string   // "" is every call of the tool
	command wildcard // the pattern for a command
}

// Call is what a rule is held against.
type Call struct {
	Tool  string   // name of the tool, "" at an event without one
	Also  []string // its other names, which a rule may have as well
	Kind  Kind     // what it works on, where its name is not one of those that the client was recorded with
	Input string   // its input, a JSON object

	Project   bool // the rule is a project's own, which sees more than the client's
	EqualKeys bool // the input has equal keys somewhere, so that the tool may read another value than this package

	Dir  string // the session's current directory, absolute
	Root string // where patterns lie, absolute; "" is Dir, as in Claude Code
	Home string // the user's home directory, absolute; "" if unknown

	taken *taken // of Once
}

// taken is what rules read of a call, which is read once: its command, taken apart, or that there is none that can be
// read, and the same for a project's rules. work is what matching has cost so far.
type taken struct {
	done, readable bool
	line           commandLine
	project        *projectInput
	work           int
	followed       map[string]string // where paths lead, "" if nobody knows
	lookups        int               // of names in folders, for that
}

// maxWork bounds what the rules of one call may cost, in bytes looked at: a tenth of a second or two. Beyond it rules
// match.
const maxWork = 1 << 28

// spend takes from what the rules of the call may cost, and reports whether there was enough.
func (c *Call) spend(n int) bool {
	if c.taken == nil {
		return true
	}
	c.taken.work += n
	return c.taken.work <= maxWork
}

const tooMuchWork = "could take too long to match, so the hook runs"

// Once returns the call for many rules of one goroutine: its command is taken apart once, and there is a bound on what
// all of them cost.
func (c Call) Once() Call {
	c.taken = &taken{}
	return c
}

// Parse reads a rule. It never fails: a text that is no rule is the name of a tool that nobody has.
func Parse(text string) Rule {
	r := Rule{text: text, tool: text}
	open := strings.IndexByte(text, '(')
	if open < 1 || !strings.HasSuffix(text, ")") {
		return r
	}
	r.tool = text[:open]
	// With a blank, ` *` is a pattern, which asks for a command: it does not match an empty line.
	if pattern := text[open+1 : len(text)-1]; pattern != "*" && strings.TrimSpace(pattern) != "" {
		r.pattern, r.command = pattern, compile(pattern)
	}
	return r
}

// Malformed reports whether the text is no rule, so that it matches nothing.
func (r Rule) Malformed() bool { return strings.ContainsAny(r.tool, "()*|, \t\n") }

// Tool is the name of the tool that the rule is for.
func (r Rule) Tool() string { return r.tool }

// String returns the text that the rule was parsed from.
func (r Rule) String() string { return r.text }

// Match reports whether the rule matches, and why: a phrase that reads well after the rule.
func (r Rule) Match(c Call) (matches bool, why string) {
	switch {
	case r.text == "":
		return true, "is empty, which matches everything"
	case c.Tool == "":
		return false, "needs a tool, and this event has none"
	case !r.isFor(&c):
		if r.Malformed() {
			return false, "is no rule of the form Tool or Tool(pattern), so it matches nothing"
		}
		return false, "is for another tool"
	case r.pattern == "":
		return true, "matches every call of " + c.Tool
	case strings.HasPrefix(r.tool, "mcp__"):
		return false, "has a pattern, and no pattern but * matches a tool of an MCP server"
	case c.EqualKeys:
		return true, "looks at an input with equal keys, of which the tool may read others, so the hook runs"
	case c.Project:
		return r.matchProject(&c)
	}
	switch c.Tool {
	case "Bash":
		return r.matchCommand(c)
	case "Edit", "MultiEdit", "Read", "Write":
		return r.matchFile(c, "file_path")
	case "NotebookEdit", "NotebookRead":
		return r.matchFile(c, "notebook_path")
	case "Glob", "Grep", "LS":
		if gjson.Get(c.Input, "path").String() == "" && c.Dir != "" { // also null
			return r.matchPath(c, c.Dir)
		}
		return r.matchFile(c, "path")
	case "WebFetch":
		if host, ok := strings.CutPrefix(r.pattern, hostPrefix); ok {
			return matchHost(host, c)
		}
		return r.notUnderstood(&c)
	}
	return r.matchProject(&c) // what a pattern means for other tools was not recorded
}

// knownLater is why a rule matches a line that hides a part of itself.
const knownLater = "says more than the name of a command, and an argument of the line is known only when it runs, so the hook runs"

// What is said of a match for doubt alone ends with soItRuns.
const (
	notThrough = "cannot see through the line ("
	soItRuns   = ", so the hook runs"
)

const hostPrefix = "domain:"

func (r Rule) notUnderstood(c *Call) (bool, string) {
	return true, "has a pattern that is not understood for " + c.Tool + ", so the hook runs"
}

// isFor reports whether the rule is for the tool, by any of its names.
func (r Rule) isFor(c *Call) bool {
	return r.tool == c.Tool || slices.Contains(c.Also, r.tool) || !c.Project && r.tool == "Task" && c.Tool == "Agent" // its name before
}

func (r Rule) matchCommand(c Call) (bool, string) {
	line, ok := c.line()
	if !ok {
		return unreadable("command")
	}
	return r.matchLine(&c, line)
}

func (r Rule) matchLine(c *Call, line commandLine) (bool, string) {
	if line.opaque != "" {
		return throughNot(line.opaque)
	}
	for _, command := range line.commands {
		if !c.spend(len(command)) {
			return true, tooMuchWork
		}
		if r.command.match(command) {
			return true, "matches the command " + quote(command)
		}
		// A recorded special case of 2.1.329, for xargs without options only; env, sudo and the like have none.
		if behind, ok := strings.CutPrefix(command, "xargs "); ok && r.command.match(behind) {
			return true, "matches the command " + quote(behind) + " behind xargs"
		}
	}
	if line.unknown && !namesCommandOnly(r.pattern) {
		return true, knownLater
	}
	return false, "matches no command of the line"
}

func throughNot(what string) (bool, string) {
	return true, notThrough + what + ")" + soItRuns
}

func (c Call) line() (line commandLine, readable bool) {
	t := c.taken
	if t == nil {
		t = &taken{}
	}
	if !t.done {
		t.done = true
		var command string
		if command, t.readable = text(c.Input, "command"); t.readable {
			t.line = takeApart(command)
		}
	}
	return t.line, t.readable
}

func (r Rule) matchFile(c Call, field string) (bool, string) {
	file, ok := text(c.Input, field)
	if !ok {
		return unreadable(field)
	}
	return r.matchPath(c, file)
}

func (r Rule) matchPath(c Call, file string) (bool, string) {
	dir := slashed(c.Dir)
	if !strings.HasPrefix(dir, "/") {
		return true, "cannot place the path without an absolute current directory, so the hook runs"
	}
	home := slashed(c.Home)
	if !strings.HasPrefix(home, "/") && (strings.HasPrefix(r.pattern, "~/") || strings.HasPrefix(strings.TrimSpace(file), "~")) {
		return true, "cannot place ~ without a home directory, so the hook runs"
	}
	root := dir
	if c.Root != "" {
		root = slashed(c.Root)
	}
	if !c.spend(len(r.pattern) * (64 + len(file))) {
		return true, tooMuchWork
	}
	if matchPath(r.pattern, slashed(file), dir, root, home) {
		return true, "matches the path " + quote(file)
	}
	if c.Project {
		if ok, why := r.matchLinks(&c, slashed(file), dir, root, home); ok {
			return true, why
		}
	}
	return false, "does not match the path " + quote(file)
}

// slashed gives a path of Windows the form that patterns are written in; C:\x is /c:/x.
func slashed(file string) string {
	if runtime.GOOS != "windows" {
		return file
	}
	file = strings.ReplaceAll(file, `\`, "/")
	if len(file) > 1 && file[1] == ':' {
		file = "/" + strings.ToLower(file[:1]) + file[1:]
	}
	return file
}

// matchHost lets hosts match that a client may read in another way than this program does: with letters outside ASCII,
// of which some are other spellings of ASCII ones, or with escapes.
func matchHost(domain string, c Call) (bool, string) {
	address, ok := text(c.Input, "url")
	if !ok {
		return unreadable("url")
	}
	domain = canonicalHost(domain)
	if !plainHost(domain) {
		return true, "names a domain that is not understood, so the hook runs"
	}
	u, err := url.Parse(strings.TrimSpace(address))
	if err != nil || !plainHost(canonicalHost(u.Hostname())) {
		return true, "cannot tell the host of the address, so the hook runs"
	}
	host := canonicalHost(u.Hostname())
	if host == domain || strings.HasSuffix(host, "."+domain) {
		return true, "matches the host " + quote(host)
	}
	return false, "does not match the host " + quote(host)
}

func canonicalHost(host string) string {
	return strings.TrimSuffix(strings.ToLower(strings.TrimSpace(host)), ".")
}

func plainHost(host string) bool {
	return host != "" && strings.Trim(host, "abcdefghijklmnopqrstuvwxyz0123456789-_.:") == ""
}

func unreadable(field string) (bool, string) {
	return true, "cannot be decided without a readable " + field + " in the input, so the hook runs"
}

// text returns a field of an input that is a string. The input may be broken: then there is none. Nor is there one that
// is too long for a line in any spelling: decoding megabytes would take longer than all the rest.
func text(input, field string) (string, bool) {
	const longestEscape = len(`\u0000`)
	raw := gjson.Get(input, field).Raw
	if len(raw) < 2 || len(raw) > longestEscape*maxLine || raw[0] != '"' || raw[len(raw)-1] != '"' {
		return "", false
	}
	s := strictjson.Text(raw)
	return s, s != "" || raw == `""`
}

// quote is for messages: nobody wants to read a whole script there.
func quote(s string) string {
	const most = 60
	if len(s) <= most {
		return fmt.Sprintf("%q", s)
	}
	end := most
	for !utf8.RuneStart(s[end]) {
		end--
	}
	return fmt.Sprintf("%q…", s[:end])
}
