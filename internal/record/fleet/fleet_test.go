package fleet_test

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/hookrun/hookrun/internal/record/fleet"
)

var now = time.Date(2027, 1, 31, 12, 0, 0, 0, time.UTC)

const week = 7 * 24 * time.Hour

// beat returns a heartbeat. more has further members, with a comma at the end.
func beat(host string, ago time.Duration, more string) string {
	return fmt.Sprintf(`{"version":1,"time":%q,"heartbeat":{%s"workspace":"/home/a/shop","host":%q,"user":"a",`+
		`"hooks":1,"clients":[{"name":"claude","entries":[{"file":"f","line":1,"events":["PreToolUse"],"binary":"b"}]}]}}
`, now.Add(-ago).Format(time.RFC3339), more, host)
}

func fold(t *testing.T, o fleet.Options, lines ...string) *fleet.Table {
	t.Helper()
	o.Now = now
	if o.Silent == 0 {
		o.Silent = week
	}
	f := fleet.New(o)
	require.NoError(t, f.Read(strings.NewReader(strings.Join(lines, ""))))
	return f.Table()
}

// looks returns the reasons to look at machines.
func looks(table *fleet.Table) map[string]string {
	found := map[string]string{}
	for _, m := range table.Machines {
		found[m.Host] = strings.Join(m.Look, "; ")
	}
	return found
}

const call = `{"version":1,"time":"2027-01-31T11:00:00Z","args":{"x":{"heartbeat":{"host":"forged"}}},` +
	`"outcome":{"version":1}}` + "\n"

func TestFold(t *testing.T) {
	table := fold(t, fleet.Options{Clients: []string{"claude", "codex"}},
		beat("a", 9*24*time.Hour, `"hash":"aa",`), call, beat("a", time.Hour, `"hash":"aa","status":"allowed",`),
		beat("a", 2*time.Hour, `"hash":"old",`), // the last heartbeat counts, in any order
		beat("b", 8*24*time.Hour, `"hash":"aa",`), beat("c", 0, `"hash":"cc",`), beat("d", 0, `"status":"none",`),
		beat("e", 0, `"hash":"aa","status":"unknown",`),
		beat("f", 0, `"hash":"aa","status":"unknown","trust":"required",`),
		beat("g", 0, `"hash":"aa","status":"changed","problem":"bad\u001b[31m",`))
	require.False(t, table.OK)
	require.Equal(t, 9, table.Heartbeats)
	require.Equal(t, "aa", table.Hash)
	require.Equal(t, map[string]string{
		"a": "no codex", "b": "silent for 8 days; no codex", "c": "other hooks than most; no codex",
		"d": "no hooks; no codex", "e": "no codex", "f": "no codex; nobody has allowed the hooks",
		"g": "no codex; bad\x1b[31m; the hooks have changed since they were allowed",
	}, looks(table))
	table = fold(t, fleet.Options{}, beat("a", 0, `"hash":"aa",`), beat("b", week, `"hash":"aa",`))
	require.True(t, table.OK)
	table = fold(t, fleet.Options{Hash: "aabbccdd"}, beat("a", 0, `"hash":"aabbccddee",`), beat("b", 0, `"hash":"aa",`))
	require.Equal(t, map[string]string{"a": "", "b": "other hooks"}, looks(table))
	require.False(t, fold(t, fleet.Options{}).OK, "nothing seen is no proof")
}

// TestFoldManaged: where a machine has managed hooks, these are compared, and not the hooks of projects.
func TestFoldManaged(t *testing.T) {
	table := fold(t, fleet.Options{}, beat("a", 0, `"hash":"1","managed_hash":"m",`),
		beat("b", 0, `"hash":"2","managed_hash":"m",`), beat("c", 0, `"hash":"3","managed_hash":"n",`),
		beat("d", 0, `"hash":"4",`))
	require.True(t, table.Managed)
	require.Equal(t, map[string]string{"a": "", "b": "", "c": "other hooks than most", "d": "no managed hooks"},
		looks(table))
}

