package hookimport

import (
	"regexp"
	"regexp/syntax"
	"slices"
	"strings"

	"github.com/tidwall/gjson"

	"github.com/hookrun/hookrun/internal/dialect"
	"github.com/hookrun/hookrun/internal/dialect/all"
	"github.com/hookrun/hookrun/internal/hookfile"
	"github.com/hookrun/hookrun/internal/jsregexp"
	"github.com/hookrun/hookrun/internal/lazy"
	"github.com/hookrun/hookrun/internal/spelling"
	"github.com/hookrun/hookrun/internal/strictjson"
	"github.com/hookrun/hookrun/internal/toolmatch"
)

// narrow carries the matcher over: as globs where these mean the same, else as a condition. It reports whether the hook
// is carried.
func (g *handler) narrow() bool {
	if !g.matcher.Exists() || g.matcher.Type == gjson.Null {
		return true
	}
	pattern, _ := g.hook.Matcher.(dialect.Pattern)
	text, at := pattern.Word, g.group+".matcher"
	switch {
	case g.dialect.SubjectField(g.event) == "":
		if text != "" && text != "*" {
			g.item(LeftOut, at, g.matcher.Index, "a matcher means nothing at %s, here as in %s", g.event, g.form.Client)
		}
		return true
	case text == "" || text == "*":
		return true
	}
	if pattern.Names == nil && pattern.Subjects != nil {
		return g.leaveOut("its matcher %s is an expression for the names that %s has itself for tools; write their "+
			"names with | between them", brief(text), g.form.Client)
	}
	if pattern.Names != nil && pattern.Err == nil {
		names := slices.DeleteFunc(slices.Clone(pattern.Names), func(name string) bool { return name == "" })
		if len(names) == 0 {
			return g.leaveOut("its matcher %s names nothing, so it never runs", brief(text))
		}
		return g.globs(names)
	}
	switch {
	case pattern.Rust:
	case pattern.Err != nil:
		return g.leaveOut("its matcher %s matches nothing in %s, so it never runs: %v", brief(text), g.form.Client,
			pattern.Err)
	case !readAlike(text):
		return g.leaveOut("its matcher %s uses JavaScript that neither a glob nor RE2 can express", brief(text))
	}
	parsed, err := syntax.Parse(text, syntax.Perl)
	if err != nil {
		if g.hook.Matcher.Match("") {
			g.item(Differs, at, g.matcher.Index, "hookrun cannot read the matcher %s, so the entry is for every tool",
				brief(text))
			return true
		}
		return g.leaveOut("its matcher %s is no regular expression of RE2's: %s", brief(text), spelling.Expression(err))
	}
	if names, ok := globsOf(parsed.Simplify()); ok {
		return g.globs(names)
	}
	return g.condition(text)
}

// narrowToCommand carries a group that is for commands of one tool alone. It reports whether the hook is carried.
func (g *handler) narrowToCommand() bool {
	return g.onlyCommands() && g.globs([]string{g.form.CommandOf})
}

// onlyCommands carries the commandRegex as a condition. It reports whether the hook can ever run.
func (g *handler) onlyCommands() bool {
	text, tool := g.commandRegex.String(), g.form.CommandOf
	re, err := regexp.Compile(text)
	_, invalid := jsregexp.Compile(text)
	switch {
	case g.dialect.SubjectField(g.event) != "tool_name" || !g.hook.Matcher.Match(tool):
		return g.leaveOut("its commandRegex is for %s alone, and the group is for other calls, so it never runs", tool)
	case invalid != nil:
		return g.leaveOut("its commandRegex %s is no regular expression, so it never runs", brief(text))
	case err != nil || !readAlike(text):
		g.item(Wider, g.group+".commandRegex", g.commandRegex.Index,
			"the commandRegex %s uses JavaScript that RE2 cannot express, so the entry is for every command",
			brief(text))
	default:
		g.when = append(g.when, `{"path": "args.command", "matches": `+
			string(strictjson.AppendString(nil, re.String()))+`}`)
		g.item(Changed, g.group+".commandRegex", g.commandRegex.Index, `the commandRegex is a condition in "when" here`)
	}
	return true
}

// ordinary are names that every form of a matcher must agree on, beside those above.
var ordinary = []string{"Bash", "Edit", "Write", "Read", "MultiEdit", "WebFetch", "mcp__server__tool",
	"mcp__server__write_file", "run_shell_command", "write_file", "replace", "shell", "x"}

// agree adds the tools with a second name to a new form of the matcher, and reports whether that matches the same
// tools.
func (g *handler) agree(match func(string) bool, add func(name string)) bool {
	for _, name := range all.AliasedTools() {
		if wanted := g.hook.Matcher.Match(name); wanted && !match(name) {
			add(name)
		}
	}
	return !slices.ContainsFunc(append(ordinary, all.AliasedTools()...), func(name string) bool {
		return match(name) != g.hook.Matcher.Match(name)
	})
}

