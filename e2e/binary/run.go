//go:build unix

package binary

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
)

// Answer is Claude Code's hook output, as far as these tests look at it.
type Answer struct {
	Continue *bool
	Decision string
	Reason   string
	Specific struct {
		Event      string          `json:"hookEventName"`
		Permission string          `json:"permissionDecision"`
		Why        string          `json:"permissionDecisionReason"`
		Context    string          `json:"additionalContext"`
		Input      json.RawMessage `json:"updatedInput"`
	} `json:"hookSpecificOutput"`
}

// Result is what a process left behind.
type Result struct {
	Code           int
	Stdout, Stderr string
}

// Run runs a program to its end. It finds the binary under test as $HOOKRUN and nothing of the tester's git.
func Run(t *testing.T, dir, stdin string, env []string, argv ...string) Result {
	t.Helper()
	cmd := exec.Command(argv[0], argv[1:]...)
	cmd.Dir = dir
	cmd.Env = append(Environment(dir), env...)
	cmd.Stdin = strings.NewReader(stdin)
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	err := cmd.Run()
	var exit *exec.ExitError
	if !errors.As(err, &exit) {
		require.NoError(t, err)
	}
	return Result{cmd.ProcessState.ExitCode(), stdout.String(), stderr.String()}
}

func Environment(dir string) []string {
	env := slices.DeleteFunc(os.Environ(), func(v string) bool {
		return strings.HasPrefix(v, "GIT_") || strings.HasPrefix(v, "HOOKRUN") || strings.HasPrefix(v, "CLAUDE") ||
			strings.HasPrefix(v, "PROMPT=")
	})
	return append(env, "HOOKRUN="+Path, "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_NOSYSTEM=1",
		"GIT_CEILING_DIRECTORIES="+filepath.Dir(dir))
}

// Needs skips a test where a program is missing. It is run once: what stands in PATH can be a stub.
func Needs(t *testing.T, program string) {
	t.Helper()
	run, _ := needed.LoadOrStore(program, sync.OnceValue(func() error {
		if program == "python3" {
			return barePython()
		}
		return exec.Command(program, "--version").Run()
	}))
	if err := run.(func() error)(); err != nil {
		t.Skipf("%s is missing: %v", program, err)
	}
}

var needed sync.Map // by the name of the program

// Outcome is the part of `--output json` that these tests look at.
type Outcome struct {
	Decision, Reason, Cause, Hook string
	Stop                          bool
	UpdatedInput                  json.RawMessage `json:"updated_input"`
	UpdatedOutput                 json.RawMessage `json:"updated_output"`
	Inject                        []struct{ Hook, Content string }
	SystemMessages                []string `json:"system_messages"`
	Warnings                      []string
	Hooks                         []struct{ Name, Status, Stderr string }
}

// Ask calls hookrun and returns its outcome. The exit code must be the one that stands for it.
func Ask(t *testing.T, dir, stdin string, flags ...string) Outcome {
	t.Helper()
	done := Run(t, dir, stdin, nil, append([]string{Path, flags[0], "-o", "json"}, flags[1:]...)...)
	var r Outcome
	require.NoError(t, json.Unmarshal([]byte(done.Stdout), &r), "exit %d, stdout %q, stderr %q", done.Code,
		done.Stdout, done.Stderr)
	want := 0
	if r.Stop {
		want = 3
	} else if r.Decision != "continue" {
		want = 2
	}
	require.Equal(t, want, done.Code)
	return r
}

func (r Outcome) Texts() []string {
	texts := []string{}
	for _, i := range r.Inject {
		texts = append(texts, i.Content)
	}
	return texts
}

func JSON(t *testing.T, v any) string {
	t.Helper()
	b, err := json.Marshal(v)
	require.NoError(t, err)
	return string(b)
}

func (o Outcome) Ran() (names []string) {
	for _, h := range o.Hooks {
		if h.Status != "skipped" {
			names = append(names, h.Name)
		}
	}
	return names
}

type Object = map[string]any