func TestFoldProject(t *testing.T) {
	other := strings.Replace(beat("a", 0, `"hash":"2",`), "/home/a/shop", `C:\\x\\toy`, 1)
	table := fold(t, fleet.Options{Project: "sho*"}, beat("a", time.Hour, `"hash":"1",`), other)
	require.Equal(t, "1", table.Machines[0].Hash)
	require.Equal(t, `C:\x\toy`, fold(t, fleet.Options{Project: "toy"}, other).Machines[0].Workspace)
}

// TestFoldClients: a client that is switched off, or has no entry, does not run hookrun.
func TestFoldClients(t *testing.T) {
	table := fold(t, fleet.Options{Clients: []string{"claude"}},
		strings.Replace(beat("a", 0, ""), `"name":"claude",`, `"name":"claude","switched_off":["f: off"],`, 1),
		strings.Replace(beat("b", 0, ""), `[{"file":"f","line":1,"events":["PreToolUse"],"binary":"b"}]`, `[]`, 1),
		strings.Replace(beat("c", 0, ""), `"name":"claude",`,
			`"name":"claude","last_canary":{"time":"2027-01-01T00:00:00Z","ok":false,"what":"x"},`, 1))
	require.Equal(t, map[string]string{"a": "no claude; claude is switched off", "b": "no claude",
		"c": "claude failed the test call"}, looks(table))
}

// TestFoldMissed: the lines that run logs lack are counted, whatever line says so.
func TestFoldMissed(t *testing.T) {
	counted := func(line string) string {
		return strings.Replace(line, `{"version":1,`, `{"version":1,"missed":3,`, 1)
	}
	lacking := counted(`{"version":1,"outcome":{"reason":"` + strings.Repeat("a", 70_000) + `"}}`)
	require.Equal(t, 6, fold(t, fleet.Options{}, counted(beat("z", 0, "")), lacking, "\n\n").Missed)
}

// TestFoldHostile: a line with a fault changes the count of such lines alone.
func TestFoldHostile(t *testing.T) {
	good := beat("a", 0, "")
	for line, want := range map[string]fleet.Table{
		beat("a", -2*time.Hour, ""):                                                        {Future: 1},
		strings.Replace(good, "2027-01-31", "9999-01-31", 1):                               {Future: 1},
		strings.Replace(good, "2027-01-31", "2027-31-31", 1):                               {Unreadable: 1},
		strings.Replace(good, `"host":"a"`, `"host":"a","host":"b"`, 1):                    {Unreadable: 1},
		strings.Replace(good, `"host":"a"`, `"host":1e999`, 1):                             {Unreadable: 1},
		strings.Replace(good, `"hooks":1`, `"hooks":1e999`, 1):                             {Unreadable: 1},
		strings.Replace(good, `"hooks":1`, `"hooks":99999999999999999999999`, 1):           {Unreadable: 1},
		strings.Replace(good, `"version":1`, `"version":2`, 1):                             {Unreadable: 1},
		strings.Replace(good, `"host":"a"`, `"x":1`, 1):                                    {Unreadable: 1},
		good[:len(good)-10] + "\n":                                                         {Unreadable: 1},
		good[:len(good)-10]:                                                                {}, // still being written
		`"heartbeat"`:                                                                      {},
		"\x00\xff\n[[[[\n" + `{"heartbeat":` + "\n":                                        {Unreadable: 1},
		strings.Replace(good, `"host":"a"`, `"host":"`+strings.Repeat("a", 70_000)+`"`, 1): {}, // too long
		strings.Replace(call, "{", `{"x":"`+strings.Repeat("y", 3<<20)+`",`, 1):            {},
	} {
		table := fold(t, fleet.Options{}, beat("z", 0, ""), line)
		require.Len(t, table.Machines, 1, "%.200s", line)
		require.Equal(t, "z", table.Machines[0].Host)
		require.Equal(t, want.Unreadable, table.Unreadable, "%.200s", line)
		require.Equal(t, want.Future, table.Future, "%.200s", line)
		require.Equal(t, want.Unreadable+want.Future == 0, table.OK, "%.200s", line)
	}
	long := fold(t, fleet.Options{}, strings.Replace(good, `"host":"a"`, `"host":"`+strings.Repeat("é", 5_000)+`"`, 1))
	require.Len(t, long.Machines[0].Host, 200)
	_, err := json.Marshal(long)
	require.NoError(t, err)
}

