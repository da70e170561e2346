package ipc_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/hookrun/hookrun/internal/testsupport/testall"
	"github.com/hookrun/hookrun/internal/texts/ipc"
)

// folder is a folder of hooks.
type folder struct {
	*testing.T
	dir string
}

func newFolder(t *testing.T) folder { return folder{t, t.TempDir()} }

func (f folder) path() string { return filepath.Join(f.dir, ipc.FileName) }

func (f folder) put(text string) {
	f.Helper()
	require.NoError(f, os.WriteFile(f.path(), []byte(text), 0o600))
}

// isKept requires that the file is there or not, and that nothing else is left behind.
func (f folder) isKept(kept bool) {
	f.Helper()
	names, err := filepath.Glob(filepath.Join(f.dir, "*"))
	require.NoError(f, err)
	want := []string(nil)
	if kept {
		want = []string{f.path()}
	}
	require.Equal(f, want, names)
}

func write(t *testing.T, w *ipc.Writer, content, matcher string, ttl time.Duration) {
	t.Helper()
	warnings, err := w.Write(content, matcher, ttl)
	require.NoError(t, err)
	require.Empty(t, warnings)
}

func at(seconds time.Duration) string {
	return fmt.Sprintf("%.3f", float64(time.Now().Add(seconds*time.Second).UnixMilli())/1e3)
}

func TestWrite(t *testing.T) {
	t.Run("M72 file", func(t *testing.T) {
		require.Equal(t, "hook_post_tool_use.json", ipc.FileName)
	})
	t.Run("M73 payload", func(t *testing.T) {
		f := newFolder(t)
		w := ipc.Writer{Dir: f.dir}
		write(t, &w, "a \"b\" <c>\n", "", 0)
		raw, err := os.ReadFile(f.path())
		require.NoError(t, err)
		require.Regexp(t,
			`^\{"inject":\{"content":"a \\"b\\" `+
				`<c>\\n","strategy":"tool_result"\},"tool_matcher":"\*","expires_at":\d+(\.\d+)?,`+
				`"sequence":1,"x-hookrun":true\}$`,
			string(raw))
	})
	t.Run("M74 write", func(t *testing.T) {
		f := newFolder(t)
		f.dir = filepath.Join(f.dir, "made", ".codex")
		w := ipc.Writer{Dir: f.dir}
		for n := 1; n <= 3; n++ {
			before := float64(time.Now().UnixMicro()) / 1e6
			write(t, &w, fmt.Sprint("text ", n), "read_*", 0)
			var p struct {
				Inject   struct{ Content string }
				Matcher  string  `json:"tool_matcher"`
				Expires  float64 `json:"expires_at"`
				Sequence int
			}
			raw, err := os.ReadFile(f.path())
			require.NoError(t, err)
			require.NoError(t, json.Unmarshal(raw, &p))
			require.Equal(t, fmt.Sprint("text ", n), p.Inject.Content)
			require.Equal(t, "read_*", p.Matcher)
			require.Equal(t, n, p.Sequence)
			require.InDelta(t, before+30, p.Expires, 5)
			f.isKept(true) // and no temporary file
			require.NoError(t, ipc.Clear(f.dir))
		}
	})
	t.Run("M74 readers never see half of it", func(t *testing.T) {
		testall.NotOnWindows(t, "a file that others have open all the time cannot be replaced")
		f := newFolder(t)
		w := ipc.Writer{Dir: f.dir}
		write(t, &w, "first", "", 0)
		var readers sync.WaitGroup
		over := make(chan struct{})
		for range testall.Of(20, 100) {
			readers.Go(func() {
				for {
					raw, err := os.ReadFile(f.path())
					if !os.IsNotExist(err) && (err != nil || !json.Valid(raw)) {
						t.Errorf("%v: %q", err, raw)
						return
					}
					select {
					case <-over:
						return
					default:
						runtime.Gosched()
					}
				}
			})
		}
		for n := range testall.Of(50, 200) {
			write(t, &w, fmt.Sprintf("%0*d", 100*n, n), "", 0)
		}
		close(over)
		readers.Wait()
	})
}

