package permission

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/hookrun/hookrun/internal/rules/shellline"
	"github.com/hookrun/hookrun/internal/testsupport/testall"
)

// bash returns a call of the shell tool.
func bash(t testing.TB, command string) Call {
	t.Helper()
	input, err := json.Marshal(map[string]string{"command": command, "description": "d"})
	require.NoError(t, err)
	return Call{Tool: "Bash", Input: string(input), Dir: "/ws", Home: "/home/u"}
}

func TestParse(t *testing.T) {
	for _, text := range []string{"", "Bash", "Bash()", "Bash(*)", "Bash(git *) || Bash(rm *)", " Bash(git *) ",
		"Bash(git *", "(", ")", "()", ")(", "*", "\x00"} {
		require.Equal(t, text, Parse(text).String())
	}
	require.Equal(t, Rule{}, Parse(""))
}

// TestShape holds rules against a line that is seen through and one that is not: any pattern matches that one, and what
// is no pattern still does not.
func TestShape(t *testing.T) {
	clear, opaque := bash(t, "git push"), bash(t, `git push "$X"`)
	for rule, want := range map[string][2]bool{
		"":           {true, true},
		"Bash":       {true, true},
		"Bash()":     {true, true},
		"Bash(*)":    {true, true},
		"Bash( )":    {true, true},
		"Bash( *)":   {true, true},
		"Bash(**)":   {true, true},
		"Bash(rm *)": {false, true},
		"Bash(:*)":   {false, true},
		// The first parenthesis begins the pattern and the last one ends it, whatever is between them.
		"Bash(git *) || Bash(rm *)": {false, true},
		"Bash(git *),Bash(rm *)":    {false, true},
		"Bash(git *)|Bash(rm *)":    {false, true},
		"Bash(git *))":              {false, true},
		"Bash(*)(*)":                {false, true},

		"*":               {false, false},
		" ":               {false, false},
		"git push":        {false, false},
		"bash(git *)":     {false, false},
		"BASH":            {false, false},
		" Bash(git *) ":   {false, false},
		"Bash(git push) ": {false, false},
		"Bash (git *)":    {false, false},
		"Bash(git *":      {false, false},
		"Bash(*)x":        {false, false},
		"Bash(git *):":    {false, false},
		"Bash:*":          {false, false},
		"Bash*":           {false, false},
		"Bash|Edit":       {false, false},
		"Bash,Edit":       {false, false},
		"Bash[git *]":     {false, false},
		"(git *)":         {false, false},
		"Read(*.env)":     {false, false},
		"Edit(**)":        {false, false},
		"Task(*)":         {false, false},
	} {
		for i, call := range []Call{clear, opaque} {
			got, why := Parse(rule).Match(call)
			require.Equal(t, want[i], got, "%s of %s", rule, call.Input)
			require.NotEmpty(t, why)
		}
	}
}

func TestCommandPatterns(t *testing.T) {
	for _, c := range []struct{ pattern, matches, not string }{
		{"git *", "git ¦ git push ¦ git push x ¦ git ", "gitk ¦ rm git"},
		{"git push *", "git push ¦ git push x y", "git ¦ git pushx"},
		{"git push:*", "git push ¦ git push x y", "git ¦ git pushx"},
		{"git pu:*", "git pu", "git push"},
		{"git pu*", "git push ¦ git pu x", "git p"},
		{"git * *", "git push x ¦ git push ", "git push ¦ git"},
		{"* push *", "git push x", "git push ¦ push x"},
		{"* --force", "git push --force", "--force ¦ git --force x"},
		{"*push*", "push ¦ git push x", "pus"},
		{"**", " ¦ a", ""},
		{" * ", " ¦ a b", ""},
		{"a**b*", "ab ¦ axxbxx", "a ¦ xab"},
		{"a*ab*b", "aabb ¦ aabab", "ab ¦ aab"},
		{"ab*ba", "abba", "aba"},
		{"git\t push  *", "git push ¦ git push x", "git  push"},
		{"GIT *", "GIT push", "git push"},
		{"git pus? [x]", "git pus? [x]", "git push x"},
		{`git \* x`, "git * x", `git a x ¦ git \* x`},
		{`git \*`, "git *", "git ¦ git x"},
		{`git\ push *`, `git\ push`, "git push"},
		{"a.c$", "a.c$", "abc"},
		{"git:* main", "git: main ¦ git:x main", "git x main"},
		{":*", ":x", "x"},
		{"git * main:*", "git push main ¦ git push main x", "git push mainx"},
		{"git :*", "git ¦ git x", "gitx"},
		{"git push", "git push", "git push x ¦ git"},
	} {
		for want, commands := range map[bool]string{true: c.matches, false: c.not} {
			if commands == "" {
				continue
			}
			for command := range strings.SplitSeq(commands, " ¦ ") {
				require.Equal(t, want, compile(c.pattern).match(command), "%q %q", c.pattern, command)
			}
		}
	}
}

