package runlog

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/tidwall/gjson"

	"github.com/hookrun/hookrun/internal/core/dialect"
	"github.com/hookrun/hookrun/internal/lib/files/lock"
	"github.com/hookrun/hookrun/internal/testsupport/testall"
	"github.com/hookrun/hookrun/protocol"
)

func newLog(t *testing.T, o Options) *Log {
	t.Helper()
	if o.Path == "" {
		o.Path = filepath.Join(t.TempDir(), "run.log")
	}
	l, err := New(o)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, l.Close()) })
	return l
}

// numbered is an entry that can be told from others.
func numbered(id string) *Entry {
	return &Entry{Time: begun, Command: "serve", Call: &dialect.Call{Event: "pre-tool", ToolUseID: id}}
}

// ids are the entries in a file, those that are lines of a log.
func ids(t *testing.T, path string) (ids []string) {
	t.Helper()
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	for line := range strings.Lines(string(text)) {
		require.True(t, strings.HasSuffix(line, "\n"), line)
		if line == "\n" { // a line that did not fit
			continue
		}
		if gjson.Valid(line) {
			ids = append(ids, gjson.Get(line, "tool_use_id").String())
		} else {
			ids = append(ids, line)
		}
	}
	return ids
}

func TestNew(t *testing.T) {
	for want, o := range map[string]Options{
		"a run log needs a path": {},
		"redact pattern \"a(\" is no RE2 pattern: missing closing ): \"a(\"": {Path: "x", Redact: []string{"b", "a("}},
		`redact pattern "a*" matches the empty text; say what must be there`: {Path: "x", Redact: []string{"a*"}},
	} {
		_, err := New(o)
		require.EqualError(t, err, want)
	}
	dir := t.TempDir()
	_, err := New(Options{Path: dir + "/x"})
	require.NoError(t, err)
	names, err := os.ReadDir(dir)
	require.NoError(t, err)
	require.Empty(t, names, "nothing is opened yet")
}

func TestNilLog(t *testing.T) {
	var l *Log
	require.NoError(t, l.Append(&Entry{}))
	require.NoError(t, l.Close())
}

func TestAppend(t *testing.T) {
	l := newLog(t, Options{Redact: []string{"x+"}})
	require.NoError(t, l.Append(numbered("1")))
	require.NoError(t, l.Append(numbered("axx")))
	require.NoError(t, l.Close())
	require.NoError(t, l.Append(numbered("3")))
	require.Equal(t, []string{"1", "a[redacted]", "3"}, ids(t, l.path))
}

// TestCrash: a bug in the search for secrets is an error about one line, and the lines of later calls are written.
func TestCrash(t *testing.T) {
	l := newLog(t, Options{Redact: []string{"x+"}})
	pattern := l.patterns[0]
	l.patterns[0] = nil
	require.ErrorContains(t, l.Append(numbered("1")), "run log "+l.path+": hookrun itself failed: ")
	l.patterns[0] = pattern
	require.NoError(t, l.Append(numbered("2")))
	require.NoError(t, l.Append(numbered("3")))
	require.Equal(t, []string{"2", "3"}, ids(t, l.path))
	text, err := os.ReadFile(l.path)
	require.NoError(t, err)
	require.Equal(t, 1, missed(string(text)))
}

