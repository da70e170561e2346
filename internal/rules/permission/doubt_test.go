package permission

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestComputedWords holds a project's rule against commands of which the shell computes words.
func TestComputedWords(t *testing.T) {
	rule := Parse("shell(git push --force*)")
	for want, lines := range map[bool][]string{
		true: {
			"$CMD push", `"$CMD" push`, `set x; "$@"`, "git $x --force", `git "$@"`, `git "$x" --force`,
			"$EMPTY git push --force", "git $EMPTY push --force",
			"git $EMPTY status", "git push $x", `git push "$x"`, `git push --"$x"`, "git push --$x", "git pu${x}",
			`git push --f"$(x)"`,
			"git push --forc?", "git push --forc[e]", "git push --f*", "git push {--force,x}",
			"git {push,pull} --force", "gi? push --force",
			"git p?sh --force", "{git,push,--force}", "$(echo git) push", "`echo git` push", "X=git; $X push --force",
			"$HOME/git push --force",
			`make "$(git push --force)"`, "make -j$(git push --force)", "A=$x git push --force",
			`A="$x" git push --force`, "export A=$(git push --force)",
			"for f in *; do $f; done", "for f in *; do git $f; done", "make $x; git push --force",
			`make > "$(git push --force)"`, "a >&$x; git push $y",
			`bash -c "$x"`,

			`find . "$x" git push --force ';'`,
			"xargs git $x",

			"timeout 5 git $x",
			`echo "${x:-$(git push --force)}"`,
		},
		false: {
			"make -j$(nproc)", "export PATH=$PATH:/x", `export PATH="$HOME/bin:$PATH"`,
			`for f in *.go; do gofmt -l "$f"; done`, `git add "$FILE"`, "git add $FILE",
			"git diff $(git merge-base HEAD main)", "test $x = y", `[ -n "$x" ]`, "[ $x = y ]",
			"git commit -m \"$(cat <<'X'\nso\nX\n)\"", `git commit -m "a $x"`,
			"git a$x", "git status *", "ls *.go", "rm {a,b}", `echo "$(git log)" $x "${y}"`, "X=$Y make", "X=$Y",
			"X=1; make $X", "cp a{,.bak}",
			"git push origin $x", `git push origin "$x" --force`, "git pull --forc?", "git push --no?",
			"git 'push' '--forc?' -x", `timeout 5 make "$x"`,
			`make > "$x"`, "make 2>>$LOG", `cat <<< "$x"`, "for i in $x; do make; done",
			"for i in {1..3}; do make $i; done", `env A="$x" make`,
			`find "$DIR" -name x`, `find . -name "$x" -exec grep y {} +`, `printf '%s' "$x"`, "readonly A=$x",
			"sudo make $x", "declare A=$x",
			`git log --format="%h" -- "$x"`, `[[ -n $x ]]`, `[[ $x == a ]]`,
			`cd "$(git rev-parse --show-toplevel)" && make`,
			"x=$(y); [[ $x -eq 1 ]]",
			// A value from outside of the line is like a script.
			"env A=$x make", `env "$x" make`, `eval "echo $x"`, "find $x -name y", "find . $x", "declare -i A=$x",
			"declare $x", "unset $x", `unset "$x"`, `read "$x"`, `printf -v "$x" y`, `test -v "$x"`,
			`printf -v"$x" y`, `builtin let "$x"`, `\let "$x"`, `command unset "$x"`, `getopts ab "$x"`,
			`wait -np "$x"`, `builtin -- read -r "$x"`, `command -p printf -v "$x" y`, `sh "$x"`,
			`mapfile "$x"`, `source "$x"`,
			`[ -v "$x" ]`, "[[ -v $x ]]",
		},
	} {
		for _, line := range lines {
			got, why := rule.Match(projectLine(t, line))
			require.Equal(t, want, got, "%s: %s", line, why)
		}
	}
	for pattern, lines := range map[string]map[string]bool{
		"git push":   {"git push $x": true, `git push "$x"`: false, "git pushx$y": false, `git push"$y"`: true},
		"git *":      {"gitk $x": false, "git $x": true, "git?": false, "gi?": true},
		"*--force":   {`rm "$x"`: true, "rm x": false, "rm *": true},
		"rm -rf /*":  {`rm -rf "$x"`: true, "rm -r $x": false, `rm -rf a"$x"`: false},
		"make *":     {"make -j$(nproc)": true},
		"./deploy *": {"$HOME/deploy x": true, "ls $HOME": false},
	} {
		for line, want := range lines {
			got, why := Parse("shell(" + pattern + ")").Match(projectLine(t, line))
			require.Equal(t, want, got, "%s %s: %s", pattern, line, why)
		}
	}
}

