package permission

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/hookrun/hookrun/internal/rules/shellline"
	"github.com/hookrun/hookrun/internal/testsupport/testall"
)

// texts are the commands of a line.
func texts(line shellline.Line) (all []string) {
	for _, c := range line.Commands {
		if !c.ProjectOnly {
			all = append(all, c.Text)
		}
	}
	return all
}

func TestSplit(t *testing.T) {
	for _, c := range []struct {
		line     string
		commands string // joined by " ¦ "
		unknown  bool
	}{
		{line: "", commands: ""},
		{line: " \t\n\n", commands: ""},
		{line: "git push", commands: "git push"},
		{line: "  git \t push  ", commands: "git push"},

		// Operators.
		{line: "a && b", commands: "a ¦ b"},
		{line: "a||b|c|&d;e&f\ng", commands: "a ¦ b ¦ c ¦ d ¦ e ¦ f ¦ g"},
		{line: "a &&\n\n b |\n c || # why\n d", commands: "a ¦ b ¦ c ¦ d"},
		{line: "\n\na;\n\nb &\n", commands: "a ¦ b"},
		{line: "git push | tee 'a b'", commands: "git push ¦ tee a b"},

		// Compound commands.
		{line: "(git push)", commands: "git push"},
		{line: "( cd x && git push; ) | cat", commands: "cd x ¦ git push ¦ cat"},
		{line: "(a); (b)", commands: "a ¦ b"},
		{line: "if a; then b; elif c; then d; else e; fi && f", commands: "a ¦ b ¦ c ¦ d ¦ e ¦ f"},
		{line: "if ! a\nthen b\nelse if c; then d; fi\nfi", commands: "a ¦ b ¦ c ¦ d"},
		{line: "while a; do b; done", commands: "a ¦ b"},
		{line: "until git push; do :; done | cat", commands: "git push ¦ : ¦ cat"},
		{line: "for i in 1 'a b' *.txt; do git push; done", commands: "git push"},
		{line: "for i in 1\ndo\nwhile a; do b; done\ndone", commands: "a ¦ b"},
		{line: "! git push | cat", commands: "git push ¦ cat"},
		{line: "! (git push)", commands: "git push"},
		{line: "[[ -f x && ! -d 'a b' ]] && git push", commands: "[[ -f x && ! -d a b ]] ¦ git push"},
		{line: "if [ -f x ]; then git push; fi", commands: "[ -f x ] ¦ git push"},

		// Words that only look reserved, or are commands like any other.
		{line: "echo if then { [[ ! done", commands: "echo if then { [[ ! done"},
		{line: `"if" a; i\f b`, commands: "if a ¦ if b"},
		{line: "coproc git push", commands: "coproc git push"},
		{line: "time -p git push", commands: "time -p git push"},
		{line: "sudo git push; env A=1 git push; nohup git push",
			commands: "sudo git push ¦ env A=1 git push ¦ nohup git push"},
		{line: "bash -c 'git push && b'", commands: "bash -c git push && b"},
		{line: "!git push", commands: "!git push"},

		// Assignments.
		{line: "FOO=bar git push", commands: "git push"},
		{line: `A= B="x y" C+='z' git push`, commands: "git push"},
		{line: "FOO=bar", commands: ""},
		{line: "FOO=bar; BAR=baz; git push", commands: "git push"},
		{line: "FOO=$(git push) true", commands: "git push ¦ true"},
		{line: `FOO="$(git push)"`, commands: "git push"},
		{line: "FOO=`git push` && x", commands: "git push ¦ x"},
		{line: `FOO="a $(git push)" x`, commands: "git push ¦ x"},
		{line: "git FOO=bar", commands: "git FOO=bar"},
		{line: "declare X=1", commands: "declare X=1"},
		{line: "export A=$(git push) B", commands: "git push ¦ export A=$() B"},

		// Redirections.
		{line: "git push 2>/dev/null", commands: "git push"},
		{line: "git push >x 2>&1 </dev/null", commands: "git push"},
		{line: "git push &>x; git pull &>> 'x y'; a >| b; c<&3", commands: "git push ¦ git pull ¦ a ¦ c"},
		{line: ">x git push", commands: "git push"},
		{line: "git >x push", commands: "git push"},
		{line: "git push 2 >x", commands: "git push 2"},
		{line: "git push <<< 'x'", commands: "git push"},

		// Here-documents.
		{line: "cat <<'EOF'\ngit push\nEOF", commands: "cat"},
		{line: "cat >x <<\"EOF\" \n$X `a` ' \" \\\n EOF\nEOF\ngit push", commands: "cat ¦ git push"},
		{line: "cat <<\\EOF\nx\nEOF\n", commands: "cat"},
		{line: "cat <<-'EOF'\nx\n\t\tEOF\ny", commands: "cat ¦ y"},
		{line: "if cat <<'E'\nthen\nE\nthen x; fi", commands: "cat ¦ x"},
		{line: "git commit -m \"$(cat <<'EOF'\nIt's \"so\" `x` )\nEOF\n)\"", commands: "cat ¦ git commit -m $()",
			unknown: true},

		// Quotes, escapes, comments, line continuations.
		{line: `"git" push; g\it push; git 'push'; gi't' push; g"i"t pu''sh`,
			commands: "git push ¦ git push ¦ git push ¦ git push ¦ git push"},
		{line: `echo 'a  b' "c \" \$x \\ \q"`, commands: `echo a  b c " $x \ \q`},
		{line: "echo 'a\nb' \"c\nd\"", commands: "echo a\nb c\nd"},
		{line: `echo "" b ''`, commands: "echo  b "},
		{line: `echo "5$" "a $ b" "$"`, commands: "echo 5$ a $ b $"},
		{line: "git push # comment && rm x", commands: "git push"},
		{line: "# git push", commands: ""},
		{line: "# it's\ngit push#x", commands: "git push#x"},
		{line: "git \\\n  push \\\n", commands: "git push"},
		{line: `echo a\;git push`, commands: "echo a;git push"},
		{line: `echo "\$(git push)" '$(git push)'`, commands: "echo $(git push) $(git push)"},
		{line: `find . -exec rm {} \;`, commands: "find . -exec rm {} ;"},
		{line: "git show stash@{0}", commands: "git show stash@{0}"},
		{line: "ls ~/x *.txt ?.c [ab] é", commands: "ls ~/x *.txt ?.c [ab] é"},

		// Expansions.
		{line: "echo $HOME", commands: "echo $HOME"},
		{line: `ls "$HOME" $HOME/x "$HOME/a b"`, commands: "ls $HOME $HOME/x $HOME/a b"},
		{line: "rm $FOO", commands: "rm $FOO", unknown: true},
		{line: "FOO=1 rm $FOO", commands: "rm $FOO", unknown: true},
		{line: "rm ${FOO}", commands: "rm ${FOO}", unknown: true},
		{line: "rm $HOMES", commands: "rm $HOMES", unknown: true},
		{line: "echo $? a", commands: "echo $? a", unknown: true},
		{line: "echo $1; echo $$; echo $@; echo $#; echo $!",
			commands: "echo $1 ¦ echo $$ ¦ echo $@ ¦ echo $# ¦ echo $!", unknown: true},
		{line: "echo $(git push)", commands: "git push ¦ echo $()", unknown: true},
		{line: "echo `git push`", commands: "git push ¦ echo ``", unknown: true},
		{line: `echo "$(git push)"`, commands: "git push ¦ echo $()", unknown: true},
		{line: "echo \"`a`$(b)\"", commands: "a ¦ b ¦ echo ``$()", unknown: true},
		{line: `echo "a $(git push) b"`, commands: "git push ¦ echo a $() b"},
		{line: "echo \"a `git push`\"", commands: "git push ¦ echo a ``"},
		{line: "echo $(echo $(rm x); git push)", commands: "rm x ¦ echo $() ¦ git push ¦ echo $()", unknown: true},
		{line: `echo "a $(echo "b $(rm 'x)')")"`, commands: "rm x) ¦ echo b $() ¦ echo a $()"},
		{line: "echo $((1+2)) \"$(( (3) * 4 ))\"", commands: "echo $((1+2)) $(( (3) * 4 ))"},
		{line: `echo '$FOO' \$FOO "\$FOO"`, commands: "echo $FOO $FOO $FOO"},
	} {
		line := shellline.Split(c.line)
		require.Empty(t, line.ClientOpaque, c.line)
		require.Equal(t, c.commands, strings.Join(texts(line), " ¦ "), c.line)
		require.Equal(t, c.unknown, line.Unknown, c.line)
	}
}

