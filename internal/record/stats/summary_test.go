package stats

import (
	"bytes"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/hookrun/hookrun/internal/clients/parts"
	"github.com/hookrun/hookrun/internal/core/hookfile"
	"github.com/hookrun/hookrun/internal/testsupport/testall"
)

// sample is lines as calls make them: two or three hooks each, about 800 bytes.
func sample(n int) []byte {
	random := rand.New(rand.NewPCG(1, 2))
	when := time.Date(2026, 11, 21, 14, 43, 17, 123_456_000, time.UTC)
	var b bytes.Buffer
	for i := range n {
		when = when.Add(time.Duration(random.IntN(100_000)) * time.Microsecond)
		ms := func() float64 { return math.Exp(random.Float64()*12) / 100 }
		fmt.Fprintf(&b,
			`{"version":1,"time":"%s","command":"serve","pid":4711,"session_id":"s%d",`+
				`"workspace":"/home/user/project","tool_use_id":"toolu_%08d",`,
			when.Format(stampForm), i%7, i)
		fmt.Fprintf(&b,
			`"args":{"command":"go test ./... 2>&1 | tail -n 20","description":"run the tests of the `+
				`project"},"outcome":{"version":1,"event":"pre-tool","tool":"shell",`)
		status := "ok"
		if i%20 == 0 {
			status = "blocked"
			fmt.Fprintf(&b,
				`"decision":"block","reason":"push %d to main is not allowed `+
					`here","cause":"policy","hook":"guard-shell",`, i)
		} else {
			b.WriteString(`"decision":"continue",`)
		}
		if i%10 == 3 {
			b.WriteString(`"inject":[{"hook":"context","content":"the build is red"}],`)
		}
		b.WriteString(`"hooks":[`)
		for j, name := range []string{"guard-shell", "no-secrets", "context"}[:2+i%2] {
			if j > 0 {
				b.WriteByte(',')
				status = "ok"
			}
			fmt.Fprintf(&b,
				`{"name":"%s","source":"/home/user/project/.tenex-hooks.json:%d","status":"%s","exit_code":0,`+
					`"start_ms":%.2f,"duration_ms":%.2f,"limit_ms":1000,"stdout_bytes":0}`,
				name, 4+3*j, status, ms(), ms())
		}
		fmt.Fprintf(&b, `],"duration_ms":%.2f}}`+"\n", ms())
	}
	return b.Bytes()
}

// write writes the parts of a log, the youngest first, and returns its path.
func write(t testing.TB, parts ...string) string {
	path := filepath.Join(t.TempDir(), "run.log")
	for i, text := range parts {
		name := path
		if i > 0 {
			name = fmt.Sprintf("%s.%d", path, i)
		}
		require.NoError(t, os.WriteFile(name, []byte(text), 0o600))
	}
	return path
}

func summarize(t testing.TB, path string, f Filter) *Summary {
	log, err := Open(path)
	require.NoError(t, err)
	defer log.Close()
	s, err := log.Summary(f)
	require.NoError(t, err)
	return s
}

// requireOracle demands what the oracle says, and percentiles that are right to 1 %.
func requireOracle(t *testing.T, log []byte, f Filter, got *Summary) {
	t.Helper()
	want := oracle(log, f)
	for i := range got.Blocks {
		got.Blocks[i].About = "" // has a test of its own
	}
	got.Files = nil
	require.Len(t, got.Hooks, len(want.Hooks))
	for i := range want.Hooks {
		w, g := &want.Hooks[i], &got.Hooks[i]
		for _, pair := range [][2]*float64{{&w.P50, &g.P50}, {&w.P95, &g.P95}} {
			if exact := *pair[0]; exact < 1e12 { // three thousand years; above, there is one bucket
				require.InDelta(t, exact, *pair[1], exact/100+0.0051, w.Name)
			}
			*pair[1] = *pair[0]
		}
		g.sources = nil
	}
	require.Equal(t, want, got)
}