func TestMatchLine(t *testing.T) {
	for _, c := range []struct{ rule, command, why string }{
		{"Bash(git *)", "cd x && git push", `matches the command "git push"`},
		{"Bash(git *)", "find . | xargs git push", `matches the command "git push" behind xargs`},
		{"Bash(xargs *)", "xargs git push", `matches the command "xargs git push"`},
		{"Bash(git push)", "git push {a,b}", "cannot see through the line (brace expansion), so the hook runs"},
		{"Bash(git push)", "rm $X",
			"says more than the name of a command, and an argument of the line is known only when it runs, so the " +
				"hook runs"},
		{"Bash( rm * )", "ls $X",
			"says more than the name of a command, and an argument of the line is known only when it runs, so the " +
				"hook runs"},
		{"Bash(r* *)", "ls $X",
			"says more than the name of a command, and an argument of the line is known only when it runs, so the " +
				"hook runs"},
		{"Bash(x*)", strings.Repeat("xü", 50), `matches the command "` + strings.Repeat("xü", 20) + `"…`},
	} {
		ok, why := Parse(c.rule).Match(bash(t, c.command))
		require.True(t, ok, c.command)
		require.Equal(t, c.why, why)
	}
	for _, c := range []struct{ rule, command string }{
		{"Bash(git *)", "xargs -n1 git push"},
		{"Bash(git *)", "xargs"},
		{"Bash(git *)", "xargs xargs git"},
		{"Bash(git *)", "ls $X"},
		{"Bash(git:*)", "ls $(date)"},
		{"Bash(/usr/bin/git *)", "ls $X"},
		{"Bash(command:git *)", "ls $X"},
		{"Bash(git push)", `ls "a $(date)" $HOME '$X'`},
		{"Bash(git push)", ""},
		{"Bash(**)", ""},
		{"Bash( *)", "A=1 # x"},
	} {
		ok, why := Parse(c.rule).Match(bash(t, c.command))
		require.False(t, ok, c.command)
		require.Equal(t, "matches no command of the line", why)
	}
}

