// Package permission decides whether the `if` of a hook lets it run for a tool call.
//
//	rule := permission.Parse("Bash(git push *)")
//	runs, why := rule.Match(permission.Call{
//		Tool: "Bash", Input: `{"command":"cd x && git push"}`, Dir: dir, Home: home,
//	})
//	// true, `matches the command "git push"`
//
// An `if` is one permission rule of Claude Code, Tool or Tool(pattern). This package matches like version 2.1.329 in
// recordings (conformance/claude/if-*.jsonl). The pattern is matched against each simple command of a shell tool's
// line, against the path of a file tool, and against the host of WebFetch.
//
// Guarantee: in doubt, the hook runs. A rule matches if a shell line cannot be parsed, if the input cannot be read, or
// if the meaning of the pattern for the tool was not recorded. Match never fails. Stack and time are bounded: a line
// longer than 128 KiB or with more than 10,000 brackets and the like is not parsed, and counts as a match. If package
// regexp could take too long, the rule matches too.
//
// Limits: a rule does not see everything that a line does. Scripts and programs such as make run commands unseen by
// rules, [[ ]] evaluates text, and a program can have several names. The package does not check the input either: of
// two equal keys it reads the first, unless Call.EqualKeys says that the input has equal keys.
//
// A rule in a project's own file (Call.Project) goes further than the client. It looks behind launchers such as env,
// npx, docker run and bash -c, reads the paths of file tools of any name, and follows their symbolic links. It also
// matches files that a tool reaches without naming them: in a folder, or chosen by a glob. If the shell computes a part
// of a word, the known part is matched against the pattern. If a text may run commands in an unknown way, such as a
// program for python3 -c, the rule searches the text for the words of the pattern.
package permission

import (
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/tidwall/gjson"

	"github.com/hookrun/hookrun/internal/lib/strictjson"
	"github.com/hookrun/hookrun/internal/rules/shellline"
)

// Rule is one permission rule. The zero Rule matches every call.
type Rule struct {
	text    string
	tool    string
	pattern string   // "": the rule matches every call of the tool
	command wildcard // the pattern as a pattern for commands
	path    func() pathPattern
}

// Call is the tool call that a rule is matched against.
type Call struct {
	Tool    string   // name of the tool; "" if the event has no tool
	Aliases []string // other names of the tool that a rule may use
	Kind    Kind     // what the tool works on; ignored for tools recorded with the client
	Input   string   // a JSON object

	Project bool // the rule is in a project's own file, and sees more than the client's rules
	// Wrappers are programs that run a command from their arguments, in addition to those known to this package.
	Wrappers  []string
	EqualKeys bool // the input has equal keys, so the tool may read other values than this package

	Dir  string // the session's current directory, absolute
	Root string // the start folder of patterns, absolute; "": Dir, as in Claude Code
	Home string // the user's home directory, absolute; "" if unknown
	// Worktree is a second Root, in a linked worktree, without links; "": none. A pattern matches from either.
	Worktree string

	cache *callCache // set by WithCache
}

// callCache caches the parts of a call that rules read. work is the cost of matching so far.
type callCache struct {
	clientInput, input *input // as read by the client's own rules, and by other rules
	work               int
	followed           map[string]string // paths without links; "": unknown
	lookedUp           map[string]nameInFolder
	lookups            int               // the size of lookedUp, in which a long path counts more
	targets            map[string]target // what paths without links lead to
	names              map[[2]string][]name
}

// maxWork limits the cost of all rules of one call, in bytes read: a tenth of a second or two. Above it, rules match.
const maxWork = 1 << 28

// spend adds n to the cost of the call's rules, and reports whether the cost is still within maxWork.
func (c *Call) spend(n int) bool {
	c.cache.work += n
	return c.cache.work <= maxWork
}

var tooMuchWork = reason{text: "could take too long to match", doubt: ofCall}