func TestSummary(t *testing.T) {
	testall.NotOnWindows(t, "the paths of its data are those of Unix")
	call := func(rest string) string { return `{"version":1,"time":"2026-11-21T14:43:17.123456Z",` + rest + "}\n" }
	outcome := func(rest string) string {
		return call(`"session_id":"s1","outcome":{"event":"pre-tool","decision":"continue"` + rest + `}`)
	}
	hook := func(name, status string, rest string) string {
		return outcome(`,"hooks":[{"name":"` + name + `","source":"/p/h.json:3","status":"` + status + `"` + rest +
			`}]`)
	}
	for name, c := range map[string]struct {
		log    string
		filter Filter
		check  func(*testing.T, *Summary)
	}{
		"nothing": {"", Filter{}, func(t *testing.T, s *Summary) {
			require.Equal(t, &Summary{Version: 1, Hooks: []Hook{}, NeverFired: []NeverFired{}, Blocks: []Block{}}, s)
		}},
		"every status": {
			hook("a", "ok", `,"duration_ms":1`) + hook("a", "blocked", `,"duration_ms":2`) + hook("a", "failed",
				`,"duration_ms":3`) +
				hook("a", "timeout", `,"duration_ms":4,"limit_ms":4`) + hook("a", "unstarted", `,"duration_ms":50`) +
				hook("a", "skipped", "") +
				hook("a", "async", `,"duration_ms":60`) + hook("a", "of the future", ""), Filter{},
			func(t *testing.T, s *Summary) {
				require.Equal(t, []Hook{{
					Name: "a", File: "/p/h.json", Events: []string{"pre-tool"}, Matched: 8, OK: 1, Blocked: 1,
					Failed: 1, TimedOut: 1, Unstarted: 1,
					Skipped: 1, Async: 1, Other: 1, P50: 2, P95: 4, Max: 4, Limit: 4,
					Last: "2026-11-21T14:43:17.123456Z",
				}}, s.Hooks)
			},
		},
		"near a timeout": {
			hook("a", "ok", `,"duration_ms":7.99,"limit_ms":10`) + hook("a", "ok", `,"duration_ms":8,"limit_ms":10`) +
				hook("a", "timeout", `,"duration_ms":10,"limit_ms":10`), Filter{},
			func(t *testing.T, s *Summary) { require.Equal(t, 1, s.Hooks[0].Near) },
		},
		"one hook at several lines and events": {
			hook("a", "ok", "") + strings.ReplaceAll(hook("a", "ok", ""), "json:3", "json:4") +
				strings.ReplaceAll(hook("a", "ok", ""), "pre-tool", "Stop"), Filter{},
			func(t *testing.T, s *Summary) {
				require.Len(t, s.Hooks, 1)
				require.Equal(t, []string{"pre-tool", "Stop"}, s.Hooks[0].Events)
			},
		},
		"a source without a full path": {
			call(`"workspace":"/w","outcome":{"decision":"continue","hooks":[{"name":"a",`+
				`"source":".tenex-hooks.json:3","status":"ok"}]}`) +
				call(`"workspace":"/v/w","outcome":{"decision":"continue","hooks":[{"name":"a",`+
					`"source":"w/.tenex-hooks.json:3","status":"ok"}]}`), Filter{},
			func(t *testing.T, s *Summary) {
				require.Equal(t, []string{"/w/.tenex-hooks.json", "/v/w/.tenex-hooks.json"},
					[]string{s.Hooks[0].File, s.Hooks[1].File})
			},
		},
		"injected": {
			outcome(`,"inject":[{"hook":"a","content":"x"},{"hook":"a","content":"y"},{"content":"of a `+
				`queue"}],"hooks":[{"name":"a","status":"ok"},{"name":"b","status":"ok"}]`) +
				outcome(`,"inject":[{"hook":"b","content":"late"}]`), Filter{},
			func(t *testing.T, s *Summary) {
				require.Equal(t, []int{1, 0, 0, 1}, []int{s.Hooks[0].Injected, s.Hooks[0].Late, s.Hooks[1].Injected,
					s.Hooks[1].Late})
			},
		},
		"escapes are seen through": {
			`{"\u0074ime":"2026-11-21T14:43:17\u005a","outcome":{"decision":"bl\u006fck","cause":"a\nb"}}` + "\n",
			Filter{},
			func(t *testing.T, s *Summary) {
				require.Equal(t, []Block{{Time: "2026-11-21T14:43:17.000000Z", Decision: "block", Cause: "a\nb"}},
					s.Blocks)
			},
		},
		"errors, decisions and stops": {
			call(`"error":"no","event":"pre-tool"`) + outcome(`,"stop":true`) + strings.ReplaceAll(outcome(""),
				"continue", "ask") +
				strings.ReplaceAll(outcome(""), "continue", "defer") + strings.ReplaceAll(outcome(""), "continue",
				"block"), Filter{},
			func(t *testing.T, s *Summary) {
				require.Equal(t, Decisions{1, 1, 1, 1}, s.Decisions)
				require.Equal(t, []int{5, 1, 1, 3}, []int{s.Calls, s.Errors, s.Stopped, len(s.Blocks)})
			},
		},
		"only of a session": {
			outcome("") + call(`"session_id":"s2","error":"no"`) + "garbage\n", Filter{Session: "s2"},
			func(t *testing.T, s *Summary) {
				require.Equal(t, []int{3, 1, 1, 1}, []int{s.Lines, s.Calls, s.Errors, s.Unreadable})
			},
		},
		"only since then": {
			outcome("") + strings.ReplaceAll(outcome(""), "17.123456", "17.123457"),
			Filter{Since: time.Date(2026, 11, 21, 14, 43, 17, 123_457_000, time.UTC)},
			func(t *testing.T, s *Summary) { require.Equal(t, []int{2, 1}, []int{s.Lines, s.Calls}) },
		},
		"a last line without an end": {outcome("") + strings.TrimSuffix(outcome(""), "\n"), Filter{},
			func(t *testing.T, s *Summary) {
				require.Equal(t, 2, s.Calls)
			}},
		"half a last line": {outcome("") + outcome("")[:70], Filter{}, func(t *testing.T, s *Summary) {
			require.Equal(t, []int{1, 1, 0}, []int{s.Calls, s.Lines, s.Unreadable})
		}},
		"half a line within": {outcome("")[:70] + "\n" + outcome(""), Filter{}, func(t *testing.T, s *Summary) {
			require.Equal(t, []int{1, 2, 1}, []int{s.Calls, s.Lines, s.Unreadable})
		}},
	} {
		t.Run(name, func(t *testing.T) {
			s := summarize(t, write(t, c.log), c.filter)
			s.Files = nil
			c.check(t, s)
			requireOracle(t, []byte(c.log), c.filter, s)
		})
	}
}