func TestConsume(t *testing.T) {
	for name, test := range map[string]struct {
		file    string
		content string
		kept    bool
		warns   string
	}{
		"M75 all is well": {file: `{"inject":{"content":"hi","strategy":"tool_result"},"tool_matcher":"*",` +
			`"expires_at":` + at(30) + `,"sequence":42}`, content: "hi"},
		"M75 only content": {file: `{"inject":{"content":"hi"}}`, content: "hi"},
		"M75 no JSON":      {file: `{"inject":`, warns: "no JSON object"},
		"M75 no object":    {file: `["hi"]`, warns: "no JSON object"},
		"M75 null":         {file: `null`, warns: "not an object"},
		"M75 no UTF-8": {file: "{\"inject\":{\"content\":\"\xff\"}}", kept: true,
			warns: "not UTF-8"},
		"M75 a glob that matches": {file: `{"inject":{"content":"hi"},"tool_matcher":"read_*"}`,
			content: "hi"},
		"M75 another tool": {file: `{"inject":{"content":"hi"},"tool_matcher":"write_*"}`,
			kept: true},
		"M75 no alternatives": {file: `{"inject":{"content":"hi"},"tool_matcher":"read_file|write_file"}`, kept: true},
		"M75 the name is that of the server": {file: `{"inject":{"content":"hi"},"tool_matcher":"mcp__*"}`,
			kept: true},
		"M75 a glob that is no string": {file: `{"inject":{"content":"hi"},"tool_matcher":null}`,
			kept: true, warns: "tool_matcher"},
		"M75 expired": {file: `{"inject":{"content":"hi"},"expires_at":` + at(-1) + `}`},
		"M75 expired, for another tool": {file: `{"inject":{"content":"hi"},"tool_matcher":"write_*","expires_at":` +
			at(-1) + `}`, kept: true},
		"M75 expires in quotes": {file: `{"inject":{"content":"hi"},"expires_at":"` + at(-1) + `"}`},
		"M75 expires never": {file: `{"inject":{"content":"hi"},"expires_at":null}`,
			content: "hi"},
		"M75 expires at no number": {file: `{"inject":{"content":"hi"},"expires_at":"soon"}`,
			content: "hi", warns: "expires_at"},
		"M75 sequence is no number":                {file: `{"inject":{"content":"hi"},"sequence":"x"}`, content: "hi"},
		"M75 sequence was seen":                    {file: `{"inject":{"content":"hi"},"sequence":-1}`},
		"M75 no inject":                            {file: `{"sequence":1}`, warns: "no inject.content"},
		"M75 inject is no object":                  {file: `{"inject":"hi"}`, warns: "no inject.content"},
		"M75 empty content":                        {file: `{"inject":{"content":""}}`, warns: "no inject.content"},
		"M75 expired beside what cannot be read":   {file: `{"inject":3,"expires_at":1}`},
		"M75 sequence goes before what is missing": {file: `{"inject":{},"sequence":-5}`},
	} {
		t.Run(name, func(t *testing.T) {
			f := newFolder(t)
			f.put(test.file)
			content, found, warnings := ipc.NewReader(f.dir).Consume("read_file")
			require.Equal(t, test.content, content)
			require.Equal(t, test.content != "", found)
			f.isKept(test.kept)
			if test.warns == "" {
				require.Empty(t, warnings)
			} else {
				require.Len(t, warnings, 1)
				require.Contains(t, warnings[0], test.warns)
			}
		})
	}
	t.Run("M75 missing file", func(t *testing.T) {
		_, found, warnings := ipc.NewReader(filepath.Join(t.TempDir(), "none")).Consume("t")
		require.False(t, found)
		require.Empty(t, warnings)
	})
	t.Run("M75 unreadable", func(t *testing.T) {
		f := newFolder(t)
		require.NoError(t, os.Mkdir(f.path(), 0o700))
		_, found, warnings := ipc.NewReader(f.dir).Consume("t")
		require.False(t, found)
		require.Len(t, warnings, 1)
		f.isKept(true)
	})
	t.Run("M75 sequences", func(t *testing.T) {
		f := newFolder(t)
		r := ipc.NewReader(f.dir)
		for _, step := range []struct {
			sequence int
			found    bool
		}{{0, true}, {0, false}, {2, true}, {1, false}, {2, false}, {3, true}} {
			f.put(fmt.Sprintf(`{"inject":{"content":"hi"},"sequence":%d}`, step.sequence))
			_, found, _ := r.Consume("t")
			require.Equal(t, step.found, found, "%+v", step)
			f.isKept(false)
		}
	})
	t.Run("M75 what is written is read", func(t *testing.T) {
		f := newFolder(t)
		w, r := ipc.Writer{Dir: f.dir}, ipc.NewReader(f.dir)
		for n := range 3 {
			write(t, &w, fmt.Sprint("text ", n), "", time.Minute)
			content, _, warnings := r.Consume("t")
			require.Equal(t, fmt.Sprint("text ", n), content)
			require.Empty(t, warnings)
		}
	})
}