// TestLet: the client was recorded to match no rule against let. A project's rule sees it as a command.
func TestLet(t *testing.T) {
	for line, want := range map[string]struct{ client, project, name bool }{ // for git *, git * and let *
		"let x=1":              {false, false, true},
		"let x=1 y=2":          {false, false, true},
		"let x=1; git push":    {true, true, true},
		"let i++":              {false, false, true},
		"let x=y":              {false, false, true},
		"let 'a[$(git push)]'": {true, true, true},
		`let "x=1"`:            {true, false, true},
		"let x=$y":             {true, false, true},
		"let x=1 > f":          {true, false, true},
		"x=git; let x=1; ls":   {false, false, true},
	} {
		got, why := Parse("Bash(git *)").Match(bash(t, line))
		require.Equal(t, want.client, got, "%s: %s", line, why)
		got, _ = Parse("Bash(let x*)").Match(bash(t, line))
		require.Equal(t, want.client && line != "let x=1; git push", got, line)
		got, why = Parse("shell(git *)").Match(projectLine(t, line))
		require.Equal(t, want.project, got, "%s: %s", line, why)
		got, _ = Parse("shell(let *)").Match(projectLine(t, line))
		require.Equal(t, want.name, got, line)
	}
}

func TestOpaque(t *testing.T) {
	for _, line := range []string{
		// Recorded.
		`echo "$VAR"`, `echo "a $VAR b"`, `echo "${FOO}"`, "echo ${FOO:-x}", "git${IFS}push",
		`test -n "$X" && git push`,
		"$CMD push", "$(echo git) push", "`echo git` push", `"$(echo git)" push`, "X=$FOO git push", "X=$FOO",
		`X="$FOO" x`,
		"git push {a,b}", "git push {1..3}", "{ git push; }", "f() { git push; }; f", "function f { a; }",
		"case x in x) git push;; esac", "(( x = 1 ))",
		"echo a > >(git push)", "cat <(git push)", "cat <<EOF\ngit push\nEOF", "cat <<-EOF\n\tEOF",
		"while read l; do git push; done < nosuch",
		"for i in 1 2; do rm nosuch$i; done", "for i in 1; do rm $i; done; rm $i", "X=1; rm $X", "export X=1 && rm $X",
		"read -r X; rm $X", "HOME=/x; rm $HOME", "((git push))", "( (git push) )", "(a; (b))", "echo $'git push'",
		"echo a$'b'",
		"; git push", "&& git push", "| a", "& a", "git push 'x", `git push "x`, "A=1 B=2", "A[0]=1 git push",
		"cat <<'EOF' | git push\nx\nEOF",
		"git push (x)", `echo \$(git push)`,
		// The same in other places.
		"git push &&", "git push |", "a;;b", "a ; ; b", "a & ; b", "a | | b", "a && || b", "a )", "(a", "()", "$(",
		"echo $(a", "echo `a", `echo "$(a"`, "echo `a \\`b\\``",
		"if a; then b", "if a; b; fi", "if; then b; fi", "while a; b; done", "do a; done", "then", "fi", "}",
		"if a; then b; fi c", "for i in a b do c; done", "for i; do a; done", "for ((;;)); do a; done",
		"select i in a; do b; done",
		"! ! a", "!", "(a) > f", "(a) &> f", "if a; then b; fi 2>&1", "[[ a ]] > f", "[[ -n $X ]]", "[[ a",
		"[[ a =~ b ]]", "[[ ( a ) ]]", "[[ a < b ]]", "[ $X = a ]", "[ a && b ]",
		"cat <<'EOF' > f\nx\nEOF", "cat <<'EOF'; a\nx\nEOF", "cat <<'EOF'\nx\n EOF", "cat <<'EOF'", "cat <<",
		"cat <<'", "cat <<\\", "cat <<''\n\n", "cat <<'E'OF\nEOF\n", "cat <<\"$X\"\n$X\n",
		"A=(1 2)", "A=1 >f", "> f", "a >", "a > ;", "a <> f", "git >&-push", "a <&-b", "a # \\\ngit push",
		"]=a[ git push", "+=a[ git push", "coproc 2>&1 git push", "time (a)", "else", "a >&'$(b)'",
		"a >&'`b`'", "a >&\\<\\(b)", "a > $X", `a > "$(b)"`, "a > {b,c}", "a {fd}>b", "a <<< $X", "a <<< \"$(b)\"",
		"x=(a)", "declare A=(1)", "export $X", "export A=$B", "unset $X", "export A[0]=1",
		"a$(b)", "a$B", "$A$B arg", "a $A$B", "a $(b)$(c)", `a --x="$(b)"`, "a $10", "a ${10}", "a ${#B}", "a ${!B}",
		"a ${B", "a $", "a b$", "a $[1]", `a $"b"`, `a "$1"`, `a "$?"`, `a "$[1]"`, "A=a$(b)", "$HOME/bin/x",
		"a $((X+1))", "a $((1)", "a $(((1))", "$((1))", "{a,b}", "a{", "a {b'c'}", `a {b\ c}`, "a b\\ c", "a\\\nb",
		"a \"b\\\nc\"", "a\\", "for HOME in a; do b $HOME; done",
		"a\r\nb", "a \x00", "a\u00a0b", "a\u2028b", "a \x1b[0m", "a ~[b]", "=git push", "echo a(b)", "a(b", "@(a|b)",
		"time { a; }", "coproc { a; }",
		strings.Repeat("$(", 1000), strings.Repeat("if a; then ", 1000), strings.Repeat("a;", 20_000),
		strings.Repeat("a", 1<<20),
	} {
		got := shellline.Split(line)
		require.NotEmpty(t, got.ClientOpaque, "%.80q is %.80q", line, texts(got))
	}
}