// A line that cannot be read changes nothing but its count.
func TestUnreadableLines(t *testing.T) {
	good := `{"time":"2026-11-21T14:43:17Z","outcome":{"decision":"continue"}}`
	for _, line := range []string{
		" ", "null", "[]", `"x"`, "{}", good + "x", good + good, good[:40], "\ufeff" + good, "\x00",
		strings.Repeat("[", 20_000),
		strings.Replace(good, "{", `{"x":`+strings.Repeat("[", 20_000)+strings.Repeat("]", 20_000)+",", 1),
		`{"time":"2026-11-21T14:43:17Z"}`, `{"outcome":{"decision":"continue"}}`, `{"time":"yesterday","error":"x"}`,
		`{"time":1,"error":"x"}`,
		`{"time":"2026-11-21T14:43:60Z","error":"x"}`, `{"time":"2026-02-30T14:43:17.123456Z","error":"x"}`,
		`{"time":"2026-11-21T14:43:17Z","error":null}`, `{"time":"2026-11-21T14:43:17Z","outcome":[]}`,
		`{"time":"2026-11-21T14:43:17Z","outcome":{"decision":"maybe"}}`,
		`{"time":"2026-11-21T14:43:17Z","outcome":{}}`,
		`{"time":"2026-11-21T14:43:17Z","outcome":{"decision":"continue","hooks":{}}}`,
		`{"time":"2026-11-21T14:43:17Z","outcome":{"decision":"continue","hooks":[{"name":"a"}]}}`,
		`{"time":"2026-11-21T14:43:17Z","outcome":{"decision":"continue","hooks":[{"name":"a","status":"ok",` +
			`"duration_ms":"1"}]}}`,
		`{"time":"2026-11-21T14:43:17Z","outcome":{"decision":"continue","hooks":[{"name":"a","status":"ok",` +
			`"duration_ms":1e999}]}}`,
		`{"time":"2026-11-21T14:43:17Z","outcome":{"decision":"continue","inject":["a"]}}`,
		`{"time":"2026-11-21T14:43:17Z","error":"x",}`, `{"time":"2026-11-21T14:43:17Z","error":"x","args":[1,]}`,
		`{"time":"2026-11-21T14:43:17Z","error":"x","args":01}`, `{"time":"2026-11-21T14:43:17Z","error":"x","args":-}`,
		`{"time":"2026-11-21T14:43:17Z","error":"x","args":1.}`,
		`{"time":"2026-11-21T14:43:17Z","error":"x","args":tru}`,
		`{"time":"2026-11-21T14:43:17Z","error":"\x"}`, `{"time":"2026-11-21T14:43:17Z","error":"\u12g4"}`,
		"{\"time\":\"2026-11-21T14:43:17Z\",\"error\":\"\t\"}",
		`{"time":"2026-11-21T14:43:17Z","error":"x"`, `{"time":"2026-11-21T14:43:17Z" "error":"x"}`,
		`{"time":"2026-11-21T14:43:17Z","error"}`,
	} {
		log := good + "\n" + line + "\n" + good + "\n"
		s := summarize(t, write(t, log), Filter{})
		require.Equal(t, []int{3, 2, 1}, []int{s.Lines, s.Calls, s.Unreadable}, "%.200q", line)
		requireOracle(t, []byte(log), Filter{}, s)
	}
}