// TestFoldMemory: 10,000 machines with a hundred heartbeats each between calls of a megabyte need little memory.
func TestFoldMemory(t *testing.T) {
	var at, n int
	big := []byte(strings.Replace(call, "{", `{"x":"`+strings.Repeat("y", 1<<20)+`",`, 1))
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f := fleet.New(fleet.Options{Now: now, Silent: week})
	require.NoError(t, f.Read(readerFunc(func(b []byte) (int, error) {
		if n == 30_000 {
			return 0, io.EOF
		}
		from := big
		if n%100 > 0 {
			from = []byte(beat(fmt.Sprint("host", n%10_000), time.Minute, ""))
		}
		copied := copy(b, from[at:])
		if at += copied; at == len(from) {
			at, n = 0, n+1
		}
		return copied, nil
	})))
	runtime.GC()
	runtime.ReadMemStats(&after)
	require.Len(t, f.Table().Machines, 9_900)
	require.Less(t, int64(after.HeapAlloc)-int64(before.HeapAlloc), int64(32<<20))
}

type readerFunc func([]byte) (int, error)

func (r readerFunc) Read(b []byte) (int, error) { return r(b) }

// TestFind: the oldest parts come first; links and other kinds of files do not count.
func TestFind(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"b/run.log", "b/run.log.1", "b/run.log.2", "a/x/y.jsonl", "b/run.log.10"} {
		path := filepath.Join(dir, filepath.FromSlash(name))
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o700))
		require.NoError(t, os.WriteFile(path, nil, 0o600))
	}
	if runtime.GOOS != "windows" {
		require.NoError(t, os.Symlink(filepath.Join(dir, "b"), filepath.Join(dir, "link")))
		require.NoError(t, os.Symlink(filepath.Join(dir, "b", "run.log"), filepath.Join(dir, "a", "z.log")))
	}
	paths, _, err := fleet.Find(dir)
	require.NoError(t, err)
	real, err := filepath.EvalSymlinks(dir)
	require.NoError(t, err)
	var names []string
	for _, p := range paths {
		name, err := filepath.Rel(real, p)
		require.NoError(t, err)
		names = append(names, filepath.ToSlash(name))
	}
	require.Equal(t, []string{"a/x/y.jsonl", "b/run.log.2", "b/run.log.1", "b/run.log", "b/run.log.10"}, names)
	_, _, err = fleet.Find(filepath.Join(dir, "none"))
	require.ErrorIs(t, err, os.ErrNotExist)
	_, _, err = fleet.Find(os.DevNull)
	require.ErrorContains(t, err, "give a folder or a file, or - for stdin")
}

// A folder that cannot be read, because of a path that is too long, does not hide the others.
func TestFindUnreadFolder(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("Go reads paths of any length on Windows")
	}
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "run.log"), nil, 0o600))
	in, err := os.OpenRoot(dir)
	require.NoError(t, err)
	name := strings.Repeat("d", 200)
	for range 30 {
		require.NoError(t, in.Mkdir(name, 0o700))
		below, err := in.OpenRoot(name)
		require.NoError(t, err)
		in.Close()
		in = below
	}
	in.Close()
	paths, unread, err := fleet.Find(dir)
	require.NoError(t, err)
	require.Len(t, paths, 1)
	require.Len(t, unread, 1)
}