// TestWhatBashRuns has bash run lines whose commands it does not find, and holds what it looked for against the
// commands that a line was taken apart into: there must be no other.
func TestWhatBashRuns(t *testing.T) {
	bash, err := exec.LookPath("bash")
	if err != nil {
		t.Skip("no bash")
	}
	random := rand.New(rand.NewPCG(4, 7))
	pick := func(from []string) string { return from[random.IntN(len(from))] }
	tokens := []string{
		"xa", "xb", "xc", " ", " ", " ", " ", ";", "&", "&&", "||", "|", "|&", "\n", "(", ")", "((", "[[", "]]", "[",
		"]", "!", "{", "}", "{p,q}", "{}",
		"if ", "; then ", "; else ", "; fi", "for i in p q", "; do ", "; done", "case p in p) ", ";; esac", "'", `"`,
		"\\", "\\\n", "\\;", "\\'", `\"`, "$(", "`", "$'", "$((1+2))",
		"# c", "#", ">f ", "2>&1", ">&2", "&>f ", "<f ", "<<<p ", " <<'E'\nxh '\nE\n", "<<\\E\n$(xh)\nE\n",
		"<<E\nxh\nE\n", "A=1", "A+=p", "$HOME ", "$HOME/", "$V ", "${V}", "=", "*", "export A=", "declare A=p ",
		"unset A ", "time ", "xargs ", "\t", "]=", "A[0]=1 ", "=p", "f()", "function f ", "'p q'", `"p $(xb) q"`,
		`"$(xb)"`, "$(xb)", "`xc`",
		"let i++ ", "time -p ", "! ", "read A ", "else ", "elif ", "in ", "<(xa)", "@(xa|p)", "$[1]", "${#A}",
		"${A:-p}", "$1", "-a ", "=~ ", "== ", "[[ -a p ]]", "[ -f p ]", "é", "\\x", ">|f", "<>f", "{fd}>f", "<&3",
		">&-", "&>>f ", "%",
		"+", "3", "<<-'E'\n\tq\\\n\tE\n", "# c \\\n", "'q\\\n'", "]]", ") ", "] ",
	}
	simple := []string{"xa", "xb p", `xc "p  q" 'r;s'`, "A=1 xa", "xa>f", "xb $(xc p)", "xa `xb`", `xc "p $(xa) q"`,
		"! xa", "(xa; xb)", "[[ -f p ]]", "if xa; then xb; else xc; fi", "for i in p q; do xa; done",
		"xa <<'E'\nxh\nE\n", "x\\a \\\n p", "while xa; do xb p; done", "(xa p) | xb",
		"time xa p", "coproc xb p", "export A=p B", "export A=$(xa)", "read A", "[ a = b ]", "xa # c\n", "xb \\\n p",
		"xc <<\\E # c\nxh\nE\n"}
	var lines []string
	for wanted := testall.Of(150, 4_000); len(lines) < wanted; {
		var line strings.Builder
		for range 1 + random.IntN(12) {
			if random.IntN(4) == 0 {
				line.WriteString(pick(simple))
			}
			line.WriteString(pick(tokens))
		}
		if got := shellline.Split(line.String()); got.ClientOpaque == "" && len(got.Commands) > 0 {
			lines = append(lines, line.String())
		}
	}

	// It answers at random, so that both sides of && are tried; xa and its like say nothing, so a substitution is
	// empty.
	const script = `
		set -f
		command_not_found_handle() { printf '%s\001\n' "${1//$'\n'/ }"$'\002'"${*//$'\n'/ }" >&9; return $((RANDOM % 2)); }
		while IFS= read -r -d '' line; do
			(eval "$line"; wait) 9>"$OUT/$n" </dev/null >/dev/null 2>&1
			n=$((n+1))
		done`
	dir, out := t.TempDir(), t.TempDir()
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, bash, "-c", script)
	cmd.Dir = dir
	cmd.Env = []string{"HOME=$HOME", "OUT=" + out, "n=0", "PATH=/nonexistent"}
	cmd.Stdin = strings.NewReader(strings.Join(lines, "\x00") + "\x00")
	output, err := cmd.CombinedOutput()
	require.NoError(t, err, "%s", output)

	// The words of a command, without those that are empty or whose expansion is not known.
	words := strings.NewReplacer("~", "$HOME", "$1", "", "$()", "", "``", "", "$V", "", "${V}", "", "$((1+2))",
		"3").Replace
	ran := 0
	for i, line := range lines {
		found, err := os.ReadFile(filepath.Join(out, fmt.Sprint(i)))
		require.NoError(t, err)
		var ours []string
		for _, command := range texts(shellline.Split(line)) {
			ours = append(ours, strings.Join(strings.Fields(words(command)), " "))
		}
		for _, command := range bytes.SplitAfter(found, []byte("\x01\n")) {
			if len(command) == 0 {
				continue
			}
			name, all, _ := strings.Cut(string(bytes.TrimSuffix(command, []byte("\x01\n"))), "\x02")
			run := strings.Join(strings.Fields(words(all)), " ")
			if run == "" { // time with an expansion for a command, which is an argument of time here
				continue
			}
			ran++
			behind := slices.ContainsFunc(ours, func(s string) bool {
				return (strings.HasPrefix(s, "time ") || strings.HasPrefix(s, "coproc ")) && strings.HasSuffix(s, run)
			})
			require.True(t, behind || slices.Contains(ours, run), "bash ran %q\nof %q\ntaken for %q", run, line, ours)
			if strings.Trim(name, "xabc") != "" { // with a blank of its own, or an expansion
				continue
			}
			matches, why := Parse("shell(" + name + " *)").Match(projectLine(t, line))
			require.True(t, matches, "bash ran %q\nof %q, but a rule %s", run, line, why)
		}
	}
	require.Greater(t, ran, len(lines)/2)
}