// Whatever line ends a block, the result is the same.
func TestSummaryOfManyBlocks(t *testing.T) {
	log := sample(4_000) // more than three
	s := summarize(t, write(t, string(log)), Filter{})
	requireOracle(t, log, Filter{}, s)
	require.Len(t, s.Blocks, 200)
}

func TestLongLines(t *testing.T) {
	line := func(size int) string {
		const a, b = `{"time":"2026-11-21T14:43:17Z","error":"`, `"}`
		return a + strings.Repeat("x", size-len(a)-len(b)) + b
	}
	short := line(100) + "\n"
	s := summarize(t, write(t, short+line(maxLine)+"\n"+short+line(maxLine+1)+"\n"+short+strings.Repeat("x",
		3*maxLine)+"\n"+short), Filter{})
	require.Equal(t, []int{7, 5, 2}, []int{s.Lines, s.Calls, s.Unreadable})
	many := testall.Of(20_000, 100_000)
	hooks := strings.Repeat(`{"name":"a","status":"ok","duration_ms":1},`, many)
	s = summarize(t, write(t, `{"time":"2026-11-21T14:43:17Z","outcome":{"decision":"continue","hooks":[`+hooks+
		`{"name":"b","status":"ok"}]}}`), Filter{})
	require.Equal(t, []int{many, 1}, []int{s.Hooks[0].Matched, s.Hooks[1].Matched})
}

func TestRotatedParts(t *testing.T) {
	part := func(hook string) string {
		return `{"time":"2026-11-21T14:43:17Z","outcome":{"decision":"block","hook":"` + hook +
			`","hooks":[{"name":"` + hook + `","status":"blocked"}]}}` + "\n"
	}
	path := write(t, part("young"), part("old"), part("older"), part("oldest"), part("too old"))
	s := summarize(t, path, Filter{})
	require.Equal(t, []string{path + ".3", path + ".2", path + ".1", path}, s.Files)
	var hooks, blocks []string
	for i := range s.Hooks {
		hooks, blocks = append(hooks, s.Hooks[i].Name), append(blocks, s.Blocks[i].Hook)
	}
	require.Equal(t, []string{"oldest", "older", "old", "young"}, hooks)
	require.Equal(t, hooks, blocks)

	require.NoError(t, os.Remove(path), "as between two renames")
	require.NoError(t, os.Remove(path+".2"))
	require.Equal(t, []string{path + ".3", path + ".1"}, summarize(t, path, Filter{}).Files)

	_, err := Open(filepath.Join(t.TempDir(), "none"))
	require.ErrorIs(t, err, os.ErrNotExist)
	_, err = Open(t.TempDir())
	require.ErrorContains(t, err, "is not a regular file")
}

func TestHistogram(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	for range 200 {
		var h histogram
		var all []float64
		for range 1 + random.IntN(300) {
			ms := math.Round(math.Exp(random.Float64()*20)) / 100
			h.add(ms)
			all = append(all, ms)
		}
		slices.Sort(all)
		require.Equal(t, all[len(all)-1], h.max)
		for _, percent := range []int{1, 50, 95, 100} {
			exact := all[(len(all)*percent+99)/100-1]
			require.InEpsilon(t, exact, h.percentile(percent), 0.01)
		}
	}
	require.Zero(t, new(histogram).percentile(50))
}

