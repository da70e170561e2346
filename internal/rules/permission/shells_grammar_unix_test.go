//go:build unix

package permission

import (
	"math/rand/v2"
	"os/exec"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hookrun/hookrun/internal/testsupport/testall"
)

// TestWhatGrammarRuns has zsh, bash and dash run lines at random from the words of their grammars: what stands alone is
// text, and what stands together may be a group, an assignment or a redirection. A rule for danger must match each line
// that ran it.
func TestWhatGrammarRuns(t *testing.T) {
	t.Parallel()
	commands := []string{
		"danger --force", "{danger --force}", "(danger --force)", "{ danger --force; }", "$(danger --force)",
		"\"$(danger --force)\"", "'danger' --force", "dan\"\"ger --force", "dan\\ger --force", "$'danger' --force",
		"$'\\x64anger' --force", "=danger --force", "${x:-danger} --force", "x=danger; $x --force",
		"x=danger; $=x --force", "f() { danger --force; }; f", "f()danger --force; f", "{danger,--force}",
		"<(danger --force)", "=(danger --force)",
	}
	words := strings.Fields(`{ } ( ) ; ; && || | & ! : true false x=1 1=x é=1 x+=y 1+=x a[1]=x $x "$x" $x[1] ${x} ~ * {a,b} 1 2
		noglob nocorrect command builtin exec eval - [[ ]] [ ] (( )) > >! >>! >| >>| &>! >& f <f <<<x 2>&1 always try x]=y
		a\\ a\ $'\n' $'\x23' ${x:-"z"} x[0]=y let x=1+2 zstyle autoload print -l *.py >=2.0 repeat coproc time {{ {true}
		if then else fi case esac in for zsh -c bash sh -e`)
	for _, shell := range []string{"zsh", "bash", "dash"} {
		t.Run(shell, func(t *testing.T) {
			t.Parallel()
			path, err := exec.LookPath(shell)
			if err != nil {
				t.Skip("no " + shell)
			}
			random := rand.New(rand.NewPCG(5, 9))
			var lines []string
			for range testall.Of(2_000, 10_000) {
				var line strings.Builder
				command := random.IntN(4)
				for i := range command + 1 + random.IntN(3) {
					word := words[random.IntN(len(words))]
					if i == command {
						word = commands[random.IntN(len(commands))]
					}
					line.WriteString(word + []string{" ", " ", " ", "\n", ""}[random.IntN(5)])
				}
				lines = append(lines, line.String())
			}
			var passed []string
			ran := runLines(t, path, lines)
			for _, line := range ran {
				if got, _ := Parse(attacked).Match(projectLine(t, line)); !got {
					passed = append(passed, line)
				}
			}
			t.Logf("%d of %d lines ran danger", len(ran), len(lines))
			require.Greater(t, len(ran), len(lines)/200)
			require.Empty(t, passed)
		})
	}
}