// longLine is about 10 KB of what a client's model writes.
func longLine() string {
	return strings.Repeat(`cd "src" && FOO=bar git log --oneline 'a b' 2>/dev/null | head -n 5; echo "x $(date) y" # why
if [ -f go.mod ]; then go test ./... ; fi
`, 72)
}

// hard are lines that are meant to take long.
func hard() map[string]string {
	const size = 1 << 20
	fill := func(s string) string { return strings.Repeat(s, (size-1)/len(s)+1)[:size] }
	lines := map[string]string{}
	for _, s := range []string{"a", "a ", "a;", "a\n", "a=1\n", "'a'", `"a"`, "\\a", "$(", "a $(a) ", "`", "`a` ", "(",
		"((", "{", ":", "a{b}", "if ", "1", "1 ", ">", "a >b ", "#", "# \n", "\\\n", "$((", "for i in a; do a; done;",
		"for i in a; do a $x; done;", "xargs ", "a <<'E'\nE\n", "<<'E'\n", "é", "[[ a ]];", `"$(a)" `, "=", "a=",
		"a=a "} {
		for _, n := range []int{shellline.MaxLine, size} {
			lines[fmt.Sprintf("%s %d", s, n)] = fill(s)[:n]
			lines[fmt.Sprintf("a %s %d", s, n)] = ("a " + fill(s))[:n]
			lines[fmt.Sprintf("quoted %s %d", s, n)] = "a '" + strings.ReplaceAll(fill(s)[:n-4], "'", "x") + "'"
		}
	}
	return lines
}

func BenchmarkSplit(b *testing.B) {
	line := longLine()
	require.Empty(b, shellline.Split(line).ClientOpaque)
	b.SetBytes(int64(len(line)))
	for b.Loop() {
		shellline.Split(line)
	}
}