// WithCache prepares a call for many rules in one goroutine: it is parsed once, and the rules' total cost is bounded.
func (c Call) WithCache() Call {
	c.cache = &callCache{followed: map[string]string{}, lookedUp: map[string]nameInFolder{},
		targets: map[string]target{},
		names:   map[[2]string][]name{}}
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
	// With spaces around it, ` *` is a pattern that needs a command, so it does not match an empty line.
	if pattern := text[open+1 : len(text)-1]; pattern != "*" && strings.TrimSpace(pattern) != "" {
		r.pattern, r.command = pattern, compile(pattern)
		r.path = sync.OnceValue(func() pathPattern { return readPath(pattern) })
	}
	return r
}

// Malformed reports whether the text is not a rule, so the Rule matches nothing.
func (r Rule) Malformed() bool { return strings.ContainsAny(r.tool, "()*|, \t\n") }

// Tool returns the name of the rule's tool.
func (r Rule) Tool() string { return r.tool }

// String returns the text given to Parse.
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
	if c.cache == nil {
		c = c.WithCache()
	}
	return r.matchInput(&c)
}

// Doubt returns a sentence for the agent if the rule matches only out of doubt. The sentence says what hookrun cannot
// tell about the call, and how to write the call instead. In all other cases Doubt returns "".
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
		return line + why.subject + "; write it without that"
	case ofNoCommand:
		return why.subject + "; so hookrun cannot tell whether the rule " + r.text + " is for it"
	case ofCommand:
		return line + why.subject + "; write it without expansions, globs and braces in that command"
	case ofWords:
		return line + "the words of the rule " + r.text + " stand in " + why.subject +
			"; write it without them, or run the command itself"
	case ofFiles:
		return "hookrun cannot tell whether the rule " + r.text + " is for this call: the rule " + why.text +
			"; name a folder, or a glob with a fixed beginning or ending, that contains none of those"
	}
	return "hookrun cannot tell whether the rule " + r.text + " is for this call: the rule " + why.text
}

// isFor reports whether the rule is for the tool, under any of the tool's names.
func (r Rule) isFor(c *Call) bool {
	return r.tool == c.Tool || slices.Contains(c.Aliases, r.tool) ||
		!c.Project && r.tool == "Task" && c.Tool == "Agent" // its earlier name
}

const hostPrefix = "domain:"

func unreadable(field string) (bool, reason) {
	return doubt("cannot be decided without a readable " + field + " in the input")
}

