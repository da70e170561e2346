package massgenipc_test

import (
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hookrun/hookrun/internal/massgenipc"
)

// A reader of MassGen's takes each number once and none that is lower. Texts of hookrun's and of the orchestrator's,
// which counts its own from 1, must both reach it.
func TestTwoWriters(t *testing.T) {
	f := newFolder(t)
	memory := massgenipc.Memory{Dir: t.TempDir()}
	r := massgenipc.NewReader(f.dir)
	r.Memory = memory
	orchestrator := 0
	theirs := func() {
		orchestrator++
		f.put(fmt.Sprintf(`{"inject":{"content":"theirs %d"},"sequence":%d}`, orchestrator, orchestrator))
	}
	mine := func(text string) {
		w := massgenipc.Writer{Dir: f.dir, Memory: memory} // a process of its own each time
		require.NoError(t, w.Write(text, "", 0))
	}
	reads := func(want string) {
		t.Helper()
		content, found, warnings := r.Consume("t")
		require.Empty(t, warnings)
		require.Equal(t, want != "", found, content)
		require.Equal(t, want, content)
	}
	for range 3 {
		theirs()
		reads(fmt.Sprint("theirs ", orchestrator))
	}
	mine("first")
	reads("first")
	mine("second")
	reads("second")
	theirs() // whose number the first of ours had
	reads("theirs 4")
	theirs()
	mine("in its place")
	reads("in its place")
	mine("third")
	theirs()
	reads("theirs 6")

	// One of MassGen's own, which has no memory of ours. What ours took of its numbers is passed over, and no more.
	r = massgenipc.NewReader(f.dir)
	theirs()
	reads("theirs 7")
	mine("fourth") // it takes 7 or higher: the reader before this one has seen 6
	_, _, _ = r.Consume("t")
	theirs()
	_, _, _ = r.Consume("t")
	theirs()
	reads("theirs 9")
}

func TestMemory(t *testing.T) {
	t.Run("many processes", func(t *testing.T) {
		massgenipc.WaitLonger(t) // who gives up counts on without the memory
		f := newFolder(t)
		memory := massgenipc.Memory{Dir: t.TempDir()}
		var all sync.WaitGroup
		for range 20 {
			all.Go(func() {
				w := massgenipc.Writer{Dir: f.dir, Memory: memory}
				if err := w.Write("x", "", 0); err != nil {
					t.Error(err)
				}
			})
		}
		all.Wait()
		raw, err := os.ReadFile(f.path())
		require.NoError(t, err)
		require.Contains(t, string(raw), `"sequence":20}`)
		f.isKept(true)
	})
	t.Run("what is no number", func(t *testing.T) {
		f := newFolder(t)
		memory := massgenipc.Memory{Dir: t.TempDir()}
		require.NoError(t, (&massgenipc.Writer{Dir: f.dir, Memory: memory}).Write("x", "", 0))
		files, err := filepath.Glob(filepath.Join(memory.Dir, "massgen-ipc", "*"))
		require.NoError(t, err)
		require.Len(t, files, 1)
		for _, text := range []string{"", "x", "-7", "99999999999999999999999999999999999"} {
			require.NoError(t, os.WriteFile(files[0], []byte(text), 0o600))
			require.NoError(t, massgenipc.Clear(f.dir))
			require.NoError(t, (&massgenipc.Writer{Dir: f.dir, Memory: memory}).Write("x", "", 0))
			raw, err := os.ReadFile(f.path())
			require.NoError(t, err)
			require.Contains(t, string(raw), `"sequence":1}`, text)
		}
	})
	t.Run("no folder to remember in", func(t *testing.T) {
		f := newFolder(t)
		file := filepath.Join(t.TempDir(), "file")
		require.NoError(t, os.WriteFile(file, nil, 0o600))
		w := massgenipc.Writer{Dir: f.dir, Memory: massgenipc.Memory{Dir: file}}
		require.NoError(t, w.Write("x", "", 0))
		f.isKept(true)
	})
}
