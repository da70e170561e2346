//go:build linux

package engine_test

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hookrun/hookrun/internal/core/engine"
)

// TestHooksFindHookrun: the hooks of a Go program that names no binary find the one that its environment has.
func TestHooksFindHookrun(t *testing.T) {
	dir := t.TempDir()
	binary := filepath.Join(dir, "hookrun")
	require.NoError(t, os.WriteFile(binary, []byte("#!/bin/sh\n"), 0o755))
	other := filepath.Join(dir, "other")
	require.NoError(t, os.WriteFile(other, []byte("#!/bin/sh\n"), 0o755))
	plain := filepath.Join(dir, "plain")
	require.NoError(t, os.WriteFile(plain, nil, 0o644))
	const warning = "hook 'h' uses $HOOKRUN, which is not set: no hookrun was found; set HOOKRUN in " +
		"Options.Env, or put hookrun on PATH"
	const path, without = "PATH=/usr/bin:/bin", ""
	for name, c := range map[string]struct {
		given string
		env   []string
		want  string
	}{
		"given":                       {other, []string{path, "HOOKRUN=" + binary}, other},
		"inherited":                   {"", []string{path, "HOOKRUN=" + binary}, binary},
		"inherited before PATH":       {"", []string{path + ":" + dir, "HOOKRUN=" + other}, other},
		"in PATH":                     {"", []string{path + ":" + dir}, binary},
		"of two the last counts":      {"", []string{path, "HOOKRUN=" + other, "HOOKRUN=" + binary}, binary},
		"inherited, relative":         {"", []string{path, "HOOKRUN=hookrun"}, without},
		"inherited, gone":             {"", []string{path, "HOOKRUN=" + dir + "/gone"}, without},
		"inherited, no program":       {"", []string{path, "HOOKRUN=" + plain}, without},
		"inherited, a folder":         {"", []string{path, "HOOKRUN=" + dir}, without},
		"inherited, gone, and a PATH": {"", []string{path + ":" + dir, "HOOKRUN=/gone"}, binary},
		"a relative PATH":             {"", []string{path + ":.", "PWD=" + dir}, without},
		"none":                        {"", []string{path}, without},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t)
			r := b.runner(engine.Options{Binary: c.given, Env: append(c.env, b.Mark)}, sh(`echo "[${HOOKRUN-}]"`))
			o, err := r.Fire(context.Background(), b.pre())
			require.NoError(t, err)
			require.Equal(t, []string{"[" + c.want + "]"}, texts(o))
			if c.want == without {
				require.Equal(t, []string{warning}, o.Warnings)
			} else {
				require.Empty(t, o.Warnings)
			}
		})
	}
}

// TestHooksThatUseHookrun: the warning is about hooks that use the variable, by their command or by a script.
func TestHooksThatUseHookrun(t *testing.T) {
	b := newBench(t)
	for name, text := range map[string]string{
		"uses.sh": "#!/bin/sh\n\"$HOOKRUN\" get args\n", "other.sh": "#!/bin/sh\necho $HOOKRUN_TOOL\n",
	} {
		require.NoError(t, os.WriteFile(filepath.Join(b.Dir, name), []byte(text), 0o755))
	}
	for command, uses := range map[string]bool{
		`"$HOOKRUN" get args; exit 0`:         true,
		`echo $HOOKRUN_TOOL $HOOKRUN`:         true,
		`echo $HOOKRUN_TOOL ${HOOKRUN_EVENT}`: false,
		`./uses.sh; exit 0`:                   true,
		`sh 'uses.sh'; exit 0`:                true,
		`. ./other.sh`:                        false,
		`exit 0`:                              false,
	} {
		for _, form := range []any{command, []string{"sh", "-c", command}} {
			r := b.runner(engine.Options{Env: []string{"PATH=/usr/bin:/bin", b.Mark}}, sh("", hook{"command": form}))
			o, err := r.Fire(context.Background(), b.pre())
			require.NoError(t, err)
			require.Equal(t, uses, len(o.Warnings) == 1, "%s: %v", form, o.Warnings)
		}
	}
}