func TestTake(t *testing.T) {
	for name, test := range map[string]struct {
		tool, file, want string
		kept             bool
	}{
		"M76 all is well": {"Bash", `{"inject":{"content":"hi"},"sequence":-7}`, "hi", false},
		"M76 alternatives": {"server/Bash", `{"inject":{"content":"hi"},"tool_matcher":"Edit|Bash"}`, "hi",
			false},
		"M76 another tool": {"Bash", `{"inject":{"content":"hi"},"tool_matcher":"Edit"}`, "", true},
		"M76 expiry comes first": {"Bash", `{"inject":{"content":"hi"},"tool_matcher":"Edit","expires_at":1}`, "",
			false},
		"M76 every tool":           {"", `{"inject":{"content":"hi"},"tool_matcher":""}`, "hi", false},
		"M76 matcher is no string": {"x", `{"inject":{"content":"hi"},"tool_matcher":3}`, "hi", false},
		"M76 bad file":             {"x", `{`, "", false},
		"M76 no content":           {"x", `{"inject":{}}`, "", false},
	} {
		t.Run(name, func(t *testing.T) {
			f := newFolder(t)
			f.put(test.file)
			content, found, _ := ipc.Memory{}.Take(f.dir, test.tool)
			require.Equal(t, test.want, content)
			require.Equal(t, test.want != "", found)
			f.isKept(test.kept)
		})
	}
	t.Run("M76 no file", func(t *testing.T) {
		_, found, warnings := ipc.Memory{}.Take(t.TempDir(), "x")
		require.Empty(t, warnings)
		require.False(t, found)
	})
}

func TestUnconsumed(t *testing.T) {
	for name, test := range map[string]struct{ file, want string }{
		"M80 there":     {`{"inject":{"content":"hi"},"tool_matcher":"nobody"}`, "hi"},
		"M80 malformed": {`{`, ""},
		"M80 expired":   {`{"inject":{"content":"hi"},"expires_at":1}`, ""},
		"M80 empty":     {`{"inject":{}}`, ""},
	} {
		t.Run(name, func(t *testing.T) {
			f := newFolder(t)
			f.put(test.file)
			content, found, err := ipc.Unconsumed(f.dir)
			require.NoError(t, err)
			require.Equal(t, test.want, content)
			require.Equal(t, test.want != "", found)
			f.isKept(false)
			_, found, err = ipc.Unconsumed(f.dir)
			require.NoError(t, err)
			require.False(t, found, "the second time there is nothing")
		})
	}
}

func TestClear(t *testing.T) {
	t.Run("M81 clear", func(t *testing.T) {
		f := newFolder(t)
		f.put(`{}`)
		require.NoError(t, os.WriteFile(filepath.Join(f.dir, "hook_post_tool_use.tmp"), nil, 0o600))
		require.NoError(t, ipc.Clear(f.dir))
		f.isKept(false)
		require.NoError(t, ipc.Clear(f.dir))
		require.NoError(t, ipc.Clear(filepath.Join(f.dir, "none")))
	})
}

func TestLimits(t *testing.T) {
	t.Run("M82 a payload carries no decision and no arguments", func(t *testing.T) {
		f := newFolder(t)
		f.put(`{"inject":{"content":"hi"},"decision":"deny","modified_args":{"a":1}}`)
		content, found, warnings := ipc.NewReader(f.dir).Consume("t")
		require.True(t, found)
		require.Equal(t, "hi", content)
		require.Empty(t, warnings)
	})
}
