//go:build unix

package permission

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/hookrun/hookrun/internal/testsupport/testall"
)

// TestWhatShellsRun has bash, dash and zsh run generated lines. A rule for danger must match each line that ran it.
func TestWhatShellsRun(t *testing.T) {
	t.Parallel()
	for name, lines := range map[string][]string{
		"builtins":  builtinLines(),
		"variables": variableLines(),
		"classes":   classLines(t),
	} {
		for _, shell := range []string{"bash", "dash", "zsh"} {
			t.Run(name+"/"+shell, func(t *testing.T) {
				t.Parallel()
				path, err := exec.LookPath(shell)
				if err != nil {
					t.Skip("no " + shell)
				}
				ran, passed := runLines(t, path, lines), []string{}
				for _, line := range ran {
					if got, _ := Parse(attacked).Match(projectLine(t, line)); !got {
						passed = append(passed, line)
					}
				}
				t.Logf("%d lines, %d ran danger, %d passed", len(lines), len(ran), len(passed))
				require.True(t, len(ran) > 0 || name == "variables", "of these few run danger, so a part may have none")
				require.True(t, len(passed) == 0, "%s", "\n"+strings.Join(passed[:min(60, len(passed))], "\n"))
				if name == "classes" {
					require.Greater(t, len(ran), len(lines)/8)
				}
			})
		}
	}
}

const evaluatedText = "$(danger --force)"

// builtinLines has each builtin with each option and each text that somebody may run.
func builtinLines() []string {
	builtins := strings.Fields(". : [ alias autoload bg bind bindkey break builtin bye caller cd chdir command " +
		"compgen complete compopt continue declare dirs disable disown echo echotc emulate enable eval " +
		"exit export false fc fg float functions getln getopts hash history integer jobs let limit local log " +
		"logout mapfile noglob nocorrect popd print printf private pushd pushln pwd r read readarray readonly rehash " +
		"return sched set setopt shift shopt source strftime sysread test time times trap true ttyctl type typeset " +
		"ulimit umask unalias unfunction unhash unlimit unset unsetopt vared wait whence where which zcompile " +
		"zformat zle zmodload zparseopts zstyle zsystem coproc repeat")
	options := []string{
		"", "-a", "-A", "-c", "-C", "-d", "-e", "-E", "-f", "-F", "-g", "-i", "-k", "-l", "-m", "-n", "-o", "-p",
		"-P", "-q", "-r", "-s", "-t", "-u", "-U", "-v", "-W", "-x", "-X", "-z", "--", "1", "-n 1", "x", "-eq 0",
		"%d",
	}
	texts := []string{
		"danger --force", "'danger --force'", "'" + evaluatedText + "'", "'a[" + evaluatedText + "]'",
		"'a[" + evaluatedText + "]=1'", "x='a[" + evaluatedText + "]'", "'a[" + evaluatedText + "]' -eq 0",
		"'`danger --force`'", "x 'a[" + evaluatedText + "]'", "'x=danger --force'", "1 danger --force",
		`"danger --force" EXIT`, "-- danger --force", "~ --force",
	}
	var lines []string
	for _, b := range builtins {
		for _, o := range options {
			for _, text := range texts {
				line := strings.Join(strings.Fields(b+" "+o), " ") + " " + text
				switch b {
				case "read", "mapfile", "readarray", "getln", "vared":
					line += " <<< x"
				case "alias":
					line += "\nx\ndanger"
				}
				lines = append(lines, line)
			}
		}
	}
	return testall.Part(45, lines)
}

