// Package permission decides whether the `if` of a hook lets it run for a tool call.
//
//	rule := permission.Parse("Bash(git push *)")
//	runs, why := rule.Match(permission.Call{
//		Tool: "Bash", Input: `{"command":"cd x && git push"}`, Dir: dir, Home: home,
//	})
//	// true, `matches the command "git push"`
//
// An `if` is one permission rule of Claude Code, Tool or Tool(pattern). This package matches it as version 2.1.329 was
// recorded to do (e2e/testdata/claude/if-*.jsonl). The pattern is matched against each simple command of a shell tool's
// line, against the path of a file tool, and against the host of WebFetch.
//
// It guarantees that the hook runs when in doubt. A shell line that cannot be parsed, an input that cannot be read and
// a pattern whose meaning for a tool was not recorded all match. Match never fails. Its stack and its time are bounded:
// a line longer than 128 KiB or with more than 10,000 brackets and the like is not parsed, and counts as a match. So
// does what package regexp could take too long for.
//
// It does not guarantee that a rule sees what a line does. Scripts and programs such as make run commands that no rule
// sees, [[ ]] evaluates text, and a program can have several names. It does not check the input either: of two
// equal keys it reads the first, unless Call.EqualKeys says that there are any.
//
// A rule in a project's own file (Call.Project) goes further than the client. It looks behind launchers such as env,
// npx, docker run and bash -c, reads the paths of file tools of any name, and follows their symbolic links. It also
// matches what a tool reaches without naming it: what is in a folder, and what a glob chooses. If the shell computes a
// part of a word, the known part is matched against the pattern. If a command may stand in a text of which nobody can
// tell more, such as a program for python3 -c, the words of the pattern are looked for in it.
package permission

import (
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/tidwall/gjson"

	"github.com/hookrun/hookrun/internal/shellline"
	"github.com/hookrun/hookrun/internal/strictjson"
)

// Rule is one permission rule. The zero Rule matches every call.
type Rule struct {
	text    string
	tool    string
	pattern string   // "": every call of the tool
	command wildcard // the pattern as one for commands
	path    func() pathPattern
}

// Call is the tool call that a rule is matched against.
type Call struct {
	Tool  string   // name of the tool; "" at an event without one
	Also  []string // its other names, which a rule may use
	Kind  Kind     // what it works on; ignored for tools that the client was recorded with
	Input string   // a JSON object

	Project bool // the rule is in a project's own file, and sees more than the client's
	// Wrappers are programs that run a command in their arguments, besides those that this package knows.
	Wrappers  []string
	EqualKeys bool // the input has equal keys, so the tool may read other values than this package

	Dir  string // the session's current directory, absolute
	Root string // the folder that patterns start from, absolute; "": Dir, as in Claude Code
	Home string // the user's home directory, absolute; "" if unknown

	taken *taken // set by Once
}

// taken caches what rules read of a call. work is what matching has cost so far.
type taken struct {
	own, all *input // as the client's own rules read it, and as other rules do
	work     int
	followed map[string]string // where paths lead; "": unknown
	lookups  int               // of names in folders, for followed
	targets  map[string]target // what paths without links lead to
	names    map[[2]string][]name
}

// maxWork limits what the rules of one call may cost, in bytes read: a tenth of a second or two. Above it rules match.
const maxWork = 1 << 28

// spend adds n to the cost of the call's rules, and reports whether it is still below maxWork.
func (c *Call) spend(n int) bool {
	c.taken.work += n
	return c.taken.work <= maxWork
}

var tooMuchWork = reason{text: "could take too long to match", doubt: ofCall}

// Once prepares a call for many rules in one goroutine: its command is parsed once, and the cost of all rules together
// is bounded.
func (c Call) Once() Call {
	c.taken = &taken{followed: map[string]string{}}
	return c
}

// Parse reads a rule. It never fails: a malformed text becomes the name of a tool that does not exist.
func Parse(text string) Rule {
	r := Rule{text: text, tool: text}
	open := strings.IndexByte(text, '(')
	if open < 1 || !strings.HasSuffix(text, ")") {
		return r
	}
	r.tool = text[:open]
	// With spaces around it, ` *` is a pattern that needs a command: it does not match an empty line.
	if pattern := text[open+1 : len(text)-1]; pattern != "*" && strings.TrimSpace(pattern) != "" {
		r.pattern, r.command = pattern, compile(pattern)
		r.path = sync.OnceValue(func() pathPattern { return readPath(pattern) })
	}
	return r
}

// Malformed reports whether the text is no rule, so it matches nothing.
func (r Rule) Malformed() bool { return strings.ContainsAny(r.tool, "()*|, \t\n") }