// TestLinesInArguments holds a rule against programs and builtins that run a text of theirs, or stdin, as a line.
func TestLinesInArguments(t *testing.T) {
	rule := Parse("shell(git push --force*)")
	for want, lines := range map[bool][]string{
		true: {
			"eval -- 'git push --force'", "eval -- git push --force", "xargs eval --", "timeout -v 5 git push --force",
			"source /dev/stdin <<< 'git push --force'", ". /dev/stdin <<< 'git push --force'", "source -- /dev/stdin",
			". /dev/fd/0", ". /proc/self/fd/0",
			". //dev/./stdin", "builtin source /dev/stdin", "sh /dev/fd/0", "bash /proc/self/fd/0",
			"command . /dev/stdin", ". /proc/$$/fd/0",
			"rbash -c 'git push --force'", "mksh -c 'git push --force'", "yash -c 'git push --force'",
			"fish -c 'git push --force'",
			"csh -c 'git push --force'", "tcsh -c 'git push --force'", "ash -c 'git push --force'",
			"ksh -c 'git push --force'",
			"ksh93 -c 'git push --force'", "busybox sh -c 'git push --force'", "busybox ash -c 'git push --force'",
			"bash5 -c 'git push --force'",
			"fish -c 'and git push --force'", "fish --command='git push --force'", "fish -C 'git push --force'",
			"echo x | fish",
			"xargs fish -c", "xargs -I{} mksh -c 'echo {}'", "/usr/bin/rbash -c 'git push --force'",
			"yash --cmdline='git push --force'",
			"mapfile -C 'git push --force' -c1 x", "readarray -C 'git push --force' -c 1 x",
			"mapfile -tC'git push --force' x", `x=$(y); mapfile -C "$x" y`,
			"mapfile -C 'git push' -c1 x", "compgen -C 'git push --force'", "complete -C 'git push --force' x",
			"alias x='git push --force'; x",
			"watch -n 1 git push --force", "watch 'git push --force'", "su -c 'git push --force'",
			"su - x -c 'git push --force'",
			"runuser -u x -- git push --force", "script -qc 'git push --force' /dev/null",
			"script --command='git push --force'",
		},
		false: {
			"eval -- ls", "source x.sh", ". ./x.sh", "source /dev/null", "rbash -c ls", "fish -c 'ls -l'",
			"fish x.fish", "tcsh -c ls", "ksh x", "mapfile -t x",
			"mapfile -C ls -c1 x", "compgen -c git", "alias x=ls", "watch ls", "su", "tcsh", "su -c ls",
			"script x", "push",
			"flush", "squash -c 'git push --force'",
		},
	} {
		for _, line := range lines {
			got, why := rule.Match(projectLine(t, line))
			require.Equal(t, want, got, "%s: %s", line, why)
		}
	}
}

