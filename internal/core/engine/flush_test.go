//go:build linux

package engine_test

import (
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hookrun/hookrun/internal/core/dialect"
	"github.com/hookrun/hookrun/internal/core/engine"
)

// A persistent hook in Python that does not flush answers all the same, unless somebody wants it otherwise; then the
// warning asks.
func TestPersistentHookThatDoesNotFlush(t *testing.T) {
	t.Parallel()
	python, err := exec.LookPath("python3")
	if err != nil {
		t.Skip("python3 is not installed")
	}
	var env []string // of a user who has not set it
	for _, v := range os.Environ() {
		if !strings.HasPrefix(v, "PYTHONUNBUFFERED=") {
			env = append(env, v)
		}
	}
	unflushed := func(more ...hook) hook {
		h := sh("", append(more, hook{"persistent": true})...)
		h["command"] = []string{python, "-c",
			"import sys\nfor line in sys.stdin:\n print('{\"decision\":\"block\",\"reason\":\"asked\"}')"}
		return h
	}
	b := newBench(t)
	r := b.stays(engine.Options{Env: env}, b.config(unflushed()))
	require.Equal(t, "asked", b.must(r, b.pre()).Reason)

	for name, o := range map[string]struct {
		env  []string
		hook hook
	}{
		"the hook's env": {env, hook{"env": map[string]string{"PYTHONUNBUFFERED": ""}, "timeout": 1}},
		"ours":           {append(env, "PYTHONUNBUFFERED="), hook{"timeout": 1}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newBench(t)
			r := b.stays(engine.Options{Env: o.env}, b.config(unflushed(o.hook)))
			outcome := b.must(r, b.pre())
			require.Equal(t, dialect.StatusTimeout, outcome.Hooks[0].Status)
			require.Contains(t, strings.Join(outcome.Warnings, "\n"), "timed out after 1s; does it flush its line?")
		})
	}
}
