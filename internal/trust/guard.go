package trust

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

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
	at     int    // the line of the current command in the script
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
func (g *guard) read(s *starts, line *shellline.Line, steps []step, text string) {
	isOwn := s.hook.Dialect == tenex.Dialect // each exit code but 0 blocks
	isVerdict := verdict.Get().MatchString(text)
	g.blocks = isVerdict && !notices.Get().MatchString(text) && !(isOwn && setE.Get().MatchString(text))
	if !isVerdict || !g.isSh {
		return
	}
	if !strings.Contains(text, "BASH") { // a text that starts itself again with bash names it
		g.readTests(s, steps, text)
	}
	ofCall := map[string]bool{}
	for _, m := range fromCall.Get().FindAllStringSubmatch(text, -1) {
		ofCall[m[1]+m[2]] = true
	}
	isOfCall := func(name string) bool {
		return ofCall[name] || callText.Get().MatchString(name) && !strings.Contains(text, name+"=")
	}
	starts := map[int]bool{} // of pipes
	for _, b := range line.Blocks {
		starts[b.At] = starts[b.At] || b.Kind == shellline.Pipe
	}
	for _, step := range steps {
		words, _ := wordsOf(step.command)
		if !starts[step.at] || len(words) < 2 || words[0].Source != "echo" {
			continue
		}
		i := slices.IndexFunc(words, func(w word) bool {
			return strings.Contains(w.Source, "$(cat)") || slices.ContainsFunc(variablesIn(w), isOfCall)
		})
		if i > 0 {
			g.at = lineAt(text, step.at)
			const text = "%secho %s |: the echo of some sh ends at \\c and rewrites each \\ of the call, so the " +
				"hook sees another text; write printf '%%s\\n' %[2]s |"
			s.report(false, fmt.Sprintf(text, g.place(), words[i].Source))
		}
	}
}

// variablesIn returns the names of the variables in a word.
func variablesIn(w word) (names []string) {
	for _, p := range shellline.Parts(w.Source) {
		switch p.Kind {
		case shellline.Variable:
			names = append(names, p.Text)
		case shellline.Literal:
			continue
		}
		for _, m := range variableName.Get().FindAllStringSubmatch(p.Source, -1) {
			names = append(names, m[1])
		}
	}
	return names
}

var variableName = lazy.Regexp{Text: `\$\{?(\w+)`}

// readTests warns of the first test that some sh do not have, such as dash: the test fails there, and the gate goes on.
func (g *guard) readTests(s *starts, steps []step, text string) {
	for _, step := range steps {
		test, mend := "", ""
		switch words, _ := wordsOf(step.command); {
		case len(words) == 0:
		case words[0].Text == "[[":
			test, mend = "[[ ]]", "[ ] or case, or run the text with bash"
		case shellline.InList("[ test", words[0].Source) &&
			slices.ContainsFunc(words, func(w word) bool { return w.Source == "==" }):
			test, mend = "== in "+words[0].Source, "="
		}
		if test != "" {
			g.at = lineAt(text, step.at)
			const text = "%s%s: the sh of some systems does not have it, and the test fails there; write %s"
			s.report(false, fmt.Sprintf(text, g.place(), test, mend))
			return
		}
	}
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
		", and the hook may let calls pass without it; write || exit 2 behind the command, or install it")
	return true
}

// readScript checks the script of a gate, if sh or bash runs it. shell is the shell in the hook's command; "": the #!
// line names it.
func (s *starts) readScript(w word, shell string) {
	if !s.guard.isGate || s.guard.path != "" || w.Computed {
		return
	}
	text, _, err := regular.Read(s.in(s.folders[0], w.Text), maxGuard)
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
	inner.set, inner.tested = map[string]word{}, map[string]bool{}
	inner.guard.isSh, inner.guard.path = shell != "bash", strings.TrimPrefix(w.Text, s.Options.Workspace+"/")
	inner.line(string(text))
}
