package ipc_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/hookrun/hookrun/internal/testsupport/testall"
	"github.com/hookrun/hookrun/internal/texts/ipc"
)

// writers are the two that write into one folder. The orchestrator counts its own texts from 1, and replaces what
// waits.
type writers struct {
	folder
	memory ipc.Memory
	theirs int
}

func twoWriters(t *testing.T) *writers {
	return &writers{folder: newFolder(t), memory: ipc.Memory{Dir: t.TempDir()}}
}

func (w *writers) orchestrator() string {
	w.Helper()
	w.theirs++
	text := fmt.Sprint("theirs ", w.theirs)
	w.put(fmt.Sprintf(`{"inject":{"content":%q},"sequence":%d}`, text, w.theirs))
	return text
}

// inject is a process of its own each time.
func (w *writers) inject(text string) (warnings []string) {
	w.Helper()
	mine := ipc.Writer{Dir: w.dir, Memory: w.memory}
	warnings, err := mine.Write(text, "", 0)
	require.NoError(w, err)
	return warnings
}

// readers returns the readers of hookrun: of a server before MCP servers, which stays, and of a call of its own, and
// both in turn; and one of a server whose memory is another one than the writer's.
func (w *writers) readers() map[string]func() string {
	server := ipc.NewReader(w.dir)
	server.Memory = w.memory
	elsewhere := ipc.NewReader(w.dir)
	elsewhere.Memory = ipc.Memory{Dir: w.TempDir()}
	calls := 0
	consume := func(r *ipc.Reader) string {
		text, _, warnings := r.Consume("t")
		require.Empty(w, warnings)
		return text
	}
	take := func() string {
		text, _, warnings := w.memory.Take(w.dir, "t")
		require.Empty(w, warnings)
		return text
	}
	return map[string]func() string{
		"mcp":             func() string { return consume(server) },
		"post-tool":       take,
		"another's state": func() string { return consume(elsewhere) },
		"both in turn": func() string {
			if calls++; calls%2 == 0 {
				return take()
			}
			return consume(server)
		},
	}
}

// However many texts hookrun wrote before and between, no text of the orchestrator's is passed over by hookrun's
// readers.
func TestTwoWriters(t *testing.T) {
	for _, name := range []string{"mcp", "post-tool", "another's state", "both in turn"} {
		t.Run(name, func(t *testing.T) {
			w := twoWriters(t)
			read := w.readers()[name]
			for n := range 4 {
				require.Empty(t, w.inject(fmt.Sprint("mine ", n)))
				require.Equal(t, fmt.Sprint("mine ", n), read())
			}
			for range 3 {
				require.Equal(t, w.orchestrator(), read())
			}
			w.inject("between")
			require.Equal(t, "between", read())
			require.Equal(t, w.orchestrator(), read())
			w.orchestrator()
			require.Empty(t, w.inject("added"))
			require.Equal(t, "theirs 5\n\nadded", read())
			require.Equal(t, w.orchestrator(), read())
			require.Empty(t, read())
			w.isKept(false)
		})
	}
}

// massgenReader reads as MassGen's middleware does: each number once and no lower one later.
func massgenReader(f folder) func() string {
	last := -1
	return func() string {
		raw, err := os.ReadFile(f.path())
		if os.IsNotExist(err) {
			return ""
		}
		require.NoError(f, err)
		var p struct {
			Inject   struct{ Content string }
			Sequence int
		}
		require.NoError(f, json.Unmarshal(raw, &p))
		require.NoError(f, os.Remove(f.path()))
		if p.Sequence <= last {
			return ""
		}
		last = p.Sequence
		return p.Inject.Content
	}
}

// What MassGen's own readers take of the two: the format has one row of numbers, of which each is taken once.
func TestMassGenReaders(t *testing.T) {
	t.Run("hookrun writes alone", func(t *testing.T) {
		w := twoWriters(t)
		read := massgenReader(w.folder)
		for n := range 3 {
			require.Empty(t, w.inject(fmt.Sprint(n)))
			require.Equal(t, fmt.Sprint(n), read())
		}
	})
	t.Run("beside the orchestrator", func(t *testing.T) {
		w := twoWriters(t)
		read := massgenReader(w.folder)
		for range 3 {
			text := w.orchestrator()
			require.Empty(t, w.inject("added"))
			require.Equal(t, text+"\n\nadded", read(), "what is added to a text comes with it")
		}
		const warning = "MassGen's orchestrator writes here too, and no reader of hookrun's took the last text: " +
			"MassGen's own readers may pass over this one"
		require.Equal(t, []string{warning}, w.inject("alone"))
		require.Empty(t, read())
		require.Equal(t, w.orchestrator(), read(), "the orchestrator's is not passed over because of it")
	})
}

