//go:build unix

package runlog

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestFileIsPrivate(t *testing.T) {
	defer syscall.Umask(syscall.Umask(0))
	l := newLog(t, Options{MaxSize: 1})
	require.NoError(t, l.Append(numbered("1")))
	require.NoError(t, l.Append(numbered("2")))
	for n := range 2 {
		info, err := os.Stat(l.part(n))
		require.NoError(t, err)
		require.Equal(t, os.FileMode(0o600), info.Mode())
	}
}

func TestNoRegularFile(t *testing.T) {
	dir := t.TempDir()
	fifo := filepath.Join(dir, "fifo")
	require.NoError(t, syscall.Mkfifo(fifo, 0o600))
	link := filepath.Join(dir, "link")
	require.NoError(t, os.Symlink(fifo, link))
	for _, path := range []string{fifo, link, "/dev/null"} {
		l := newLog(t, Options{Path: path})
		require.EqualError(t, l.Append(numbered("1")), "run log "+path+": is no regular file; name another")
	}
	// It may take the place of the file after the look at it.
	file, err := openFile(fifo)
	require.NoError(t, err)
	require.NoError(t, file.Close())
}

// A link to a file is as good as the file, until it is rotated.
func TestLink(t *testing.T) {
	l := newLog(t, Options{})
	require.NoError(t, os.Symlink("real", l.path))
	require.NoError(t, l.Append(numbered("1")))
	require.NoError(t, l.Append(numbered("2")))
	require.Equal(t, []string{"1", "2"}, ids(t, filepath.Join(filepath.Dir(l.path), "real")))
}

// A link that another user has put into the place of the log leads nowhere, also where the system would follow it
// (fs.protected_symlinks=0), and a file of theirs is not written to.
func TestLogOfAnotherUser(t *testing.T) {
	if os.Getuid() != 0 {
		t.Skip("only root can make files of other users")
	}
	const nobody = 65534
	dir := filepath.Join(t.TempDir(), "tmp")
	require.NoError(t, os.Mkdir(dir, 0o777))
	require.NoError(t, os.Chmod(dir, os.ModeSticky|0o777))
	ours := filepath.Join(dir, "ours")
	require.NoError(t, os.WriteFile(ours, []byte("precious"), 0o600))
	link, file := filepath.Join(dir, "link"), filepath.Join(dir, "file")
	require.NoError(t, os.Symlink(ours, link))
	require.NoError(t, os.Lchown(link, nobody, nobody))
	require.NoError(t, os.WriteFile(file, nil, 0o666))
	require.NoError(t, os.Chown(file, nobody, nobody))
	const setting = "/proc/sys/fs/protected_symlinks"
	if was, err := os.ReadFile(setting); err == nil && strings.TrimSpace(string(was)) != "0" {
		if os.WriteFile(setting, []byte("0"), 0) == nil {
			defer os.WriteFile(setting, was, 0)
		} // else the system refuses the link by itself, in its own words
	}
	for path, want := range map[string]string{link: "is a link of another user", file: "belongs to another user"} {
		l := newLog(t, Options{Path: path})
		require.ErrorContains(t, l.Append(numbered("1")), want)
	}
	kept, err := os.ReadFile(ours)
	require.NoError(t, err)
	require.Equal(t, "precious", string(kept))
}

// A full disk takes the beginning of a line. Here it is the limit on the size of files that does so.
func TestFullDisk(t *testing.T) {
	path := filepath.Join(t.TempDir(), "run.log")
	const before, room = 70, 60 // room for a part of a line, and for a blank one for each line that does not fit
	cmd := role{Name: "full", Path: path, To: before, Room: room}.command(t)
	out, err := cmd.Output()
	require.NoError(t, err)
	var written []string
	for line := range strings.Lines(string(out)) {
		switch what, id, _ := strings.Cut(strings.TrimSpace(line), " "); what {
		case "put":
			written = append(written, id)
		case "not":
			require.Equal(t, "run log "+path+": file too large", id)
		default:
			require.Fail(t, line)
		}
	}
	require.Equal(t, 100, strings.Count(string(out), "\n"))
	require.Len(t, written, before)
	require.Equal(t, written, ids(t, path))

	// There is room again, and a process that knows of nothing writes. It also rotates the log.
	for _, size := range []int64{0, 1} {
		l := newLog(t, Options{Path: path, MaxSize: size})
		require.NoError(t, l.Append(numbered("after")))
		require.NoError(t, l.Append(numbered("more")))
	}
	var text []byte
	for n := parts; n >= 0; n-- {
		part, _ := os.ReadFile((&Log{path: path}).part(n))
		text = append(text, part...)
	}
	require.Equal(t, 100-len(written), missed(string(text)))
	require.Equal(t, 1, strings.Count(string(text), `"missed"`))
}

func init() { roles["full"] = full }

// full appends lines, and tries on when there is no room for a whole one.
func full(r role) error {
	l, err := New(Options{Path: r.Path})
	if err != nil {
		return err
	}
	for i := range 100 {
		if i == r.To {
			info, err := os.Stat(r.Path)
			if err != nil {
				return err
			}
			most := uint64(info.Size()) + r.Room
			if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &syscall.Rlimit{Cur: most, Max: most}); err != nil {
				return err
			}
		}
		if err := l.Append(numbered(fmt.Sprint(i))); err != nil {
			fmt.Println("not", err)
		} else {
			fmt.Println("put", i)
		}
	}
	return nil
}