// variableLines has each variable with each text, and what may use it.
func variableLines() []string {
	variables := strings.Fields("" +
		"BASH_ENV ENV PS0 PS1 PS2 PS3 PS4 PROMPT PROMPT2 PROMPT4 RPROMPT PROMPT_COMMAND SHELLOPTS " +
		"BASHOPTS IFS PATH HOME PWD OLDPWD CDPATH RANDOM SRANDOM OPTIND OPTARG SECONDS LINENO HISTCMD " +
		"HISTSIZE HISTFILE SAVEHIST COLUMNS LINES TMOUT MAILCHECK MAIL MAILPATH KEYTIMEOUT DIRSTACKSIZE FUNCNEST " +
		"UID EUID GID SHLVL PPID BASHPID EPOCHSECONDS EPOCHREALTIME BASH_ARGV0 BASH_COMPAT BASH_XTRACEFD GLOBIGNORE " +
		"FIGNORE HISTCONTROL IGNOREEOF INPUTRC POSIXLY_CORRECT REPLY TIMEFORMAT LANG LC_ALL TERM EDITOR PAGER " +
		"NULLCMD READNULLCMD FCEDIT ZDOTDIR FPATH MODULE_PATH TMPPREFIX WORDCHARS STTY TRY_BLOCK_ERROR x y CC SHELL")
	texts := []string{
		"'" + evaluatedText + "'", "'a[" + evaluatedText + "]'", "'`danger --force`'", "--force", "danger",
		"'danger --force'", "xtrace", "keyword", "/dev/stdin",
	}
	uses := []string{
		"V=T; :", "V=T bash -c :", "V=T sh -ic :", "V=T bash -ic :", "V=T zsh -c :", "env V=T bash -c :",
		"export V=T; bash -xc :", "V=T; set -x; :", "V=T; danger ~", "V=T; danger $V", "V=T; danger ~+",
		"V=T; danger ~-", "V=T; ~ --force", "V=T; [[ V -eq 0 ]]", "V=T; [[ $V -eq 0 ]]", "V=T; [ $V -eq 0 ]",
		"V=T; : $((V))", "V=T; ((V))", "V=T; return $V", "V=T; printf %d \"$V\"", "declare -i V; V=T",
		"declare -n z=V; V=T; echo $z", "declare V=T", "readonly V=T", "typeset -i V=T",
		"printf -v V %s T; danger ~", "read -r V <<< T; : $((V))", "for V in T; do danger ~; done",
		"env V=T bash -c 'danger $V'", "env V=T bash -c 'danger ~'", "V=T; < /dev/null", "V=T; eval ': $((V))'",
		"V=T; danger A=1 --force", "env V=T bash -c 'danger A=1 --force'", "V=T bash -c '((V))'",
		"V=T; for ((i=V;i<1;i++)); do :; done", ": ${V:=T}; danger $V", "unset V; : ${V=T}; danger ~",
		"env -i V=T bash -c :", "echo 'danger --force' | V=T bash -c :", "V=T; f() { ((V)); }; f",
		"V=T; x=$V; : $((x))", "V=T; x=V; : $((x))", "V=T; echo $x[$V]", "V=T; x=${V}; [[ x -eq 0 ]]",
	}
	var lines []string
	for _, v := range variables {
		for _, text := range texts {
			for _, use := range uses {
				lines = append(lines, strings.NewReplacer("V", v, "T", text).Replace(use))
			}
		}
	}
	return testall.Part(60, lines)
}

// runLines returns the lines of which the shell ran the program danger with --force. It runs them as a few scripts.
func runLines(t *testing.T, shell string, lines []string) (ran []string) {
	t.Helper()
	bin := t.TempDir()
	current, log := filepath.Join(bin, "current"), filepath.Join(bin, "log")
	require.NoError(t, os.WriteFile(log, nil, 0o600))
	// What a line starts in the background may run beside later lines. It has the line's number in its environment.
	const format = "#!/bin/sh\nn=$LINE_OF_TEST\n[ \"$n\" ] || read -r n < %s\necho \"$n $*\" >> %s\n"
	program := fmt.Sprintf(format, current, log)
	for tool := range strings.FieldsSeq("bash sh zsh env dash cat timeout xargs find nice date tee") {
		if path, err := exec.LookPath(tool); err == nil {
			require.NoError(t, os.Symlink(path, filepath.Join(bin, tool)))
		}
	}
	const atOnce = 400
	first := 0
	for chunk := range slices.Chunk(lines, atOnce) {
		// A line such as `> =danger` may have overwritten the program.
		//nolint:gosec // it is run
		require.NoError(t, os.WriteFile(filepath.Join(bin, "danger"), []byte(program), 0o700))
		var script strings.Builder
		for i, line := range chunk {
			quotedLine := "'" + strings.ReplaceAll(line, "'", `'\''`) + "'"
			const format = "echo %[1]d > %[2]s\n( export LINE_OF_TEST=%[1]d; eval %[3]s ) </dev/null >/dev/null 2>&1\n"
			fmt.Fprintf(&script, format, first+i, current, quotedLine)
		}
		script.WriteString("exit 0\n")
		first += len(chunk)
		file, in := filepath.Join(bin, "script"), t.TempDir()
		require.NoError(t, os.WriteFile(file, []byte(script.String()), 0o600))
		require.NoError(t, os.WriteFile(filepath.Join(in, "nofile"), nil, 0o600))
		ctx, cancel := context.WithTimeout(t.Context(), 3*time.Minute)
		cmd := exec.CommandContext(ctx, shell, file)
		cmd.Env, cmd.Dir = []string{"PATH=" + bin, "HOME=" + t.TempDir()}, in
		cmd.WaitDelay = time.Second
		cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true} // no terminal
		output, err := cmd.CombinedOutput()
		at, _ := os.ReadFile(current)
		require.NoError(t, err, "%s at line %s", output, at)
		cancel()
	}
	found, err := os.ReadFile(log)
	require.NoError(t, err)
	seen := map[int]bool{}
	for line := range strings.Lines(string(found)) {
		var n int
		var argument string
		if _, err := fmt.Sscan(line, &n, &argument); err == nil && strings.HasPrefix(argument, "--force") && !seen[n] {
			seen[n] = true
			ran = append(ran, lines[n])
		}
	}
	return ran
}
