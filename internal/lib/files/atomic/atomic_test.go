package atomic

import (
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/hookrun/hookrun/internal/lib/files/lock"
)

func TestReplace(t *testing.T) {
	path := filepath.Join(t.TempDir(), "f")
	require.NoError(t, Replace(path, nil, "a"))
	for _, mode := range []fs.FileMode{0o600, 0o666, 0o644} {
		require.NoError(t, os.Chmod(path, mode))
		old, err := os.Lstat(path)
		require.NoError(t, err)
		require.True(t, os.SameFile(old, old)) // on Windows the first comparison looks at what is there by then
		require.NoError(t, Replace(path, old, "b"))
		now, err := os.Lstat(path)
		require.NoError(t, err)
		require.Equal(t, old.Mode(), now.Mode())
		require.False(t, os.SameFile(old, now), "a reader of the old file goes on with the old text")
	}
	requireAlone(t, path, "b")
	require.Error(t, Replace(filepath.Join(filepath.Dir(path), "none", "f"), nil, "a"))
}

func TestReplaceWhatCannotBeReplaced(t *testing.T) {
	path := filepath.Join(t.TempDir(), "f")
	require.NoError(t, os.Mkdir(path, 0o755))
	require.Error(t, Replace(path, nil, "a"), "a folder is in the way of the rename")
	require.NoError(t, os.Remove(path))
	require.NoError(t, os.WriteFile(path, nil, 0o444))
	if f, err := os.OpenFile(path, os.O_WRONLY, 0); err == nil {
		f.Close() // root may write to everything, and Wine asks the system below it
	} else {
		old, err := os.Lstat(path)
		require.NoError(t, err)
		require.ErrorIs(t, Replace(path, old, "a"), fs.ErrPermission)
	}
	requireAlone(t, path, "")
}

// However many write at once, and whatever was left by one that was killed, there is one whole text in the end.
func TestReplaceAtOnce(t *testing.T) {
	path := filepath.Join(t.TempDir(), "f")
	var wait sync.WaitGroup
	for range 20 {
		wait.Go(func() { _ = Replace(path, nil, "whole") })
	}
	wait.Wait()
	requireAlone(t, path, "whole")
}

// What a run that was killed left is gone after the next. What is still being written stays, and so does what only
// looks alike.
func TestSweep(t *testing.T) {
	path := filepath.Join(t.TempDir(), "settings.json")
	beside := func(suffix string) string { return filepath.Join(filepath.Dir(path), "."+filepath.Base(path)+suffix) }
	stamp := func(at time.Time) string { return "." + strconv.FormatInt(at.UnixNano(), 36) }
	left, older := beside(stamp(time.Now())), beside(stamp(time.Now().AddDate(-1, 0, 0)))
	busy := beside(stamp(time.Now().Add(-time.Second)))
	others := []string{beside(".backup"), beside(".bak"), beside(".1"), beside(""),
		beside(stamp(time.Now().AddDate(10, 0, 0))),
		beside(".original2024"), filepath.Join(filepath.Dir(path), ".other.json"+stamp(time.Now()))}
	for _, file := range append([]string{left, older, busy}, others...) {
		require.NoError(t, os.WriteFile(file, []byte("half"), 0o600))
	}
	writing, err := os.OpenFile(busy, os.O_RDWR, 0)
	require.NoError(t, err)
	defer writing.Close()
	require.NoError(t, lock.Lock(writing))

	require.NoError(t, Replace(path, nil, "a"))
	require.NoFileExists(t, left)
	require.NoFileExists(t, older)
	for _, file := range append([]string{path, busy}, others...) {
		require.FileExists(t, file)
	}
	writing.Close()
	Sweep(path)
	require.NoFileExists(t, busy)
	Sweep(filepath.Join(filepath.Dir(path), "none", "f"))
}

func requireAlone(t *testing.T, path, text string) {
	t.Helper()
	got, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Equal(t, text, string(got))
	list, err := os.ReadDir(filepath.Dir(path))
	require.NoError(t, err)
	require.Len(t, list, 1, "nothing is left beside it")
}

func TestCreate(t *testing.T) {
	path := filepath.Join(t.TempDir(), "f")
	require.NoError(t, Create(path, 0o755, "a"))
	require.ErrorIs(t, Create(path, 0o755, "b"), fs.ErrExist)
	requireAlone(t, path, "a")
	var wait sync.WaitGroup
	var made atomic.Int32
	path = filepath.Join(t.TempDir(), "f")
	for range 20 {
		wait.Go(func() {
			if Create(path, 0o644, "whole") == nil {
				made.Add(1)
			}
		})
	}
	wait.Wait()
	require.EqualValues(t, 1, made.Load())
	Sweep(path) // Windows does not remove a file that another run is looking at
	requireAlone(t, path, "whole")
}
