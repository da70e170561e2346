//go:build unix

package binary

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// Hook is an entry of a hooks file.
type Hook map[string]any

func On(event, name, command string) Hook {
	return Hook{"name": name, "command": command, "events": []string{event}}
}

func WriteHooks(t *testing.T, dir string, hooks ...Hook) {
	t.Helper()
	hooks = append([]Hook{}, hooks...) // never null
	require.NoError(t, os.WriteFile(filepath.Join(dir, ".tenex-hooks.json"),
		[]byte(JSON(t, map[string]any{"hooks": hooks})), 0o600))
}

func Exists(dir, name string) bool {
	_, err := os.Lstat(filepath.Join(dir, name))
	return err == nil
}

func Answers(event, json string) Hook { return On(event, "answer", "printf '%s' '"+json+"'") }