// matchInput matches the pattern against the object of the tool. For an unknown tool the arguments decide. A command in
// the arguments does not prevent a rule for paths or hosts from matching paths or hosts.
func (r Rule) matchInput(c *Call) (bool, reason) {
	in := c.input()
	lines := len(in.lines) > 0 || in.unreadableLine
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
// run by those. Doubt counts if no command matches.
func (r Rule) matchLines(c *Call, in *input) (bool, reason) {
	switch {
	case len(in.lines) > 0 && !in.unreadableLine:
	case in.kind == Shell && c.Project:
		return true, reason{"cannot read the command of this call", ofNoCommand, c.unread(in)}
	case c.Tool == "Bash":
		return unreadable("command")
	default:
		return r.notUnderstood(c)
	}
	for i := range in.lines {
		line := &in.lines[i]
		ok, why := r.matchLine(c, line)
		if line.soft && c.Project && (!ok || why.doubt == ofLine || line.joined && why.isDoubt()) {
			if ok = r.command.wordsAppearIn(line.text); ok {
				ok, why = doubt("has its words in a program, which may run them")
			}
		}
		if ok {
			return true, why
		}
	}
	if ok, why := r.matchHints(c, in.hints); ok && c.Project {
		return true, why
	}
	return false, because("matches no command of the line")
}

func (r Rule) matchLine(c *Call, line *shellLine) (bool, reason) {
	line.read()
	opaque, all := line.ClientOpaque, line.Commands
	var unread shellline.Opaque
	if c.Project {
		line.unwrap(c.Wrappers)
		opaque, all, unread = "", line.unwrapped.Commands, line.unwrapped.Opaque
	}
	switch {
	case line.typed && editKeys.Get().MatchString(line.text):
		return opaqueLine("keys that edit it")
	case line.typed && c.Project && historyExpansion.Get().MatchString(line.text):
		return opaqueLine("what the shell recalls")
	case opaque != "":
		return opaqueLine(opaque)
	}
	mayMatch := ""
	for i := range all {
		command := &all[i]
		// In recordings, the client looks behind an xargs without options, but not behind env, sudo and the like.
		byXargs, isXargs := strings.CutPrefix(command.Text, "xargs ")
		switch {
		case !c.spend(len(command.Text)):
			return true, tooMuchWork
		case command.ProjectOnly && !c.Project:
		case r.command.match(command.Text):
			return true, because("matches the command " + describe(command))
		case !c.Project && isXargs && r.command.match(byXargs):
			return true, because("matches the command " + quote(byXargs) + " behind xargs")
		case c.Project && mayMatch == "" && r.command.mayMatch(command) && r.hasGround(command, line):
			mayMatch = describe(command) + ", of which only the shell knows " + unknownIn(command)
		}
	}
	switch {
	case unread.Computed, unread.Why != "" && r.command.mayStandIn(line):
		return r.unreadLine(line.unwrapped)
	case mayMatch != "":
		return doubtOf(ofCommand, "may match the command ", mayMatch, "")
	case c.Project:
		return r.matchHints(c, line.unwrapped.Hints)
	case line.Unknown && !namesCommandOnly(r.pattern):
		return doubt("says more than the name of a command, and an argument of the line is known only when it runs")
	}
	return false, reason{}
}

// hasGround reports whether a command with computed words counts. On another machine, and in what only dash reads as
// commands, a computed name alone is no ground.
func (r Rule) hasGround(c *shellline.Command, line *shellLine) bool {
	return !c.Elsewhere && !c.ProjectOnly || !c.Words[0].Computed || r.command.mayStandIn(line)
}

// describe returns a command for messages.
func describe(c *shellline.Command) string {
	if c.Wrapper == "" {
		return quote(c.Text)
	}
	return quote(c.Text) + " behind " + c.Wrapper
}

// unknownIn names the first word of a command that the shell computes, or its further arguments.
func unknownIn(c *shellline.Command) string {
	for i, w := range c.Words {
		switch {
		case w.Computed && i == 0:
			return "the program " + quote(w.Text)
		case w.Computed:
			return quote(w.Text)
		}
	}
	return "the further arguments"
}

// matchHints searches texts that may contain a command for the words of the pattern.
func (r Rule) matchHints(c *Call, hints []shellline.Hint) (bool, reason) {
	for _, h := range hints {
		switch {
		case !c.spend(len(h.Text) * len(r.command[0])):
			return true, tooMuchWork
		case r.command.wordsAppearIn(h.Text):
			return doubtOf(ofWords, "has all of its words in ", h.Name, "")
		}
	}
	return false, reason{}
}

// matchHost also matches hosts that a client may read differently: with non-ASCII letters, because some are other
// spellings of ASCII letters, or with escapes.
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
// any spelling: decoding megabytes would take longer than all other work.
func text(input, field string) (string, bool) { return textOf(gjson.Get(input, field).Raw) }

// textOf is text for the value of a field.
func textOf(raw string) (string, bool) {
	const longestEscape = len(`\u0000`)
	if len(raw) < 2 || len(raw) > longestEscape*shellline.MaxLine || raw[0] != '"' || raw[len(raw)-1] != '"' {
		return "", false
	}
	s := strictjson.Text(raw)
	return s, s != "" || raw == `""`
}

// quote quotes and shortens a text, because a message must not contain a whole script.
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