func TestTextsJoin(t *testing.T) {
	write := func(w *writers, text, matcher string, ttl time.Duration) ([]string, error) {
		mine := ipc.Writer{Dir: w.dir, Memory: w.memory}
		return mine.Write(text, matcher, ttl)
	}
	t.Run("for other tools, of hookrun", func(t *testing.T) {
		w := twoWriters(t)
		_, err := write(w, "first", "a*", 0)
		require.NoError(t, err)
		warnings, err := write(w, "second", "b*", 0)
		require.NoError(t, err)
		require.Equal(t, []string{`replaced a text that waited for the tools "a*"`}, warnings)
		text, _, err := ipc.Unconsumed(w.dir)
		require.NoError(t, err)
		require.Equal(t, "second", text)
	})
	t.Run("for other tools, of the orchestrator", func(t *testing.T) {
		w := twoWriters(t)
		want := w.orchestrator()
		_, err := write(w, "second", "b*", 0)
		require.EqualError(t, err, `a text of MassGen's waits there for the tools "*", and would be lost; give it the `+
			`same --matcher, or try again when it was read`)
		require.Equal(t, want, w.readers()["mcp"]())
		w.isKept(false)
	})
	t.Run("the later time of both", func(t *testing.T) {
		w := twoWriters(t)
		w.put(`{"inject":{"content":"a"},"expires_at":` + at(100) + `,"sequence":1}`)
		require.Empty(t, w.inject("b"))
		raw, err := os.ReadFile(w.path())
		require.NoError(t, err)
		var p struct {
			Expires float64 `json:"expires_at"`
		}
		require.NoError(t, json.Unmarshal(raw, &p))
		require.InDelta(t, float64(time.Now().Unix())+100, p.Expires, 5)
	})
	for name, waiting := range map[string]string{
		"one that has expired": `{"inject":{"content":"a"},"expires_at":1,"sequence":4}`,
		"no JSON":              `{"inject":`,
		"without a text":       `{"sequence":4}`,
	} {
		t.Run(name+" is replaced", func(t *testing.T) {
			w := twoWriters(t)
			w.put(waiting)
			w.inject("b")
			require.Equal(t, "b", w.readers()["mcp"]())
			w.isKept(false)
		})
	}
}

// Several writers of hookrun and both of its readers at once: no text is lost, and none is taken twice.
func TestWritersAndReadersAtOnce(t *testing.T) {
	ipc.WaitLonger(t)
	const writing = 4
	each := testall.Of(50, 300)
	w := twoWriters(t)
	var all, reading sync.WaitGroup
	var mu sync.Mutex
	got := map[string]int{}
	keep := func(text string) {
		if text == "" {
			return
		}
		mu.Lock()
		defer mu.Unlock()
		for one := range strings.SplitSeq(text, "\n\n") {
			got[one]++
		}
	}
	over := make(chan struct{})
	for range 2 {
		for _, name := range []string{"mcp", "post-tool"} {
			read := w.readers()[name]
			reading.Go(func() {
				for {
					keep(read())
					select {
					case <-over:
						return
					default:
					}
				}
			})
		}
	}
	reading.Go(func() { // for other tools: this one puts back what it took by chance
		other := ipc.NewReader(w.dir)
		for {
			_, found, _ := other.Consume("other")
			if found {
				t.Error("it is for other tools")
			}
			select {
			case <-over:
				return
			default:
			}
		}
	})
	for n := range writing {
		all.Go(func() {
			for i := range each {
				mine := ipc.Writer{Dir: w.dir, Memory: w.memory}
				if _, err := mine.Write(fmt.Sprintf("%d-%d", n, i), "t", time.Minute); err != nil {
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
	close(over)
	reading.Wait()
	keep(w.readers()["mcp"]())
	for n := range writing {
		for i := range each {
			one := fmt.Sprintf("%d-%d", n, i)
			require.Equal(t, 1, got[one], one)
		}
	}
	require.Len(t, got, writing*each)
	w.isKept(false)
}

func TestMemory(t *testing.T) {
	t.Run("many processes", func(t *testing.T) {
		ipc.WaitLonger(t) // who gives up counts on without the memory
		f := newFolder(t)
		memory := ipc.Memory{Dir: t.TempDir()}
		var all sync.WaitGroup
		for range 20 {
			all.Go(func() {
				w := ipc.Writer{Dir: f.dir, Memory: memory}
				if _, err := w.Write("x", "", 0); err != nil {
					t.Error(err)
				}
			})
		}
		all.Wait()
		raw, err := os.ReadFile(f.path())
		require.NoError(t, err)
		require.Equal(t, 20, strings.Count(string(raw), "x")-len("xx"), "each, beside two keys: %s", raw)
		f.isKept(true)
	})
	t.Run("what is no number", func(t *testing.T) {
		f := newFolder(t)
		memory := ipc.Memory{Dir: t.TempDir()}
		write(t, &ipc.Writer{Dir: f.dir, Memory: memory}, "x", "", 0)
		files, err := filepath.Glob(filepath.Join(memory.Dir, "massgen-ipc", "*"))
		require.NoError(t, err)
		require.Len(t, files, 1)
		for _, text := range []string{"", "x", "-7", "99999999999999999999999999999999999"} {
			require.NoError(t, os.WriteFile(files[0], []byte(text), 0o600))
			require.NoError(t, ipc.Clear(f.dir))
			write(t, &ipc.Writer{Dir: f.dir, Memory: memory}, "x", "", 0)
			raw, err := os.ReadFile(f.path())
			require.NoError(t, err)
			require.Contains(t, string(raw), `"sequence":1,`, text)
		}
	})
	t.Run("no folder to remember in", func(t *testing.T) {
		f := newFolder(t)
		file := filepath.Join(t.TempDir(), "file")
		require.NoError(t, os.WriteFile(file, nil, 0o600))
		w := ipc.Writer{Dir: f.dir, Memory: ipc.Memory{Dir: file}}
		write(t, &w, "x", "", 0)
		f.isKept(true)
	})
}