// Tool returns the name of the tool that the rule is for.
func (r Rule) Tool() string { return r.tool }

// String returns the text that the rule was parsed from.
func (r Rule) String() string { return r.text }

// Match reports whether the rule matches. why is a phrase to put after the rule.
func (r Rule) Match(c Call) (matches bool, why string) {
	matches, because := r.match(c)
	return matches, because.String()
}

func (r Rule) match(c Call) (bool, reason) {
	switch {
	case r.text == "":
		return true, because("is empty, which matches everything")
	case c.Tool == "":
		return false, because("needs a tool, and this event has none")
	case !r.isFor(&c):
		if r.Malformed() {
			return false, because("is no rule of the form Tool or Tool(pattern), so it matches nothing")
		}
		return false, because("is for another tool")
	case r.pattern == "":
		return true, because("matches every call of " + c.Tool)
	case strings.HasPrefix(r.tool, "mcp__"):
		return false, because("has a pattern, and no pattern but * matches a tool of an MCP server")
	case c.EqualKeys:
		return doubtOf(ofEqualKeys, "looks at an input with equal keys, of which the tool may read others", "", "")
	}
	if c.taken == nil {
		c = c.Once()
	}
	return r.matchInput(&c)
}

// Doubt returns a sentence for the agent if the rule matches only out of doubt: what hookrun cannot tell about the
// call, and what to write instead. Otherwise it returns "".
func (r Rule) Doubt(c Call) string {
	ok, why := r.match(c)
	if !ok {
		return ""
	}
	const line = "hookrun cannot tell what this line runs: "
	switch why.doubt {
	case certain, ofEqualKeys: // equal keys have a warning of their own
		return ""
	case ofLine:
		return line + "it has " + why.subject + "; write it without that"
	case ofNoCommand:
		return "hookrun " + why.text + ", so it cannot tell whether the rule " + r.text + " is for it"
	case ofCommand:
		return line + why.subject + "; write it without expansions, globs and braces in that command"
	case ofWords:
		return line + "the words of the rule " + r.text + " stand in " + why.subject +
			"; write it without them, or run the command itself"
	case ofFiles:
		return "hookrun cannot tell whether the rule " + r.text + " is for this call: the rule " + why.text +
			"; name a folder, or a glob with a fixed beginning or ending, that holds none of those"
	}
	return "hookrun cannot tell whether the rule " + r.text + " is for this call: the rule " + why.text
}

// isFor reports whether the rule is for the tool, under any of its names.
func (r Rule) isFor(c *Call) bool {
	return r.tool == c.Tool || slices.Contains(c.Also, r.tool) ||
		!c.Project && r.tool == "Task" && c.Tool == "Agent" // its earlier name
}

const hostPrefix = "domain:"

func unreadable(field string) (bool, reason) {
	return doubt("cannot be decided without a readable " + field + " in the input")
}

// matchInput matches the pattern against what the tool works on. For an unknown tool its arguments decide. A command
// among them does not keep a rule for paths or hosts from being matched against paths or hosts.
func (r Rule) matchInput(c *Call) (bool, reason) {
	in := c.input()
	lines := len(in.lines) > 0 || in.otherLine
	isHost := strings.HasPrefix(r.pattern, hostPrefix)
	switch {
	case in.kind == Shell && in.patch && slices.Contains(PatchTools, r.tool):
		return r.matchPaths(c, in)
	case in.kind == Shell:
		return r.matchLines(c, in)
	case in.kind == File, in.kind == Folder:
		return r.matchPaths(c, in)
	case isHost && (in.kind == Host || in.kind == Unknown):
		return r.matchHost(c)
	case in.kind != Unknown, !in.hasPath() && !lines:
		return r.notUnderstood(c)
	case in.hasPath(), r.looksLikePath():
		if ok, why := r.matchPaths(c, in); ok || !lines {
			return ok, why
		}
	}
	return r.matchLines(c, in)
}

func (r Rule) notUnderstood(c *Call) (bool, reason) {
	return doubt("has a pattern that is not understood for " + c.Tool)
}

// matchLines matches the pattern against each command of the lines and, for a project's own rule, against the commands
// that those run. Doubt counts if no command matches.
func (r Rule) matchLines(c *Call, in *input) (bool, reason) {
	switch {
	case len(in.lines) > 0 && !in.otherLine:
	case in.kind == Shell && c.Project:
		return doubtOf(ofNoCommand, "cannot see the command of this call", "", "")
	case c.Tool == "Bash":
		return unreadable("command")
	default:
		return r.notUnderstood(c)
	}
	for i := range in.lines {
		line := &in.lines[i]
		ok, why := r.matchLine(c, line)
		if line.program && c.Project && (!ok || why.doubt == ofLine) {
			if ok = r.command.standsIn(line.text); ok {
				ok, why = doubt("has its words in a program, which may run them")
			}
		}
		if ok {
			return true, why
		}
	}
	return false, because("matches no command of the line")
}

