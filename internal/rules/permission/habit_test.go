package permission_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hookrun/hookrun/internal/rules/permission"
)

// TestPatternsByHabit has patterns that are regular expressions, with what a glob would be.
func TestPatternsByHabit(t *testing.T) {
	shell, file := permission.KindOf("shell"), permission.KindOf("fs_write")
	for _, c := range []struct {
		kind        permission.Kind
		rule, meant string // "": nothing is odd
	}{
		{shell, "shell(git push.*)", `write *, as "shell(git push*)"`},
		{shell, "shell(^git push)", `leave it out, as "shell(git push)"`},
		{shell, "shell(^git push.*$)", `"shell(git push*)"`},
		{shell, "shell(git push$)", `"shell(git push)"`},
		{shell, `shell(git\s+push *)`, `"shell(git push *)"`},
		{shell, `shell(rm\b*)`, `as in a regular expression`},
		{shell, "shell(git push .*)", `"shell(git push *)"`},
		{shell, "shell(.*rm -rf.*)", `"shell(*rm -rf*)"`},
		{shell, "shell(.*)", `"shell(*)"`},
		{shell, "shell(git.+)", `"shell(git*)"`},
		{shell, "shell(git (push|pull) *)", "write an entry for each"},
		{shell, "shell(git push*)", ""},
		{shell, "shell(git push:*)", ""},
		{shell, "shell(rm *.*)", ""},
		{shell, "shell(cat .env.*)", ""},
		{shell, "shell(cat ~/.*)", ""},
		{shell, "shell(cat src/app.*)", ""},
		{shell, `shell(find * -name \*.go)`, ""},
		{shell, `shell(echo $HOME)`, ""},
		{shell, `shell((a | b))`, "has an operator of the shell"},
		{file, "fs_write(^secrets)", `leave it out, as "fs_write(secrets)"`},
		{file, "fs_write(secrets/.*)", `is .* meant as any text? write **, as "fs_write(secrets/**)"`},
		{file, "fs_write(/a/secrets/.*)", "is .* meant"},
		{file, "fs_write(.*)", "is .* meant"},
		{file, "fs_write(.*secrets.*)", "is .* meant"},
		{file, `fs_write(.*\.env$)`, `"fs_write(**.env)"`},
		{file, `fs_write(*\.env)`, `"fs_write(*.env)"`},
		{file, "fs_write(secrets/.+)", `"fs_write(secrets/**)"`},
		{file, "fs_write((a|b)/c)", "write an entry for each"},
		{file, "fs_write(*.env)", ""},
		{file, "fs_write(**/.*)", ""},
		{file, "fs_write(.env.*)", ""},
		{file, "fs_write(.*rc)", ""},
		{file, "fs_write(~/.*)", ""},
		{file, "fs_write(./.*)", ""},
		{file, "fs_write(src/*/.*)", ""},
		{file, "fs_write(secrets/.*/x)", ""},
		{file, "fs_write(id_rsa.*)", ""},
		{file, "fs_write(secrets/**)", ""},
		{permission.Unknown, "deploy(^prod)", "has a ^"},
		{permission.Unknown, "deploy(prod)", ""},
		{permission.KindOf("web_fetch"), "web_fetch(domain:example.com)", ""},
	} {
		got := permission.Parse(c.rule).Problem(c.kind)
		if c.meant == "" {
			require.Empty(t, got, c.rule)
			continue
		}
		require.Contains(t, got, c.meant, c.rule)
	}
}
