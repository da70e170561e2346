package trust

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"github.com/hookrun/hookrun/internal/core/hook"
	"github.com/hookrun/hookrun/internal/core/tenex"
	"github.com/hookrun/hookrun/internal/lib/files/regular"
	"github.com/hookrun/hookrun/internal/lib/lazy"
	"github.com/hookrun/hookrun/internal/rules/shellline"
	"github.com/hookrun/hookrun/protocol"
)

// guard is a gate that is a line or a script of sh or bash: whether it blocks if a program that it asks is missing, and
// whether it sees the text of the call as it is.
type guard struct {
	isGate bool   // if false, the other fields do not count
	path   string // of the script; "": the hook's line
	at     uint   // the line of the current command in the script
	isSh   bool   // sh runs the text, whose echo may rewrite its arguments
	blocks bool   // the text has a way to block, and none to notice that a program is missing
}

// maxGuard is the size, in bytes, of the largest script that is read.
const maxGuard = 64 << 10

func isGate(h *hook.Hook) bool {
	return !h.Async && slices.ContainsFunc(h.Events, func(e protocol.Event) bool {
		return slices.Contains([]protocol.Event{protocol.PreTool, protocol.PreExecute}, h.Dialect.Common(e))
	})
}

var (
	// endsGate matches a command that ends a gate with a block, verdict all ways in which a gate blocks.
	endsGate = lazy.Regexp{Text: `\b(?:exit|return) +"?[1-9$]|\bkill\b`}
	verdict  = lazy.Regexp{Text: `\b(?:exit|return) +"?[1-9$]|\b(?:deny|block|ask)\b`}
	// notices matches tests by which a gate notices that a program has failed.
	notices = lazy.Regexp{Text: `\$\?|PIPESTATUS|\$\{\w+:?\?|(?:^|\n|in|;;)\s*(?:""|'')\)|` +
		`(?:-[zn] +\S+|!?==? *(?:""|'')) *\]{0,2}[;\s]*(?:\|\||&&|then\b)[\s{]*` +
		`(?:echo[^\n;]*[;\n]\s*)*(?:exit|return) +[1-9]`}
	// callText matches variables of clients that have a text of the call.
	callText = lazy.Regexp{Text: `TOOL_(?:INPUT|ARG|OUTPUT|RESULT)|(?:^|_)PROMPT$|^ARGUMENTS$`}
	// fromCall matches an assignment from stdin, except of a field that no model writes.
	fromCall = lazy.Regexp{Text: `(?:^|[\s;])(\w+)="?\$\((?:cat\)|(?:jq|hookrun|"?\$HOOKRUN"?)\b[^()]*` +
		`(?:\.|get +)(?:tool_input|args|command|prompt|content|tool_response|result)\b)|\bread +(?:-r +)?(\w+)`}
)

// read looks at a text as a whole: for verdicts, tests and echo.
func (g *guard) read(s *starts, file *syntax.File, text string) {
	isOwn := s.hook.Dialect == tenex.Dialect // each exit code but 0 blocks
	isVerdict := verdict.Get().MatchString(text)
	g.blocks = isVerdict && !notices.Get().MatchString(text) && !(isOwn && setE.Get().MatchString(text))
	if !isVerdict || !g.isSh {
		return
	}
	if !strings.Contains(text, "BASH") { // a text that starts itself again with bash names it
		g.readTests(s, file)
	}
	ofCall := map[string]bool{}
	for _, m := range fromCall.Get().FindAllStringSubmatch(text, -1) {
		ofCall[m[1]+m[2]] = true
	}
	isOfCall := func(w *syntax.Word) (is bool) {
		syntax.Walk(w, func(node syntax.Node) bool {
			if p, ok := node.(*syntax.ParamExp); ok && p.Param != nil && !p.Length {
				name := p.Param.Value
				is = is || ofCall[name] || callText.Get().MatchString(name) && !strings.Contains(text, name+"=")
			}
			return true
		})
		return is || strings.Contains(source(w), "$(cat)")
	}
	syntax.Walk(file, func(node syntax.Node) bool {
		n, ok := node.(*syntax.BinaryCmd)
		if !ok || n.Op != syntax.Pipe {
			return true
		}
		if echo, ok := n.X.Cmd.(*syntax.CallExpr); ok && len(echo.Args) > 1 && echo.Args[0].Lit() == "echo" {
			if i := slices.IndexFunc(echo.Args, isOfCall); i > 0 {
				g.at = echo.Pos().Line()
				const text = "%secho %s |: the echo of some sh ends at \\c and rewrites each \\ of the call, so the " +
					"gate sees another text; write printf '%%s\\n' %[2]s |"
				s.report(false, fmt.Sprintf(text, g.place(), source(echo.Args[i])))
			}
		}
		return true
	})
}

// readTests warns of the first test that some sh do not have, such as dash: the test fails there, and the gate goes on.
func (g *guard) readTests(s *starts, file *syntax.File) {
	found := false
	syntax.Walk(file, func(node syntax.Node) bool {
		test, mend := "", ""
		switch n := node.(type) {
		case *syntax.TestClause:
			test, mend = "[[ ]]", "[ ] or case, or run the text with bash"
		case *syntax.CallExpr:
			isTest := len(n.Args) > 0 && shellline.InList("[ test", n.Args[0].Lit())
			if isTest && slices.ContainsFunc(n.Args, func(w *syntax.Word) bool { return w.Lit() == "==" }) {
				test, mend = "== in "+n.Args[0].Lit(), "="
			}
		}
		if test != "" && !found {
			found, g.at = true, node.Pos().Line()
			const text = "%s%s: the sh of some systems does not have it, and the test fails there; write %s"
			s.report(false, fmt.Sprintf(text, g.place(), test, mend))
		}
		return !found
	})
}

var setE = lazy.Regexp{Text: `(?m)^\s*set +(?:-o +errexit|-\w*e)`}

// place is the position in a script.
func (g *guard) place() string {
	if g.path == "" {
		return ""
	}
	return fmt.Sprintf("%s:%d: ", g.path, g.at)
}

// guardGoesOn warns of a gate that may let calls pass if the current command is missing.
func (s *starts) guardGoesOn(fault string) bool {
	if !s.guard.blocks || s.now&decides == 0 || s.now&stops != 0 ||
		s.guard.path == "" && !s.past && s.now&maybe == 0 {
		return false
	}
	s.report(false, s.guard.place()+fault+
		", and the gate may let calls pass without it; write || exit 2 behind the command, or install it")
	return true
}

// readScript checks the script of a gate, if sh or bash runs it. shell is the shell in the hook's command; "": the #!
// line names it.
func (s *starts) readScript(w word, shell string) {
	if !s.guard.isGate || s.guard.path != "" || w.computed {
		return
	}
	text, _, err := regular.Read(s.in(s.folders[0], w.text), maxGuard)
	if err != nil {
		return
	}
	for _, word := range interpreter(text) {
		if shell == "" && !strings.HasPrefix(word, "-") && filepath.Base(word) != "env" {
			shell = filepath.Base(word)
		}
	}
	if !slices.Contains([]string{"sh", "ash", "bash", "dash"}, shell) {
		return
	}
	inner := *s
	inner.set, inner.tested, inner.marks = map[string]word{}, map[string]bool{}, map[syntax.Node]mark{}
	inner.guard.isSh, inner.guard.path = shell != "bash", strings.TrimPrefix(w.text, s.Options.Workspace+"/")
	inner.line(string(text))
}