// A rule that holds for doubt alone says what it cannot tell.
func TestDoubt(t *testing.T) {
	rule := Parse("shell(git push --force*)")
	for line, want := range map[string]string{
		"git push --force $x":         "",
		"make":                        "",
		"git $x":                      `hookrun cannot tell what this line runs: `,
		"eval $x":                     `hookrun cannot tell what this line runs: "$x" behind eval, of which `,
		"read 'a[$(x)]'":              `"a[$(x)]", which read may evaluate`,
		"set -ek; x":                  `an option that changes what words mean, in "set -ek"`,
		"bash -kc x":                  `an option that changes what words mean, in "bash -kc "`,
		"x=$y; echo $((x))":           "arithmetic with x, which may be no number",
		"command read x; echo $((x))": "arithmetic with x, which may be no number",
		"eval 'read x'; ((x))":        "arithmetic with x, which may be no number",
		"cat" + strings.Repeat(" <<E", 65) + strings.Repeat("\nE", 65): "" +
			"it has more than 64 here-documents; make several calls of it",
		"find" + strings.Repeat(` "$a"`, 60) + ` ";"`: `only the shell knows what "find $a $a `,
		"[[ " + strings.Repeat("a && ", 200) + "a ]]": "[[ with many parts",
		"read -r PS4; set -x":                         `"PS4", which read may evaluate`,
		"printf -v BASH_ENV x; bash y":                `"BASH_ENV", which printf may evaluate`,
		"getopts x HISTSIZE":                          `"HISTSIZE", which getopts may evaluate`,
		"read functions":                              `"functions", which read may evaluate`,
		"ls a(b)":                                     `hookrun cannot tell what this line runs: `,
	} {
		doubt := rule.Doubt(projectLine(t, line))
		if doubt == "" && want != "" { // the words are a ground
			doubt = rule.Doubt(projectLine(t, line+"\n: git push --force"))
		}
		if want == "" {
			require.Empty(t, doubt, line)
			continue
		}
		require.Contains(t, doubt, want, line)
		require.Contains(t, doubt, "; write it without ", line)
	}
}

// TestShellsOfUsers has programs that start a shell for somebody, or in another place, which reads stdin or the
// arguments behind --. They need rights that a test has not.
func TestShellsOfUsers(t *testing.T) {
	rule := Parse(attacked)
	for want, lines := range map[bool][]string{
		true: {
			"echo 'danger --force' | su", "echo 'danger --force' | su - root", "echo 'danger --force' | runuser root",
			"echo 'danger --force' | sudo -n -s", "echo 'danger --force' | sudo -n -i",
			"echo 'danger --force' | sudo su",
			"echo 'danger --force' | newgrp", "echo 'danger --force' | newgrp root",
			"echo 'danger --force' | script -q f",
			"echo 'danger --force' | chroot /", "echo 'danger --force' | sg root", "echo 'danger --force' | doas -s",
			"echo 'danger --force' | unshare -r", "echo 'danger --force' | nsenter -t 1",
			"su <<< 'danger --force'", "{ su; } <<< 'danger --force'", "f() { su; }; echo x$(cat y) | f",
			"su root -- -c 'danger --force'", "su -c 'danger --force' root", "su root -c 'danger --force'",
			"su root -- -c '$(echo dan)ger --force'", "su -s PROG root -- --force danger", "su root -- -c \"$x\"",
			"sg root -c 'danger --force'", "sg root 'danger --force'", "sg root -c '$(echo dan)ger --force'",
			"sudo -s danger --force", "sudo -i -u x danger --force", "sudo -- danger --force",
			"sudo -s -- danger --force",
			"echo 'danger --force' | sudo -u x bash -s", "echo 'danger --force' | sudo tee y; sudo bash y",
			"cat <<'E' | su\ndanger --force\nE",
		},
		false: {
			"su", "su - app -c ls", "su root -- -c ls", "sg docker -c 'docker ps'", "newgrp docker", "sudo -i",
			"sudo -s ls",
			"echo x | sudo tee /etc/y", "sudo -u postgres psql < dump.sql", "runuser -u app -- ls", "script -q f",
		},
	} {
		for _, line := range lines {
			got, why := rule.Match(projectLine(t, line))
			require.Equal(t, want, got, "%s: %s", line, why)
		}
	}
}

// attacked is the rule that lines try to get around: they run the program danger with --force.
const attacked = "shell(danger --force*)"
