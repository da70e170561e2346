//go:build unix

package queue_test

import (
	"fmt"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hookrun/hookrun/internal/texts/queue"
)

// Who can plant an entry tells the model what to do.
func TestOthersAreRefused(t *testing.T) {
	const somebody = 54321
	for _, path := range []string{".", session, session + "/lock", session + "/entries"} {
		for name, spoil := range map[string]func(path string) error{
			"group": func(path string) error { return os.Chmod(path, 0o770) },
			"all":   func(path string) error { return os.Chmod(path, 0o702) },
			"owner": func(path string) error { return os.Chown(path, somebody, -1) },
			"link": func(path string) error {
				if err := os.Rename(path, path+"~"); err != nil {
					return err
				}
				return os.Symlink(path+"~", path)
			},
		} {
			if name == "link" && path != "." && path != session {
				continue // in a folder of our own a link is ours
			}
			t.Run(path+" "+name, func(t *testing.T) {
				if name == "owner" && os.Getuid() != 0 {
					t.Skip("only root gives files away")
				}
				q := queue.Queue{Dir: t.TempDir()}
				put(t, q, queue.Entry{Content: "1"})
				require.NoError(t, spoil(filepath.Join(q.Dir, "queue", path)))
				_, err := q.Claim(ctx, session, "a", "shell")
				require.Error(t, err)
				require.Regexp(t, "plant entries|no folder", err.Error())
				_, err = q.DrainAll(ctx, session)
				require.Error(t, err)
				if path != session+"/entries" { // Put lists nothing
					_, err = q.Put(ctx, queue.Entry{Session: session, Content: "secret"})
					require.Error(t, err)
				}
			})
		}
	}
}

func TestFilesArePrivate(t *testing.T) {
	defer syscall.Umask(syscall.Umask(0))
	q := queue.Queue{Dir: filepath.Join(t.TempDir(), "state")}
	everyKind(t, q)
	_, err := q.Claim(ctx, session, "a", "shell")
	require.NoError(t, err)
	require.NoError(t, filepath.WalkDir(q.Dir, func(path string, d os.DirEntry, err error) error {
		require.NoError(t, err)
		info, err := d.Info()
		require.NoError(t, err)
		want := os.FileMode(0o600)
		if d.IsDir() {
			want = 0o700
		}
		require.Equal(t, want, info.Mode().Perm(), path)
		return nil
	}))
}

// What was delivered does not come again, also where the disk has no room for the mark that says so.
func TestNoRoomForMarks(t *testing.T) {
	q := queue.Queue{Dir: t.TempDir()}
	put(t, q, queue.Entry{Content: "1"})
	marks := filepath.Join(q.Dir, "queue", session, "marks")
	require.NoError(t, os.Symlink("nowhere", marks))
	c, err := q.Claim(ctx, session, "a", "shell")
	require.NoError(t, err)
	require.NoError(t, c.Done(ctx), "it is on record")
	put(t, q, queue.Entry{Content: "2", Agents: []string{"a"}})
	c, err = q.Claim(ctx, session, "a", "shell")
	require.ErrorContains(t, err, "marks")
	require.Equal(t, []string{"2"}, contents(c.Entries), "others go on")
	require.NoError(t, c.Done(ctx))
	require.NoError(t, os.Remove(marks))
	require.Nil(t, deliver(t, q, "a", "shell"))
	require.Equal(t, []string{"1"}, deliver(t, q, "b", "shell"))
}

// A history that cannot be rotated does not grow without end.
func TestHistoryThatCannotBeRotated(t *testing.T) {
	q := queue.Queue{Dir: t.TempDir()}
	put(t, q, queue.Entry{Content: "one", Agents: []string{"a"}})
	deliver(t, q, "a", "shell")
	history := filepath.Join(q.Dir, "history", session)
	require.NoError(t, os.Truncate(history, 256<<10))
	require.NoError(t, os.MkdirAll(filepath.Join(history+".1", "in the way"), 0o700))
	put(t, q, queue.Entry{Content: "two", Agents: []string{"a"}})
	deliver(t, q, "a", "shell")
	info, err := os.Stat(history)
	require.NoError(t, err)
	require.EqualValues(t, 256<<10, info.Size())
}

// A named pipe and a link are no entries, and no history: nobody waits for them, and others go on.
func TestFilesThatAreNotRegular(t *testing.T) {
	elsewhere := filepath.Join(t.TempDir(), "elsewhere")
	require.NoError(t, os.WriteFile(elsewhere, []byte(
		`{"session":"s1","strategy":"tool_result","content":"planted","created_at":"2020-01-01T00:00:00Z"}`), 0o600))
	for name, plant := range map[string]func(path string) error{
		"pipe": func(path string) error { return syscall.Mkfifo(path, 0o600) },
		"link": func(path string) error { return os.Symlink(elsewhere, path) },
	} {
		t.Run(name, func(t *testing.T) {
			q := queue.Queue{Dir: t.TempDir()}
			one := put(t, q, queue.Entry{Content: "1", Agents: []string{"a"}})
			put(t, q, queue.Entry{Content: "2", Agents: []string{"a"}})
			files, err := filepath.Glob(filepath.Join(q.Dir, "queue", session, "entries", one.ID+"*"))
			require.NoError(t, err)
			require.NoError(t, os.Remove(files[0]))
			require.NoError(t, plant(files[0]))
			_, err = q.Waiting(ctx, session)
			const text = "an entry waits that cannot be read: %s is not a regular file: remove it"
			require.EqualError(t, err, fmt.Sprintf(text, files[0]))
			c, err := q.Claim(ctx, session, "a", "shell")
			require.ErrorContains(t, err, "is not a regular file: remove it")
			require.Equal(t, []string{"2"}, contents(c.Entries))
			require.NoError(t, c.Done(ctx))
			gone(t, q)
		})
	}
	t.Run("history", func(t *testing.T) {
		q := queue.Queue{Dir: t.TempDir()}
		put(t, q, queue.Entry{Content: "1", Agents: []string{"a"}})
		require.NoError(t, os.Mkdir(filepath.Join(q.Dir, "history"), 0o700))
		require.NoError(t, syscall.Mkfifo(filepath.Join(q.Dir, "history", session), 0o600))
		_, err := q.History(ctx, session)
		require.ErrorContains(t, err, "not a regular file")
		require.Equal(t, []string{"1"}, deliver(t, q, "a", "shell"))
	})
}
