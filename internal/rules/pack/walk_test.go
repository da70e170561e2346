package pack

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestEachFile: near files come first, and no folder costs more than the entries that are left.
func TestEachFile(t *testing.T) {
	dir := t.TempDir()
	write := func(file string) {
		require.NoError(t, os.MkdirAll(filepath.Dir(filepath.Join(dir, file)), 0o777))
		require.NoError(t, os.WriteFile(filepath.Join(dir, file), nil, 0o666))
	}
	for _, file := range []string{"a/b/c", "a/d", "e", "skip/f"} {
		write(file)
	}
	walk := func(left int) (seen []string, rest int) {
		enters := func(name string) bool { return name != "skip" }
		eachFile(dir, &left, enters, func(file string) bool {
			file, _ = filepath.Rel(dir, file)
			seen = append(seen, filepath.ToSlash(file))
			return false
		})
		return seen, left
	}
	seen, _ := walk(100)
	require.Equal(t, []string{"e", "a/d", "a/b/c"}, seen)
	for i := range 50 {
		write(fmt.Sprintf("many/%d", i))
	}
	_, rest := walk(10)
	require.GreaterOrEqual(t, rest, -1)
}
