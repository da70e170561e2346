package e2e

import (
	"bytes"
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
	p := newProject(t)
	p.allow()
	p.write("guard.sh", "#!/bin/sh\n")
	for _, argv := range [][]string{{"allow"}, {"allow", p.dir}, {"allow", "--hash", strings.Repeat("0", 64)}} {
		code, stderr := p.without("y\ny\n", argv...)
		require.Equal(t, 1, code, stderr)
		require.Contains(t, stderr, "hookrun allow: ")
		p.blocks("untrusted", "guard.sh was changed", p.dir, "--trust", "required")
	}
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
