package approval_test

import (
	"context"
	"encoding/base64"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/hookrun/hookrun/internal/core/approval"
	"github.com/hookrun/hookrun/internal/lib/files/lock"
)

func request() *approval.Request {
	return &approval.Request{Hook: "h", Reason: "no", Call: approval.Call{Event: "pre-tool", Tool: "shell",
		Args: `{"command":"make"}`, Workspace: "/w", Dir: "/w", Session: "s", Agent: "a"}}
}

func approved(t *testing.T, dir string, r *approval.Request) {
	t.Helper()
	code, err := approval.Ask(dir, r)
	require.NoError(t, err)
	require.Equal(t, r.Code(), code)
	read, err := approval.Read(dir, code)
	require.NoError(t, err)
	require.Equal(t, r.Tool, read.Tool)
	require.NoError(t, read.Approve(dir))
}

// A call passes once, whichever of many processes asks first, and no call passes that differs in any field.
func TestOnce(t *testing.T) {
	dir := t.TempDir()
	r := request()
	ok, err := approval.Take(t.Context(), dir, &r.Call)
	require.NoError(t, err)
	require.False(t, ok, "before anything is asked")
	_, err = approval.Ask(dir, r)
	require.NoError(t, err)
	ok, err = approval.Take(t.Context(), dir, &r.Call)
	require.NoError(t, err)
	require.False(t, ok, "before it is approved")
	approved(t, dir, r)
	for _, change := range []func(c *approval.Call){
		func(c *approval.Call) { c.Event = "PreToolUse" }, func(c *approval.Call) { c.Tool = "bash" },
		func(c *approval.Call) { c.Args = `{"command":"make "}` }, func(c *approval.Call) { c.Workspace = "/" },
		func(c *approval.Call) { c.Dir = "/" }, func(c *approval.Call) { c.Session = "" },
		func(c *approval.Call) { c.Agent = "" }, func(c *approval.Call) { c.Raw = `{"command":"x","command":"make"}` },
		func(c *approval.Call) { c.Workspace, c.Dir = "/w\xfe", "/w\xff" },
	} {
		other := r.Call
		change(&other)
		ok, err := approval.Take(t.Context(), dir, &other)
		require.NoError(t, err)
		require.False(t, ok)
	}
	var all sync.WaitGroup
	var passed atomic.Int32
	for range 20 {
		all.Go(func() {
			if ok, err := approval.Take(t.Context(), dir, &r.Call); err == nil && ok {
				passed.Add(1)
			}
		})
	}
	all.Wait()
	require.EqualValues(t, 1, passed.Load())
}

// An approval ends after ten minutes. One from the future, as after a change of the clock, is none.
func TestValid(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := request()
		require.False(t, r.Valid())
		now := time.Now() // the clock stands still here
		for ago, valid := range map[time.Duration]bool{-time.Nanosecond: false, 0: true,
			approval.Valid - time.Nanosecond: true, approval.Valid: false} {
			r.Approved = now.Add(-ago)
			require.Equal(t, valid, r.Valid(), ago)
		}
	})
}

// A file that another user could have written approves nothing.
func TestOthers(t *testing.T) {
	for name, spoil := range map[string]func(folder, file string) error{
		"file":   func(_, file string) error { return os.Chmod(file, 0o606) },
		"folder": func(folder, _ string) error { return os.Chmod(folder, 0o707) },
		"link": func(folder, file string) error {
			if err := os.Rename(file, filepath.Join(folder, "other")); err != nil {
				return err
			}
			return os.Symlink("other", file)
		},
		"text":  func(_, file string) error { return os.WriteFile(file, []byte(`{"tool":1}`), 0o600) },
		"other": func(_, file string) error { return os.WriteFile(file, []byte(`{"call":["eA=="]}`), 0o600) },
		"shown arguments of another call": func(_, file string) error {
			text, err := os.ReadFile(file)
			shown := base64.StdEncoding.EncodeToString([]byte(`{"command":"make"}`))
			harmless := base64.StdEncoding.EncodeToString([]byte(`{"command":"true"}`))
			changed := strings.Replace(string(text), shown, harmless, 1)
			require.NotEqual(t, string(text), changed)
			return errors.Join(err, os.WriteFile(file, []byte(changed), 0o600))
		},
	} {
		t.Run(name, func(t *testing.T) {
			if runtime.GOOS == "windows" && slices.Contains([]string{"file", "folder", "link"}, name) {
				t.Skip("there access lists say who can write")
			}
			dir := t.TempDir()
			r := request()
			approved(t, dir, r)
			folder := filepath.Join(dir, approval.Folder)
			if err := spoil(folder, filepath.Join(folder, r.Code()+".json")); err != nil {
				t.Skip(err)
			}
			ok, err := approval.Take(t.Context(), dir, &r.Call)
			require.NoError(t, err)
			require.False(t, ok)
			_, err = approval.Read(dir, r.Code())
			require.ErrorContains(t, err, "remove it")
			waiting, err := approval.Waiting(dir)
			require.NoError(t, err)
			require.Empty(t, waiting)
		})
	}
}

