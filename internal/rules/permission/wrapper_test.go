package permission

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/hookrun/hookrun/internal/rules/shellline"
)

// projectLine is a call of a project's shell tool.
func projectLine(t testing.TB, line string) Call {
	t.Helper()
	c := bash(t, line)
	c.Tool, c.Kind, c.Project = "shell", Shell, true
	return c
}

// TestWrappers holds one rule against lines that run the command behind others, and lines that look like it and do not.
func TestWrappers(t *testing.T) {
	rule := Parse("shell(git push --force*)")
	for want, lines := range map[bool][]string{
		true: {
			"git push --force", "env git push --force", "env A=1 B='x y' git push --force",
			"env -i git push --force", "env - A=1 git push --force",
			"env -u HOME -C /x A=1 git push --force", "env --unset=A --chdir /x git push --force",
			"env --uns A git push --force", "env -S 'A=1 git push' --force",
			"/usr/bin/env -- git push --force", "env -- A=1 git push --force",
			"command git push --force", "command -p git push --force", "command -- git push --force",
			"builtin command git push --force",
			"exec git push --force", "exec -a x git push --force", "exec -cl git push --force",
			"nohup git push --force &",
			"nice git push --force", "nice -n 5 git push --force", "nice -n5 git push --force",
			"nice -10 git push --force", "nice --adjustment=5 git push --force",
			"time git push --force", "time -p git push --force", "time ! git push --force",
			"/usr/bin/time -f %e -o x git push --force",
			"timeout 5 git push --force", "timeout -s KILL -k 5 1m git push --force",
			"timeout --signal=KILL --preserve-status 5 git push --force", "timeout 5 -- git push --force",
			"stdbuf -oL git push --force", "stdbuf -i 0 --output=L git push --force", "setsid git push --force",
			"setsid -fw git push --force",
			"time A=1 git push --force", "time -p A+=1 git push --force", "coproc A=1 git push --force",
			"coproc git push --force", "echo | xargs git push --force", "echo | xargs -n1 git push --force",
			"xargs -0 -P 4 -I {} git push --force {}",
			"xargs --max-args=1 -r git push --force", "xargs -d '\\n' -n 1 git push --force",
			"echo --force | xargs git push", "echo push --force | xargs git",
			"xargs -I{} git push {}", "xargs -i git {}", "xargs -I % % push --force", "xargs nohup git push",
			"xargs env", "xargs timeout 5",
			"sudo -u x A=1 git push --force", "doas git push --force", "busybox env git push --force",
			"ionice -c 3 git push --force",
			"nohup env A=1 timeout 5 nice stdbuf -oL git push --force", "cd x && (timeout 5 git push --force)",
			"bash -c 'git push --force'", "bash -lc 'cd x; git push --force'", "sh -e -c -- 'git push --force' name",
			"bash -o pipefail -c 'a | git push --force'",
			"timeout 5 bash -c 'env A=1 git push --force'", "eval git push --force", "eval 'git push' --force",
			"trap 'git push --force' EXIT",
			"find . -exec git push --force ';'", "find . -name x -exec ls {} + -exec git push --force ';'",
			"find . -execdir git push {} +",
			// What runs is known only then.
			"bash -c \"$(base64 -d x)\"", "eval $x", "x=$(y); $x", "echo x | sh", "x=$(y); bash $x", "xargs sh -c",
			"xargs -I{} sh -c 'echo {}'",
			"trap $x EXIT",
			// An option that nobody knows may take a value or not.
			"timeout --odd git push --force", "nice -q git push --force", "xargs -Z 1 git push --force",
		},
		false: {
			"git push", "env", "env A=1", "env A=1 git push", "env git status --force",
			"command -v git push --force", "command -V git", "exec", "nohup", "nice -n 5",
			"time", "timeout 5", "timeout 5 ls", "timeout", "stdbuf -oL ls", "xargs", "xargs -n1",
			"ls | xargs grep x", "ls | xargs -n1 git status", "xargs -I{} grep {}",
			"xargs rm git push --force", "xargs -I{} echo git push --force {}", "echo git push --force",
			"echo env git push --force", "environment git push --force",
			"bash -s x", "bash $x", "bash x.sh", "bash -x x.sh git push --force", "sh --version",
			"bash -c 'echo git push --force'",
			"eval ls", "trap - EXIT", "trap", "trap -p", "trap -- x",
			"find . -name git", "find . -exec grep x {} +", "timeout 5 find . -exec ls ';'", "sudo -k",
			"env -u git push --force",
			"timeout --odd git status", "timeout $n git status", "nice -q git status", "xargs -Z git status",
			"make push",
		},
	} {
		for _, line := range lines {
			got, why := rule.Match(projectLine(t, line))
			require.Equal(t, want, got, "%s: %s", line, why)
		}
	}
	_, why := rule.Match(projectLine(t, "timeout 5 git push --force"))
	require.Equal(t, `matches the command "git push --force" behind timeout`, why)
	client := bash(t, "timeout 5 git push --force")
	got, _ := Parse("Bash(git push --force*)").Match(client)
	require.False(t, got, "the client's own form is as it was recorded")
}

// A rule sees each command on the way, and arguments that are not known yet.
func TestWrapperPatterns(t *testing.T) {
	for rule, lines := range map[string]map[string]bool{
		"shell(env *)": {"nohup env A=1 git push": true, "nohup git push": false},
		"shell(git *)": {"xargs git": true, "xargs gitk": false, "xargs git push": true,
			"bash -c 'git push $x'": true},
		"shell(git push)": {"xargs git": true, "xargs git push": true, "xargs git pull": false,
			"timeout 5 git push": true, "timeout 5 git push x": false},
		"shell(*--force)":  {"xargs rm": true, "timeout 5 rm --force": true, "timeout 5 rm": false},
		"shell(rm -rf /*)": {"find / -exec rm -rf {} +": true, "find / -exec ls {} +": false, "sudo rm -rf /x": true},
	} {
		for line, want := range lines {
			got, why := Parse(rule).Match(projectLine(t, line))
			require.Equal(t, want, got, "%s %s: %s", rule, line, why)
		}
	}
}

// Wrappers in each other, however many, hold nothing up. Beyond a number of them the rule matches.
func TestHostileWrappers(t *testing.T) {
	rule := Parse("shell(git push --force*)")
	begin := time.Now()
	got, _ := rule.Match(projectLine(t, strings.Repeat("nohup ", shellline.MaxWrappers-1)+"ls"))
	require.False(t, got)
	for _, line := range []string{strings.Repeat("env ", 60_000) + "ls",
		"find . " + strings.Repeat("-exec find . ", 15_000), "eval " + strings.Repeat("eval ", 50_000) + "ls"} {
		got, _ := rule.Match(projectLine(t, line))
		require.True(t, got, "%.20s", line)
	}
	require.Less(t, time.Since(begin), 20*time.Second)
}