// overlap reports whether a tool may be for both matchers: it is doubted only where both are names.
func overlap(a, b hookfile.Matcher) bool {
	if a == nil || b == nil || strings.Trim(a.String()+b.String(), letters+"|") != "" {
		return true
	}
	for name := range strings.SplitSeq(a.String(), "|") {
		if b.Match(name) {
			return true
		}
	}
	return a.String() == "" || slices.ContainsFunc(all.AliasedTools(), func(name string) bool {
		return a.Match(name) && b.Match(name)
	})
}

// globs writes the matcher as globs.
func (g *handler) globs(names []string) bool {
	var m hookfile.Globs
	set := func() { m, _ = hookfile.NewGlobs(strings.Join(names, "|")) }
	set()
	if !g.agree(func(name string) bool { return m.Match(name) }, func(name string) {
		names = append(names, name)
		set()
	}) {
		return g.leaveOut("its matcher %s cannot be written as globs", brief(g.matcher.String()))
	}
	if slices.Contains(names, "*") {
		g.item(Changed, g.group+".matcher", g.matcher.Index, "the matcher %s is for every tool, so the entry has none",
			brief(g.matcher.String()))
		return true
	}
	also := projectNames(names)
	names = append(names, also...)
	set()
	var more []string // tools that the matcher was not for
	for _, tool := range clientTools.Get() {
		if slices.ContainsFunc(tool[1:], m.Match) && !g.hook.Matcher.Match(tool[0]) {
			more = append(more, tool[0])
		}
	}
	here, theirs := m.String(), g.matcher.String()
	g.set("matcher", here)
	switch {
	case also != nil || more != nil:
		g.item(Wider, g.group+".matcher", g.matcher.Index,
			"the matcher %s is %s here, and holds by the names that a project has for tools, whatever client or loop "+
				"they are of; it is also for %s",
			brief(theirs), brief(here), strings.Join(more, ", "))
	case here != theirs:
		g.item(Changed, g.group+".matcher", g.matcher.Index, "the matcher %s is %s here", brief(theirs), brief(here))
	}
	return true
}

// clientTools are the tools of clients, each with its other names behind it.
var clientTools = lazy.Value[[][]string]{Make: func() (tools [][]string) {
	for _, tool := range all.ClientTools() {
		tools = append(tools, slices.Concat([]string{tool}, all.ToolNames(tool), all.ToolAliases(tool)))
	}
	return tools
}}

// projectNames are the project's names for the tools that globs name, where none of a tool's is among them.
func projectNames(globs []string) (also []string) {
	for _, glob := range globs {
		here := all.ToolNames(strings.Trim(glob, "*"))
		if len(here) > 0 && !slices.ContainsFunc(here, func(name string) bool {
			return slices.Contains(globs, name) || slices.Contains(also, name)
		}) {
			also = append(also, here[0])
		}
	}
	return also
}

// rule carries an if over. For a command it means the same for the shell tool of any client and loop; what a pattern
// means for other tools goes by their names in the client.
func (g *handler) rule(text string) {
	const theirs = "Bash"
	if rest, ok := strings.CutPrefix(text, theirs); ok && (rest == "" || rest[0] == '(') {
		here := all.ToolNames(theirs)[0]
		g.set("if", here+rest)
		g.report(Wider, "if",
			"the if %s is %s here, as a project calls the tool, so it holds in other clients and loops",
			brief(text), brief(here+rest))
		if rest != "" {
			g.report(Differs, "if",
				"the if %s is weighed word by word here: of a line that %s cannot read only what may be meant runs "+
					"the hook, where the client runs it for every such line; and it is also held against what env, "+
					"xargs and the like run",
				brief(here+rest), g.form.Client)
		}
		return
	}
	g.set("if", text)
	g.report(Note, "if", "the if %s is for a tool of %s, and holds of no tool of another name", brief(text),
		g.form.Client)
}

// condition writes the matcher as a condition.
func (g *handler) condition(text string) bool {
	re := regexp.MustCompile(text) // narrow has parsed it
	add := func(name string) {
		text += "|^" + name + "$"
		re = regexp.MustCompile(text) // a valid one, and a name
	}
	if !g.agree(func(name string) bool { return re.MatchString(name) }, add) {
		return g.leaveOut("its matcher %s cannot be written as a condition", brief(text))
	}
	g.when = append(g.when, `{"path": "tool_name", "matches": `+string(strictjson.AppendString(nil, text))+`}`)
	g.item(Changed, g.group+".matcher", g.matcher.Index,
		`the matcher %s is a condition in "when" here, for the names that tools have in %s`, brief(g.matcher.String()),
		g.form.Client)
	return true
}