func TestOtherTools(t *testing.T) {
	for _, c := range []struct {
		rule, tool, input string
		matches           bool
		why               string
	}{
		{"", "", "", true, "is empty, which matches everything"},
		{"Bash", "", "", false, "needs a tool, and this event has none"},
		{"*", "", "", false, "needs a tool, and this event has none"},
		{"Write", "Edit", "{}", false, "is for another tool"},
		{"Bash(git *)x", "Bash", "{}", false, "is no rule of the form Tool or Tool(pattern), so it matches nothing"},
		{"Task(*)", "Agent", "{}", true, "matches every call of Agent"},

		{"Edit(*)", "Edit", "", true, "matches every call of Edit"},
		{"Edit()", "Edit", "", true, "matches every call of Edit"},
		{"Edit(src/**)", "Edit", `{"file_path":"/ws/src/a.ts"}`, true, `matches the path "/ws/src/a.ts"`},
		{"Edit(src/**)", "Edit", `{"file_path":"/ws/a.ts"}`, false, `does not match the path "/ws/a.ts"`},
		{"Edit(src/**)", "Write", `{"file_path":"/ws/src/a.ts"}`, false, "is for another tool"},
		{"Write(src/**)", "Write", `{"content":"x","file_path":"src/a.ts"}`, true, `matches the path "src/a.ts"`},
		{"Read(~/**)", "Read", `{"file_path":"/home/u/x"}`, true, `matches the path "/home/u/x"`},
		{"MultiEdit(src/**)", "MultiEdit", `{"file_path":"/ws/x"}`, false, `does not match the path "/ws/x"`},
		{"NotebookEdit(*.ipynb)", "NotebookEdit", `{"file_path":"/x","notebook_path":"/ws/a.ipynb"}`, true,
			`matches the path "/ws/a.ipynb"`},
		{"NotebookRead(*.ipynb)", "NotebookRead", `{"file_path":"a.ipynb","notebook_path":"/ws/a"}`, false,
			`does not match the path "/ws/a"`},
		{"Grep(src/**)", "Grep", `{"pattern":"x","path":"src/a"}`, true, `matches the path "src/a"`},
		{"Glob(//ws/**)", "Glob", `{"pattern":"x"}`, false, `does not match the path "/ws"`},
		{"LS(//ws)", "LS", `{"path":null}`, true, `matches the path "/ws"`},
		{"LS(//ws)", "LS", `{"path":""}`, true, `matches the path "/ws"`},
		{"LS(src)", "LS", `{"path":5}`, true,
			"cannot be decided without a readable path in the input, so the hook runs"},
		{"Edit(src/**)", "Edit", `{}`, true,
			"cannot be decided without a readable file_path in the input, so the hook runs"},
		{"Bash(rm)", "Bash", `{"command":["git"]}`, true,
			"cannot be decided without a readable command in the input, so the hook runs"},
		{"Bash(rm)", "Bash", ``, true, "cannot be decided without a readable command in the input, so the hook runs"},
		{"Bash(rm)", "Bash", `{"command":"`, true,
			"cannot be decided without a readable command in the input, so the hook runs"},
		{"Bash(rm)", "Bash", `{"command":"git`, true,
			"cannot be decided without a readable command in the input, so the hook runs"},
		{"Bash(rm)", "Bash", `{"command":"\u12"}`, true,
			"cannot be decided without a readable command in the input, so the hook runs"},
		{"Bash(rm)", "Bash", `{"command":"git \ud83d; rm"}`, true, `matches the command "rm"`},
		{"Bash(rm)", "Bash", `{"comm\u0061nd":"rm"}`, true, `matches the command "rm"`},

		{"mcp__x__y", "mcp__x__y", "{}", true, "matches every call of mcp__x__y"},
		{"mcp__x__y()", "mcp__x__y", "{}", true, "matches every call of mcp__x__y"},
		{"mcp__x__y(**)", "mcp__x__y", `{"command":"a"}`, false,
			"has a pattern, and no pattern but * matches a tool of an MCP server"},
		{"mcp__x__*", "mcp__x__y", "{}", false, "is no rule of the form Tool or Tool(pattern), so it matches nothing"},
		{"mcp__x", "mcp__x__y", "{}", false, "is for another tool"},

		{"WebFetch", "WebFetch", "{}", true, "matches every call of WebFetch"},
		{"WebFetch(domain:a.com)", "WebFetch", `{"url":"https://A.com:80/x?y#z"}`, true, `matches the host "a.com"`},
		{"WebFetch(domain: A.com. )", "WebFetch", `{"url":" https://u:p@x.a.com. "}`, true,
			`matches the host "x.a.com"`},
		{"WebFetch(domain:a.com)", "WebFetch", `{"url":"https://ba.com/a.com"}`, false,
			`does not match the host "ba.com"`},
		{"WebFetch(domain:x.a.com)", "WebFetch", `{"url":"https://a.com"}`, false, `does not match the host "a.com"`},
		{"WebFetch(domain:a.com)", "WebFetch", `{"url":"a.com"}`, true,
			"cannot tell the host of the address, so the hook runs"},
		{"WebFetch(domain:a.com)", "WebFetch", `{"url":"https://a.com\\@b.com"}`, true,
			"cannot tell the host of the address, so the hook runs"},
		{"WebFetch(domain:a.com)", "WebFetch", `{"url":"https://ａ.com"}`, true,
			"cannot tell the host of the address, so the hook runs"},
		{"WebFetch(domain:a.com)", "WebFetch", `{}`, true,
			"cannot be decided without a readable url in the input, so the hook runs"},
		{"WebFetch(domain:*.a.com)", "WebFetch", `{"url":"https://b.com"}`, true,
			"names a domain that is not understood, so the hook runs"},
		{"WebFetch(domain:)", "WebFetch", `{"url":"https://b.com"}`, true,
			"names a domain that is not understood, so the hook runs"},
		{"WebFetch(a.com)", "WebFetch", `{"url":"https://b.com"}`, true,
			"has a pattern that is not understood for WebFetch, so the hook runs"},

		{"shell(git *)", "shell", `{"command":"a; git push"}`, true, `matches the command "git push"`},
		{"shell(git *)", "shell", `{"command":"a"}`, false, "matches no command of the line"},
		{"shell(git *)", "shell", `{"command":["git"]}`, true, `matches the command "git"`},
		{"Skill(x)", "Skill", `{"skill":"y"}`, true,
			"has a pattern that is not understood for Skill, so the hook runs"},
	} {
		got, why := Parse(c.rule).Match(Call{Tool: c.tool, Input: c.input, Dir: "/ws", Home: "/home/u"})
		require.Equal(t, c.why, why, "%s %s %s", c.rule, c.tool, c.input)
		require.Equal(t, c.matches, got)
	}
}

