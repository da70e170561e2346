package e2e

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hookrun/hookrun/e2e/binary"
)

// push is a call that an approvable rule blocks, and its verdict.
func (p *project) push(more ...string) binary.Result {
	p.Helper()
	call := []string{"pre-tool", "--tool", "shell", "--args", `{"command":"git push -f"}`}
	return p.run(p.dir, append(call, more...)...)
}

// approvable makes a project whose pushes can be approved, and returns the code of the first.
func approvable(t *testing.T) (p *project, code string) {
	p = newProject(t)
	p.write(".tenex-hooks.json", `{"packs": ["git"], "approvable": ["git"]}`)
	got := p.push()
	require.Equal(t, 2, got.Code)
	found := regexp.MustCompile(`hookrun approve ([0-9a-v]{8})\n$`).FindStringSubmatch(got.Stderr)
	require.NotNil(t, found, got.Stderr)
	return p, found[1]
}

func TestApproveAtTerminal(t *testing.T) {
	p, code := approvable(t)
	require.Contains(t, p.run(p.dir, "approve").Stdout, code+"  ")
	screenCode, screen := p.at("n\n", "approve", code)
	if strings.Contains(screen, "this is below ") {
		t.Skip(screen) // an agent runs the tests
	}
	require.Equal(t, 1, screenCode)
	require.Contains(t, screen, "hookrun approve: nothing was approved")
	require.Equal(t, 2, p.push().Code)
	screenCode, screen = p.at("y\n", "approve", strings.ToUpper(code))
	require.Zero(t, screenCode, screen)
	for _, shown := range []string{`arguments:  {"command":"git push -f"}`, "workspace:  " + p.dir,
		"blocked by: git/no-force-push", "Let this call pass once? [y/N] "} {
		require.Contains(t, screen, shown)
	}
	require.Equal(t, "no call waits\n", p.run(p.dir, "approve").Stdout)
	require.Equal(t, 2, p.push("--session-id", "other").Code)
	got := p.push("--log", "run.log")
	require.Zero(t, got.Code)
	require.Contains(t, got.Stderr, "a person has approved this call once, which hook 'git/no-force-push' blocks")
	require.Equal(t, 2, p.push().Code)
	require.Contains(t, p.run(p.dir, "log", "run.log", "-o", "json").Stdout, `"observed":1`)
}

// An agent has no terminal, or hookrun runs below its process or below a hook.
func TestAgentApproves(t *testing.T) {
	p, code := approvable(t)
	status, stderr := p.without("y\ny\n", "approve", code)
	require.Equal(t, 1, status)
	require.Regexp(t, "^hookrun approve: (there is no terminal to ask at|this is below )", stderr)
	for _, variable := range []string{"CLAUDECODE=1", "GEMINI_CLI=1", "HOOKRUN_EVENT=pre-tool", "HOOKRUN_DEPTH=1",
		"CURSOR_AGENT=1", "AI_AGENT=x"} {
		below := *p
		below.env = append(below.env, variable)
		status, screen := below.at("y\n", "approve", code)
		require.Equal(t, 1, status)
		require.Contains(t, screen, "hookrun approve: this is below ")
	}
	// The same below a process, which has taken all variables out.
	below := func(argv ...string) {
		cmd := exec.Command(argv[0], argv[1:]...)
		cmd.Dir, cmd.Env = p.dir, append(binary.Environment(p.dir), p.env...)
		_, screen := binary.AtTerminal(t, cmd, "y\n")
		require.NotContains(t, screen, "approved: ", argv)
		text, err := os.ReadFile(filepath.Join(p.dir, "stderr"))
		require.NoError(t, err)
		require.Contains(t, string(text), "this is below ", argv)
		require.NoError(t, os.Remove(filepath.Join(p.dir, "stderr")))
	}
	line := "env -u HOOKRUN_EVENT -u HOOKRUN_DEPTH '" + binary.Path + "' approve " + code + " 2>stderr; exit 0"
	for _, name := range []string{"codex", "claude-code", ".claude-wrapped", "kimi-cli", "droid", "cursor"} {
		p.write("../bin/"+name, "#!/bin/sh\n"+line+"\n")
		below(filepath.Join(p.home, "bin", name))
	}
	below(binary.Path, "mcp", "--", "sh", "-c", line)
	require.Equal(t, 2, p.push().Code)
}

// A person works in a terminal of an IDE.
func TestApproveInAnIDE(t *testing.T) {
	p, code := approvable(t)
	p.write("../bin/cursor", "#!/bin/sh\n'"+binary.Path+"' approve "+code+"\nexit $?\n")
	cmd := exec.Command(filepath.Join(p.home, "bin", "cursor"))
	cmd.Dir, cmd.Env = p.dir, append(append(binary.Environment(p.dir), p.env...), "TERM_PROGRAM=vscode")
	var stderr strings.Builder
	cmd.Stderr = &stderr
	status, _ := binary.AtTerminal(t, cmd, "y\n")
	if strings.Contains(stderr.String(), "this is below ") && !strings.Contains(stderr.String(), "cursor") {
		t.Skip(stderr.String()) // an agent runs the tests
	}
	require.Zero(t, status, stderr.String())
	require.Zero(t, p.push().Code)
}

// An approval is for the folder of the call.
func TestApprovalIsForTheFolder(t *testing.T) {
	p, code := approvable(t)
	require.NoError(t, os.Mkdir(filepath.Join(p.dir, "sub"), 0o755))
	_, screen := p.at("y\n", "approve", code)
	if strings.Contains(screen, "this is below ") {
		t.Skip(screen) // an agent runs the tests
	}
	call := []string{"pre-tool", "--tool", "shell", "--args", `{"command":"git push -f"}`, "-C", p.dir}
	require.Equal(t, 2, p.run(filepath.Join(p.dir, "sub"), call...).Code)
	require.Zero(t, p.run(p.dir, call...).Code)
}

// A state folder in which others can write approves nothing.
func TestApproveInAStateOfAll(t *testing.T) {
	p, code := approvable(t)
	require.NoError(t, os.Chmod(filepath.Join(p.home, "state", "hookrun"), 0o777))
	_, screen := p.at("y\n", "approve", code)
	require.Regexp(t, "cannot be trusted: .* chmod 700 it|this is below ", screen)
	require.Contains(t, p.run(p.dir, "approve").Stderr, "cannot be trusted: ")
	require.Contains(t, p.push().Stderr, "nobody can approve the call: the state folder ")
}

func TestApproveFaults(t *testing.T) {
	p, code := approvable(t)
	for word, want := range map[string]string{
		"abcdefgh": "no call waits under the code abcdefgh; hookrun approve lists those that do",
		"../x":     "no call waits under the code ../x",
	} {
		_, screen := p.at("y\n", "approve", word)
		require.Regexp(t, regexp.QuoteMeta(want)+"|this is below ", screen)
	}
	require.Equal(t, 1, p.run(p.dir, "approve", "a", "b").Code)
	file := filepath.Join(p.home, "state", "hookrun", "approved", code+".json")
	require.NoError(t, os.Chmod(file, 0o666))
	_, screen := p.at("y\n", "approve", code)
	require.Regexp(t, "can be written to by others; remove it|this is below ", screen)
}