func TestManyGoroutines(t *testing.T) {
	l := newLog(t, Options{})
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			for range 50 {
				if err := l.Append(numbered("x")); err != nil {
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
	require.Len(t, ids(t, l.path), 400)
}

func TestTornTails(t *testing.T) {
	const line = lineStart + `"tool_use_id":"0"}` + "\n"
	long := strings.Repeat("x", 200<<10)
	for name, test := range map[string]struct {
		text, kept string
		end        []string
	}{
		"whole":              {line, line, nil},
		"torn":               {line + lineStart + `"ti`, line, nil},
		"in its first bytes": {line + `{"ver`, line, nil},
		"long":               {line + lineStart + long, line, nil},
		"the only line":      {lineStart + long, "", nil},
		"one byte":           {"{", "", nil},
		"somebody's":         {line + `{"a":1}`, line + "{\"a\":1}\n", nil},
		"somebody's file":    {"# text" + long, "# text" + long + "\n", nil},
		"only a line feed":   {"\n", "\n", nil},
		"zeros":              {line + "\x00\x00\x00", line + "\x00\x00\x00\n", nil},
	} {
		t.Run(name, func(t *testing.T) {
			l := newLog(t, Options{})
			require.NoError(t, os.WriteFile(l.path, []byte(test.text), 0o600))
			require.NoError(t, l.Append(numbered("1")))
			text, err := os.ReadFile(l.path)
			require.NoError(t, err)
			kept, added := string(text[:len(test.kept)]), string(text[len(test.kept):])
			require.Equal(t, test.kept, kept)
			require.Regexp(t, `^\{"version":1,.*"tool_use_id":"1".*\}\n$`, added)
		})
	}
}

func TestRotation(t *testing.T) {
	size := int64(len(numbered("1").AppendLine(nil, nil))) + 1
	files := func(t *testing.T, l *Log) (got [][]string) {
		for n := range parts + 2 {
			if _, err := os.Stat(l.part(n)); err != nil {
				require.ErrorIs(t, err, os.ErrNotExist)
				got = append(got, nil)
				continue
			}
			got = append(got, ids(t, l.part(n)))
		}
		return got
	}
	fill := func(t *testing.T, l *Log, ids string) {
		for _, id := range ids {
			require.NoError(t, l.Append(numbered(string(id))))
		}
	}
	t.Run("by size", func(t *testing.T) {
		l := newLog(t, Options{MaxSize: 2 * size})
		fill(t, l, "123456789")
		require.Equal(t, [][]string{{"9"}, {"7", "8"}, {"5", "6"}, {"3", "4"}, nil}, files(t, l))
	})
	t.Run("a line that is longer than a file", func(t *testing.T) {
		l := newLog(t, Options{MaxSize: 1})
		fill(t, l, "12345")
		require.Equal(t, [][]string{{"5"}, {"4"}, {"3"}, {"2"}, nil}, files(t, l))
	})
	t.Run("by another process", func(t *testing.T) {
		l := newLog(t, Options{})
		other := newLog(t, Options{Path: l.path, MaxSize: size})
		fill(t, l, "1")
		fill(t, other, "2")
		fill(t, l, "3")
		require.Equal(t, [][]string{{"2", "3"}, {"1"}, nil, nil, nil}, files(t, l))
	})
	t.Run("by hand", func(t *testing.T) {
		testall.NotOnWindows(t, "an open file keeps its name when it is removed, under Wine")
		l := newLog(t, Options{})
		fill(t, l, "1")
		require.NoError(t, os.Remove(l.path))
		fill(t, l, "2")
		require.Equal(t, [][]string{{"2"}, nil, nil, nil, nil}, files(t, l))
	})
	// Who is killed between two renames leaves a gap, and what is behind it has to stay.
	for gap, want := range map[int][][]string{
		0: {{"y"}, {"x"}, {"1"}, {"2"}, nil},
		1: {{"x"}, {"0"}, {"2"}, {"3"}, nil},
		2: {{"x"}, {"0"}, {"1"}, {"3"}, nil},
		3: {{"x"}, {"0"}, {"1"}, {"2"}, nil},
	} {
		t.Run("after one that was killed before it made part "+string(rune('0'+gap)), func(t *testing.T) {
			l := newLog(t, Options{MaxSize: size})
			for n, id := range []string{"0", "1", "2", "3"} {
				if n != gap {
					line := append(numbered(id).AppendLine(nil, nil), '\n')
					require.NoError(t, os.WriteFile(l.part(n), line, 0o600))
				}
			}
			if fill(t, l, "x"); gap == 0 {
				fill(t, l, "y")
			}
			require.Equal(t, want, files(t, l))
		})
	}
	t.Run("that fails", func(t *testing.T) {
		l := newLog(t, Options{MaxSize: size})
		require.NoError(t, os.MkdirAll(filepath.Join(l.part(parts), "full"), 0o700))
		fill(t, l, "123")
		for _, id := range []string{"4", "5"} {
			err := l.Append(numbered(id))
			require.ErrorContains(t, err, l.path+": it grows over its size: ")
			require.NotContains(t, err.Error(), "\n")
		}
		require.Equal(t, []string{"3", "4", "5"}, ids(t, l.path), "the lines are written")
		require.Equal(t, []string{"2"}, ids(t, l.part(1)))
		require.Equal(t, []string{"1"}, ids(t, l.part(2)))
	})
}

func TestNoLog(t *testing.T) {
	for name, test := range map[string]struct {
		make func(t *testing.T, path string)
		want string
	}{
		"no folder": {func(t *testing.T, path string) { require.NoError(t, os.Remove(filepath.Dir(path))) },
			": its folder does not exist; make it"},
		"a folder": {func(t *testing.T, path string) { require.NoError(t, os.Mkdir(path, 0o700)) },
			": is a folder; name a file"},
		"a folder's name": {func(t *testing.T, path string) {
			path = filepath.Dir(path)
			require.NoError(t, os.Remove(path))
			require.NoError(t, os.WriteFile(path, nil, 0o600))
		}, ": not a directory"},
	} {
		t.Run(name, func(t *testing.T) {
			l := newLog(t, Options{Path: filepath.Join(t.TempDir(), "in", "run.log")})
			require.NoError(t, os.Mkdir(filepath.Dir(l.path), 0o700))
			test.make(t, l.path)
			require.EqualError(t, l.Append(numbered("1")), "run log "+l.path+test.want)
		})
	}
}

// TestHeldLock: a stopped process holds the lock for ever. The lines of others are written all the same, where the
// system appends them as a whole.
func TestHeldLock(t *testing.T) {
	l := newLog(t, Options{})
	require.NoError(t, l.Append(numbered("1")))
	holder, err := open(l.path)
	require.NoError(t, err)
	defer holder.Close()
	free, err := lock.Try(holder)
	require.NoError(t, err)
	require.True(t, free)

	begin := time.Now()
	var all sync.WaitGroup
	for range 20 {
		all.Go(func() {
			if err := l.Append(numbered("2")); appends != (err == nil) || !appends && !errors.Is(err, errBusy) {
				t.Errorf("%v", err)
			}
		})
	}
	all.Wait()
	require.Less(t, time.Since(begin), 10*time.Second, "they wait together")
	require.GreaterOrEqual(t, time.Since(begin), lockWait)
	require.NoError(t, lock.Unlock(holder))
	require.NoError(t, l.Append(numbered("3")))
	want := slices.Repeat([]string{"2"}, 20)
	if !appends {
		want = nil
	}
	require.Equal(t, append(append([]string{"1"}, want...), "3"), ids(t, l.path))
	text, err := os.ReadFile(l.path)
	require.NoError(t, err)
	require.Equal(t, 20-len(want), missed(string(text)))
}

// missed sums what the lines say.
func missed(text string) (n int) {
	for line := range strings.Lines(text) {
		n += Missed([]byte(line))
	}
	return n
}

// A reader of the log does not know the folder in which the process was that wrote it.
func TestPathsOfHooksFilesAreAbsolute(t *testing.T) {
	testall.NotOnWindows(t, "the paths of its data are those of Unix")
	dir := t.TempDir()
	t.Chdir(dir)
	l, err := New(Options{Path: "log"})
	require.NoError(t, err)
	defer l.Close()
	hooks := []protocol.Report{{Name: "a", Source: "hooks.json:2"}, {Name: "b", Source: "/etc/hooks.json:3"}}
	outcome := &protocol.Outcome{Hooks: hooks}
	require.NoError(t, l.Append(&Entry{Outcome: outcome}))
	require.Equal(t, "hooks.json:2", outcome.Hooks[0].Source, "the outcome is the caller's")
	line, err := os.ReadFile(filepath.Join(dir, "log"))
	require.NoError(t, err)
	require.Contains(t, string(line), `"source":"`+filepath.Join(dir, "hooks.json")+`:2"`)
	require.Contains(t, string(line), `"source":"/etc/hooks.json:3"`)
}