// patterns are meant to take long.
func patterns() []string {
	const size = 64 << 10
	long := []string{"git push *", "*push*", "x"}
	for _, s := range []string{"*", "a*", "*a*b", "a", "* ", " ", `\*`, `\`, ":*"} {
		long = append(long, strings.Repeat(s, size/len(s)), "*"+strings.Repeat(s, size/len(s))+"b*",
			strings.Repeat("a", size-1)+"*"+s)
	}
	return long
}

// TestTime allows sixty times what is wanted, by the clock of the processor: machines that run tests are busy.
func TestTime(t *testing.T) {
	testall.Only(t, "it measures what is meant to take long")
	var worst time.Duration
	var slowest string
	measure := func(name string, rule Rule, call Call) {
		start := worked()
		rule.Match(call)
		if took := worked() - start; took > worst {
			worst, slowest = took, name
		}
	}
	lines := hard()
	for name, line := range lines {
		measure(name, Parse("Bash(*git push *)"), bash(t, line))
	}
	t.Logf("lines: %v %q", worst, slowest)
	long := patterns()
	for _, name := range []string{"a", "a;", "quoted a", "quoted a;", "quoted :", "quoted a "} {
		line, ok := lines[name+fmt.Sprint(" ", shellline.MaxLine)]
		require.True(t, ok, name)
		call := bash(t, line[:min(len(line), 2*shellline.MaxCommands-2)])
		if strings.HasPrefix(name, "quoted") {
			call = bash(t, line)
		}
		for _, pattern := range long {
			measure(fmt.Sprintf("%.10s of %s", pattern, name), Parse("Bash("+pattern+")"), call)
		}
	}
	t.Logf("with long patterns: %v %q", worst, slowest)
	require.Less(t, worst, slowdown*3*time.Second, slowest)
}

func FuzzMatch(f *testing.F) {
	for _, c := range recorded(f, "if-*.jsonl") {
		for i, pattern := range c.Matrix.Patterns {
			if i%7 == 0 {
				var input struct{ Command string }
				require.NoError(f, json.Unmarshal(c.Stdin.ToolInput, &input))
				f.Add(pattern, input.Command, string(c.Stdin.ToolInput), uint64(i))
			}
		}
	}
	for _, line := range []string{"a <<'E'\nb\nE\nc", `a "$(b "c")" d`, "if a; then b; else c; fi",
		"for i in a; do b; done", "a `b` && (c; d) >f", "cat <<", "a {b}>c", "$((1"} {
		f.Add("Bash(a*b)", line, `{"command":`, uint64(len(line)))
	}
	f.Fuzz(func(t *testing.T, text, line, input string, seed uint64) {
		start := time.Now()
		rule := Parse(text)
		require.Equal(t, text, rule.String())
		for _, tool := range []string{"", "Bash", "Edit", "Grep", "WebFetch", "shell", rule.tool} {
			matches, why := rule.Match(Call{Tool: tool, Input: input, Dir: "/ws", Home: "/home/u"})
			require.NotEmpty(t, why)
			require.False(t, tool == "" && text != "" && matches)
		}
		for _, text := range []string{"", "Bash", "Bash(*)", "Bash()"} {
			matches, _ := Parse(text).Match(bash(t, line))
			require.True(t, matches)
		}
		compile(text).match(line)
		require.Less(t, time.Since(start), 30*time.Second)

		// A known command is found among random ones.
		random := rand.New(rand.NewPCG(seed, 0))
		words := []string{"a", "git", "x=1", "'b c'", "-f", "if", "$X", `"$(d)"`, "`e`", "{g,h}", ">f", "h.i", `"j k"`,
			"done", "[", "!"}
		var joined strings.Builder
		place := random.IntN(5)
		for i := range 5 {
			if i == place {
				joined.WriteString("git push")
			} else {
				for range 1 + random.IntN(3) {
					joined.WriteString(words[random.IntN(len(words))] + " ")
				}
			}
			joined.WriteString([]string{" && ", ";", " | ", "\n", "||", "&"}[random.IntN(6)])
		}
		joined.WriteString("true")
		matches, why := Parse("Bash(git push)").Match(bash(t, joined.String()))
		require.True(t, matches, "%s: %s", joined.String(), why)
		matches, why = Parse("Bash(git push)").Match(bash(t, line+"\ngit push"))
		// A comment or an escape may take it in, and it may be the word that ends a here-document.
		hidden := strings.ContainsAny(line, "#\\") || strings.Contains(line, "<<")
		require.True(t, matches || hidden, "%s: %s", line, why)
	})
}

func BenchmarkMatch(b *testing.B) {
	call, rule := bash(b, longLine()), Parse("Bash(git push *)")
	matches, why := rule.Match(call)
	require.False(b, matches, why)
	b.SetBytes(int64(len(call.Input)))
	for b.Loop() {
		rule.Match(call)
	}
}

// Without a home directory nobody can tell what ~ is.
func TestNoHome(t *testing.T) {
	for _, home := range []string{"", "home/u"} {
		for file, rules := range map[string]map[string]bool{
			"/home/u/.ssh/config": {"Write(~/.ssh/**)": true, "Write(src/**)": false, "Write(**/.ssh/**)": true},
			" ~/.ssh/config":      {"Write(//home/u/.ssh/**)": true, "Write(~/x)": true},
			"src/~x":              {"Write(lib/**)": false, "Write(~/x)": true},
		} {
			for rule, want := range rules {
				got, _ := Parse(rule).Match(Call{Tool: "Write", Input: `{"file_path":"` + file + `"}`, Dir: "/ws",
					Home: home})
				require.Equal(t, want, got, "%s of %s", rule, file)
			}
		}
	}
}