// A state folder that the record of allowed hooks may not be in approves nothing either.
func TestStateFolderOfOthers(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("there access lists say who can write")
	}
	for name, spoil := range map[string]func(dir string) error{
		"state":       func(dir string) error { return os.Chmod(dir, 0o777) },
		"group":       func(dir string) error { return os.Chmod(dir, 0o770) },
		"above":       func(dir string) error { return os.Chmod(filepath.Dir(dir), 0o777) },
		"other owner": func(dir string) error { return os.Chown(dir, 65534, -1) },
	} {
		t.Run(name, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "state")
			r := request()
			approved(t, dir, r)
			require.True(t, approval.Granted(dir, &r.Call))
			if err := spoil(dir); err != nil {
				t.Skip(err)
			}
			require.False(t, approval.Granted(dir, &r.Call))
			_, err := approval.Ask(dir, r)
			require.ErrorContains(t, err, "cannot be trusted")
			_, err = approval.Read(dir, r.Code())
			require.ErrorContains(t, err, "cannot be trusted")
			_, err = approval.Waiting(dir)
			require.ErrorContains(t, err, "cannot be trusted")
		})
	}
}

func TestWaiting(t *testing.T) {
	dir := t.TempDir()
	waiting, err := approval.Waiting(dir)
	require.NoError(t, err)
	require.Empty(t, waiting)
	first, second := request(), request()
	second.Tool = "bash"
	_, err = approval.Ask(dir, first)
	require.NoError(t, err)
	_, err = approval.Ask(dir, second)
	require.NoError(t, err)
	waiting, err = approval.Waiting(dir)
	require.NoError(t, err)
	require.Len(t, waiting, 2)
	approved(t, dir, first)
	waiting, err = approval.Waiting(dir)
	require.NoError(t, err)
	require.Len(t, waiting, 1)
	require.Equal(t, "bash", waiting[0].Tool)
}

func TestFaults(t *testing.T) {
	dir := t.TempDir()
	for _, code := range []string{"", "abc", "../../../etc", "abcdefgw", "abcdefgh"} {
		_, err := approval.Read(dir, code)
		require.ErrorIs(t, err, fs.ErrNotExist, code)
	}
	long := request()
	long.Args = string(make([]byte, 1<<20))
	_, err := approval.Ask(dir, long)
	require.ErrorIs(t, err, approval.ErrTooLong)
}

// Asking again keeps an approval, replaces a file that cannot be read, and cuts a long reason. While another process
// takes an approval, nobody else does.
func TestAskAgain(t *testing.T) {
	dir := t.TempDir()
	r := request()
	r.Reason, r.Workspace = "n"+strings.Repeat("ó", 1<<20), "/w\xff"
	approved(t, dir, r)
	_, err := approval.Ask(dir, r)
	require.NoError(t, err)
	read, err := approval.Read(dir, r.Code())
	require.NoError(t, err)
	require.Regexp(t, "^nó+ …$", read.Reason)
	folder := filepath.Join(dir, approval.Folder)
	other, err := os.OpenFile(filepath.Join(folder, "lock"), os.O_RDWR|os.O_CREATE, 0o600)
	require.NoError(t, err)
	require.NoError(t, lock.Lock(other))
	ended, end := context.WithCancel(t.Context())
	end()
	ok, err := approval.Take(ended, dir, &r.Call)
	require.ErrorIs(t, err, context.Canceled)
	require.False(t, ok)
	require.NoError(t, other.Close())
	ok, err = approval.Take(ended, dir, &r.Call)
	require.NoError(t, err)
	require.True(t, ok)
	require.NoError(t, os.WriteFile(filepath.Join(folder, r.Code()+".json"), []byte("{"), 0o600))
	approved(t, dir, r)
}