func TestNeverFired(t *testing.T) {
	testall.NotOnWindows(t, "Wine makes no symbolic links, and Windows only with a right for it")
	dir := t.TempDir()
	file := filepath.Join(dir, hookfile.FileName)
	cfg, err := parts.All().Parse(file, []byte(`{"hooks": [
		{"name": "fires", "command": ["true"], "events": ["pre-tool"]},
		{"name": "never", "command": ["true"], "events": ["pre-tool", "post-tool"]},
		{"name": "curl --token=x", "command": ["true"], "events": ["pre-tool"]},
		{"name": "skipped", "command": ["true"], "events": ["pre-tool"]}]}`))
	require.NoError(t, err)
	link := filepath.Join(t.TempDir(), "link")
	require.NoError(t, os.Symlink(dir, link))
	log := strings.ReplaceAll(`{"time":"2026-11-21T14:43:17Z","workspace":"DIR","outcome":{"decision":"continue",`+
		`"hooks":[{"name":"fires","source":"`+hookfile.FileName+`:77","status":"ok"},`+
		`{"name":"curl --token=[redacted]","source":"DIR/`+hookfile.FileName+
		`:4","status":"ok"},{"name":"skipped","source":"DIR/`+hookfile.FileName+`:5","status":"skipped"},`+
		`{"name":"never","source":"/another/`+hookfile.FileName+`:3","status":"ok"}]}}`, "DIR", filepath.ToSlash(link))
	s := summarize(t, write(t, log), Filter{})
	s.Expect(cfg)
	require.Equal(t, []NeverFired{{Name: "never", Source: file + ":3", Events: []string{"pre-tool", "post-tool"}}},
		s.NeverFired)
}

// TestMissed: a line counts the blank lines before it, and blank lines at the end are not counted yet.
func TestMissed(t *testing.T) {
	good := `{"version":1,"time":"2026-11-21T14:43:17Z","error":"x"}` + "\n"
	counted := strings.Replace(good, `"time"`, `"missed":3,"time"`, 1)
	beat := `{"version":1,"missed":2,"time":"2026-11-21T14:43:17Z","heartbeat":{}}` + "\n"
	for log, want := range map[string]int{
		good: 0, good + "\n\n" + counted: 3, good + "\n\n": 2, counted + beat + "\n": 6, "\n" + good: 0,
		strings.Replace(counted, "3", "99999999999999999999", 1): 0, strings.Replace(counted, "3", "-4", 1): 0,
		strings.Replace(good, `"x"`, `"\"missed\":3,"`, 1): 0,
	} {
		s := summarize(t, write(t, log), Filter{})
		require.Equal(t, want, s.Missed, log)
		require.Zero(t, s.Unreadable, log)
	}
}

// FuzzRead holds the reader against one that is made of encoding/json.
func FuzzRead(f *testing.F) {
	for _, line := range strings.SplitAfter(string(sample(21)), "\n") {
		f.Add([]byte(line), "")
	}
	f.Add([]byte(`{"time":"2026-11-21T14:43:17+01:00","error":"x","event":"e","session_id":"s"}`+"\n\n"), "s")
	f.Add([]byte(`{"time":"2026-11-21T14:43:17.000001Z","outcome":{"decision":"ask","inject":[{"hook":"\u0061"}],`+
		`"hooks":[{"name":"a","source":"x:1","status":"timeout","limit_ms":1e1,"duration_ms":-0.5}]}}`), "")
	f.Add([]byte(`{"time":"0000-01-01T00:00:00Z","error":"a time before the first year"}`+"\n"), "")
	f.Fuzz(func(t *testing.T, log []byte, session string) {
		filter := Filter{Session: strings.ToValidUTF8(session, "\ufffd")}
		all := newTally(filter)
		_, err := eachLine(bytes.NewReader(log), 0, int64(len(log)), all.line)
		require.NoError(t, err)
		requireOracle(t, log, filter, all.summary())
	})
}

func BenchmarkSummary(b *testing.B) {
	text := sample(100_000)
	path := write(b, string(text))
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	for b.Loop() {
		summarize(b, path, Filter{})
	}
}