func (r Rule) matchLine(c *Call, line *shellLine) (bool, reason) {
	line.read()
	opaque, all := line.Client, line.Commands
	if c.Project {
		line.reach(c.Wrappers)
		opaque, all = line.Project, line.reached.Commands
	}
	switch {
	case line.typed && editsLine(line.text):
		return throughNot("keys that edit it")
	case line.typed && c.Project && recalled.Get().MatchString(line.text):
		return throughNot("what the shell recalls")
	case opaque != "":
		return throughNot(opaque)
	}
	mayMatch := ""
	for i := range all {
		command := &all[i]
		// As recorded, the client looks behind an xargs without options, but not behind env, sudo and the like.
		byXargs, isXargs := strings.CutPrefix(command.Text, "xargs ")
		switch {
		case !c.spend(len(command.Text)):
			return true, tooMuchWork
		case command.Own && !c.Project:
		case r.command.match(command.Text):
			return true, because("matches the command " + shown(command))
		case !c.Project && isXargs && r.command.match(byXargs):
			return true, because("matches the command " + quote(byXargs) + " behind xargs")
		case c.Project && mayMatch == "" && r.command.mayMatch(command):
			mayMatch = shown(command) + ", of which words are known only when it runs"
			if command.By != "" {
				mayMatch = shown(command) + ", whose arguments are known only when it runs"
			}
		}
	}
	switch {
	case c.Project && line.reached.Opaque != "":
		return throughNot(line.reached.Opaque)
	case mayMatch != "":
		return doubtOf(ofCommand, "may match the command ", mayMatch, "")
	case c.Project:
		return r.matchHints(c, line.reached.Hints)
	case line.Unknown && !namesCommandOnly(r.pattern):
		return doubt("says more than the name of a command, and an argument of the line is known only when it runs")
	}
	return false, reason{}
}

// shown returns a command for messages.
func shown(c *shellline.Command) string {
	if c.By == "" {
		return quote(c.Text)
	}
	return quote(c.Text) + " behind " + c.By
}

// matchHints matches the words of the pattern against texts in which a command may stand.
func (r Rule) matchHints(c *Call, hints []shellline.Hint) (bool, reason) {
	for _, h := range hints {
		switch {
		case !c.spend(len(h.Text) * len(r.command[0])):
			return true, tooMuchWork
		case r.command.standsIn(h.Text):
			return doubtOf(ofWords, "has all of its words in ", h.What, "")
		}
	}
	return false, reason{}
}

// matchHost also matches hosts that a client may read differently: with non-ASCII letters, some of which are other
// spellings of ASCII ones, or with escapes.
func (r Rule) matchHost(c *Call) (bool, reason) {
	address, ok := text(c.Input, "url")
	if !ok {
		return unreadable("url")
	}
	domain := canonicalHost(strings.TrimPrefix(r.pattern, hostPrefix))
	if !plainHost(domain) {
		return doubt("names a domain that is not understood")
	}
	u, err := url.Parse(strings.TrimSpace(address))
	if err != nil || !plainHost(canonicalHost(u.Hostname())) {
		return doubt("cannot tell the host of the address")
	}
	host := canonicalHost(u.Hostname())
	if host == domain || strings.HasSuffix(host, "."+domain) {
		return true, because("matches the host " + quote(host))
	}
	return false, because("does not match the host " + quote(host))
}

func canonicalHost(host string) string {
	return strings.TrimSuffix(strings.ToLower(strings.TrimSpace(host)), ".")
}

func plainHost(host string) bool {
	return host != "" && strings.Trim(host, "abcdefghijklmnopqrstuvwxyz0123456789-_.:") == ""
}

// text returns a string field of an input. ok is false if the input is broken, or the string is too long for a line in
// any spelling: decoding megabytes would take longer than everything else.
func text(input, field string) (string, bool) {
	const longestEscape = len(`\u0000`)
	raw := gjson.Get(input, field).Raw
	if len(raw) < 2 || len(raw) > longestEscape*shellline.MaxLine || raw[0] != '"' || raw[len(raw)-1] != '"' {
		return "", false
	}
	s := strictjson.Text(raw)
	return s, s != "" || raw == `""`
}

// quote shortens a text for a message, which must not hold a whole script.
func quote(s string) string {
	const most = 60
	if len(s) <= most {
		return strconv.Quote(s)
	}
	end := most
	for !utf8.RuneStart(s[end]) {
		end--
	}
	return strconv.Quote(s[:end]) + "…"
}