// readAlike reports whether Go and JavaScript read an expression alike, which both can read. Names of tools have no
// line ends and nothing outside ASCII, so what differs there does not count.
func readAlike(text string) bool {
	inside := false
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case c >= 0x80:
			return false
		case c == '\\':
			i++
			// Of letters those alone that both know; a digit is a reference, or an octal number.
			if i == len(text) || strings.IndexByte(letters, text[i]) >= 0 &&
				(strings.IndexByte("dDwWbB", text[i]) < 0 || inside && strings.IndexByte("bB", text[i]) >= 0) {
				return false
			}
		case inside:
			inside = c != ']'
			if c == '[' { // Go may find the name of a class in there
				return false
			}
		case c == '[':
			inside = true
			if rest := strings.TrimPrefix(text[i+1:], "^"); strings.HasPrefix(rest, "]") {
				return false // Go: a bracket in the class; JavaScript: an empty class
			}
		case c == '(' && strings.HasPrefix(text[i+1:], "?") && !strings.HasPrefix(text[i+1:], "?:"):
			return false
		case c == '{' && strings.HasPrefix(text[i+1:], ","): // Go: {0,n}, by version
			return false
		}
	}
	return true
}

// Characters of a glob to be: the start and the end of a name, and what no glob can express. No name of a tool has
// them.
const start, end, never = "\ufdd0", "\ufdd1", "\ufdd2"

// maxAlternatives bounds how many globs one expression may become.
const maxAlternatives = 64

// globsOf returns the globs of which one matches the whole of a name exactly where the expression is found in it.
func globsOf(re *syntax.Regexp) (globs []string, ok bool) {
	all, ok := alternatives(re)
	if !ok {
		return nil, false
	}
	for _, text := range all {
		glob, fromStart := text, strings.HasPrefix(text, start)
		glob = strings.TrimLeft(glob, start)
		if toEnd := strings.HasSuffix(glob, end); !toEnd {
			glob += "*"
		}
		glob = strings.TrimRight(glob, end)
		if !fromStart {
			glob = "*" + glob
		}
		for strings.Contains(glob, "**") {
			glob = strings.ReplaceAll(glob, "**", "*")
		}
		if glob == "*" { // it matches every name
			return []string{glob}, true
		}
		if glob == "" || strings.ContainsAny(glob, start+end+never) {
			return nil, false
		}
		if !slices.Contains(globs, glob) {
			globs = append(globs, glob)
		}
	}
	return globs, len(globs) > 0
}

// alternatives takes an expression apart into texts, of which it is one, as globs with the characters above.
func alternatives(re *syntax.Regexp) (all []string, ok bool) {
	switch re.Op {
	case syntax.OpEmptyMatch:
		return []string{""}, true
	case syntax.OpLiteral:
		return []string{literal(re.Rune...)}, re.Flags&syntax.FoldCase == 0
	case syntax.OpCapture:
		return alternatives(re.Sub[0])
	case syntax.OpBeginText:
		return []string{start}, true
	case syntax.OpEndText:
		return []string{end}, true
	case syntax.OpStar:
		return []string{"*"}, isAny(re.Sub[0])
	case syntax.OpPlus:
		return []string{"?*"}, isAny(re.Sub[0])
	case syntax.OpQuest:
		all, ok = alternatives(re.Sub[0])
		return append(all, ""), ok
	case syntax.OpAnyChar, syntax.OpAnyCharNotNL:
		return []string{"?"}, true
	case syntax.OpCharClass:
		for i := 0; i < len(re.Rune); i += 2 {
			if re.Rune[i+1]-re.Rune[i] > maxAlternatives {
				return nil, false
			}
			for r := re.Rune[i]; r <= re.Rune[i+1]; r++ {
				all = append(all, literal(r))
			}
		}
		return all, 0 < len(all) && len(all) <= 4 // more are better read as a class
	case syntax.OpAlternate:
		for _, sub := range re.Sub {
			some, ok := alternatives(sub)
			if all = append(all, some...); !ok || len(all) > maxAlternatives {
				return nil, false
			}
		}
		return all, true
	case syntax.OpConcat:
		all = []string{""}
		for _, sub := range re.Sub {
			some, ok := alternatives(sub)
			if !ok || len(all)*len(some) > maxAlternatives {
				return nil, false
			}
			var longer []string
			for _, head := range all {
				for _, tail := range some {
					longer = append(longer, head+tail)
				}
			}
			all = longer
		}
		return all, true
	}
	return nil, false
}

// literal is a text in a glob. A matcher with certain characters is refused.
func literal(text ...rune) string {
	if strings.ContainsAny(string(text), "*?[]|, \t\r\n"+toolmatch.NoName+start+end) {
		return never
	}
	return string(text)
}

// isAny reports whether an expression is every character, or all but a line end, which no name has.
func isAny(re *syntax.Regexp) bool {
	return re.Op == syntax.OpAnyChar || re.Op == syntax.OpAnyCharNotNL
}
