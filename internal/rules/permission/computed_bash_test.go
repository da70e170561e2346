package permission

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/hookrun/hookrun/internal/rules/shellline"
	"github.com/hookrun/hookrun/internal/testsupport/testall"
)

// TestWhatBashComputes has bash run lines whose words it computes. A rule for what it ran must match each line.
func TestWhatBashComputes(t *testing.T) {
	bash, err := exec.LookPath("bash")
	if err != nil {
		t.Skip("no bash")
	}
	random := rand.New(rand.NewPCG(8, 3))
	words := []string{
		"xa", "xb", "xc", "p", "q", "--f", "$E", "$P", "$XP", `"$E"`, `"$P"`, `"$XP"`, "${P}", `"${E}"`, `"$@"`, "$*",
		`"$*"`, "x?", "x*", "[pq]", "?", "{p,q}", "x{a,b}",
		"--{f,p}", `"x?"`, "'$P'", "$(echo p)", `"$(echo p)"`, "$(echo xa p)", "`echo q`", `x"$A"`, "x$A", `--"$F"`,
		"${E:-p}", `"${P:-q}"`, "${XP%p}", `"${XP#x}"`, "${#P}",
		"$((1+1))", "$HOME", "eval", "eval --", "command", "env", "A=$P", `A="$XP"`, "export A=$P", "exec", "time",
		"bash -c", "'xa p'", `"xa $P"`, "{}", "p{", "[x]", "\\*", `"$E"xa`,
	}
	between := []string{" ", " ", " ", " ", " ", " ", "; ", " && ", " | ", "\n", " >f ", ` >"$P" `, " <<<$P "}
	var lines []string
	for wanted := testall.Of(150, 3_000); len(lines) < wanted; {
		var line strings.Builder
		for range 1 + random.IntN(6) {
			line.WriteString(words[random.IntN(len(words))] + between[random.IntN(len(between))])
		}
		if got := shellline.Split(line.String()); got.Opaque.Why == "" && len(got.Commands) > 0 {
			lines = append(lines, line.String())
		}
	}
	// A value from outside of the line is no ground, so the line sets the variables.
	const settings = "set -- p q; E= P=p XP='xa p' A=a F=f; "
	const script = `
		command_not_found_handle() { # a program whose name has a blank is none of those that the rules are for
			[[ $1 == *' '* ]] || printf '%s\001\n' "${*//$'\n'/ }" >&9
			return 0
		}
		env() { while [[ $1 == *=* ]]; do shift; done; (( $# )) && "$@"; }
		while IFS= read -r -d '' line; do
			(cd "$IN"; ` + settings + `eval "$line"; wait) 9>"$OUT/$n" </dev/null >/dev/null 2>&1
			n=$((n+1))
		done`
	in, out := t.TempDir(), t.TempDir()
	for _, name := range []string{"xa", "xb", "p"} {
		require.NoError(t, os.WriteFile(filepath.Join(in, name), nil, 0o600))
	}
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, bash, "-c", script)
	cmd.Env = []string{"HOME=/h", "OUT=" + out, "IN=" + in, "n=0", "PATH=/nonexistent"}
	cmd.Stdin = strings.NewReader(strings.Join(lines, "\x00") + "\x00")
	output, err := cmd.CombinedOutput()
	require.NoError(t, err, "%s", output)
	plain := regexp.MustCompile(`^x[abc]( [a-z-]+)*$`)
	ran := 0
	for i, line := range lines {
		found, err := os.ReadFile(filepath.Join(out, fmt.Sprint(i)))
		require.NoError(t, err)
		for run := range strings.SplitSeq(string(found), "\x01\n") {
			if !plain.MatchString(run) {
				continue
			}
			ran++
			for _, rule := range []string{run, run + "*", run[:len(run)-1] + "*"} {
				matches, why := Parse("shell(" + rule + ")").Match(projectLine(t, settings+line))
				require.True(t, matches, "bash ran %q of %q, but shell(%s) %s", run, line, rule, why)
			}
		}
	}
	require.Greater(t, ran, len(lines)/6)
}
