package serve

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/hookrun/hookrun/internal/core/dialect"
	"github.com/hookrun/hookrun/internal/core/engine"
	"github.com/hookrun/hookrun/internal/core/hook"
	"github.com/hookrun/hookrun/internal/core/hookfile"
	"github.com/hookrun/hookrun/internal/record/runlog"
	"github.com/hookrun/hookrun/internal/testsupport/dialecttest"
	"github.com/hookrun/hookrun/internal/texts/queue"
	"github.com/hookrun/hookrun/protocol"
)

func TestMethods(t *testing.T) {
	t.Parallel()
	f := newFixture(t, says("hello", "Hello.", protocol.PreExecute))
	f.Check = func() (any, error) { return map[string]bool{"ok": true}, nil }
	f.hooks(f.dir, `{"hooks": [
		{"name": "guard", "block": "Ask first.", "events": ["pre-tool"], "matcher": "shell"},
		{"name": "notes", "inject": "Mind the gap.", "events": ["post-tool"]}]}`)
	c := f.start()
	for _, test := range []struct{ method, params, want string }{
		{"ping", `null`, `"result":{"version":"v1.2.3"}`},
		{"check", `{}`, `"result":{"ok":true}`},
		{"pre-execute", `{}`, `"inject":[{"hook":"hello","content":"Hello.","display":"[INJECTION] Hello."}]`},
		{"pre-tool", `{"tool":"fs"}`,
			`"result":{"version":1,"event":"pre-tool","tool":"fs","decision":"continue","hooks":[]`},
		{"pre-tool", `{"tool":"shell"}`, `"decision":"block","reason":"Ask first.","cause":"policy","hook":"guard"`},
		{"post-tool", `{"tool":"fs","result":"r"}`,
			`"inject":[{"hook":"notes","content":"Mind the gap.","display":"[INJECTION] Mind the gap."}]`},
		{"fire", `{"hook_event_name":"PreToolUse","tool_name":"shell"}`,
			`"event":"PreToolUse","tool":"shell","decision":"block"`},
		{"fire", `{"hook_event_name":"Stop"}`, `"event":"Stop","decision":"continue"`},
		{"pretool", `{}`, `"error":{"code":-32601,"message":"unknown method \"pretool\"; did you mean \"pre-tool\"?"}`},
		{"nonsense", `{}`, `"error":{"code":-32601,"message":"unknown method \"nonsense\""}`},
	} {
		require.Contains(t, c.call(test.method, test.params), test.want, test.method)
	}
	require.NoError(t, c.end())
	require.Empty(t, f.stderr.String())
}

// Nobody reads the verdict of a notification: what waits for its session would be lost with it.
func TestNotificationMakesNoCall(t *testing.T) {
	t.Parallel()
	w := newWaits()
	c := newFixture(t, w.hooks()...).start()
	c.send(`{"jsonrpc":"2.0","method":"pre-tool","params":{"tool":"x"}}`)
	require.Contains(t, c.call("ping", `{}`), "v1.2.3")
	require.NoError(t, c.end())
	require.Empty(t, w.running)
}

func TestCancel(t *testing.T) {
	t.Parallel()
	w := newWaits()
	c := newFixture(t, w.hooks()...).start()
	c.send(`{"jsonrpc":"2.0","id":"a","method":"pre-tool","params":{"tool":"x"}}`)
	one(t, w.running)
	c.send(`{"jsonrpc":"2.0","method":"$/cancel","params":{"id":"a"}}`)
	require.Equal(t, `{"jsonrpc":"2.0","id":"a","error":{"code":-32800,"message":"the call was cancelled"}}`,
		c.receive())
	one(t, w.ended)
	require.NoError(t, c.end())
}

// Calls are answered when they are ready, whichever came first.
func TestCallsRunAtTheSameTime(t *testing.T) {
	t.Parallel()
	w := newWaits()
	slow := w.hook(protocol.PreTool)
	slow.Matcher, _ = hook.NewGlobs("slow")
	c := newFixture(t, slow).start()
	c.send(`{"jsonrpc":"2.0","id":1,"method":"pre-tool","params":{"tool":"slow"}}`)
	one(t, w.running)
	c.send(`{"jsonrpc":"2.0","id":2,"method":"pre-tool","params":{"tool":"quick"}}`)
	require.Contains(t, c.receive(), `"id":2,"result":`)
	close(w.goOn)
	require.Contains(t, c.receive(), `"id":1,"result":`)
	require.NoError(t, c.end())
}

// Of one connection so many calls run, and so many wait. ping waits for nobody.
func TestLimitOfCalls(t *testing.T) {
	t.Parallel()
	w := newWaits()
	c := newFixture(t, w.hooks()...).start()
	for id := range maxCalls + maxWaiting {
		c.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"pre-tool","params":{"tool":"x"}}`, id))
	}
	for range maxCalls {
		one(t, w.running)
	}
	c.send(`{"jsonrpc":"2.0","id":"over","method":"pre-tool","params":{"tool":"x"}}`)
	require.Contains(t, c.receive(), `"id":"over","error":{"code":-32000,"message":"4352 calls are in flight already; `)
	c.send(`{"jsonrpc":"2.0","id":"ping","method":"ping"}`)
	require.Contains(t, c.receive(), `"id":"ping","result":`)
	require.Empty(t, w.running)
	close(w.goOn)
	for range maxCalls + maxWaiting {
		require.Contains(t, c.receive(), `"decision":"continue"`)
	}
	require.NoError(t, c.end())
}

func TestLimitOfALine(t *testing.T) {
	t.Parallel()
	c := newFixture(t).start()
	go func() {
		_, _ = io.WriteString(c.requests, strings.Repeat("x", maxLine+1)+"\n")
	}()
	require.Contains(t, c.receive(), `"id":null,"error":{"code":-32600,"message":"the line is longer than 64 MiB"}`)
	require.Contains(t, c.call("ping", `{}`), "v1.2.3")
	require.NoError(t, c.end())
}

func TestReload(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	file := filepath.Join(f.dir, hookfile.FileName)
	f.hooks(f.dir, `{"hooks": [{"name": "a", "inject": "old", "events": ["pre-tool"]}]}`)
	c := f.start()
	inject := func() string { return c.outcome("pre-tool", `{"tool":"x"}`).Texts[0].Content }
	warnings := func() []string { return c.outcome("pre-tool", `{"tool":"x"}`).Warnings }
	require.Equal(t, "old", inject())
	require.Empty(t, warnings())

	f.hooks(f.dir, `{"hooks": [{"name": "a", "inject": "new", "events": ["pre-tool"]}]}`)
	require.Equal(t, "old", inject())
	const since = " since the hooks were read; they are still those of then, until reload"
	require.Equal(t, []string{file + " was changed" + since}, warnings())
	require.Equal(t, fmt.Sprintf(`"result":{"files":[%q],"hooks":1,"warnings":[]}`, file), c.call("reload", `{}`))
	require.Equal(t, "new", inject())
	require.Empty(t, warnings())

	f.hooks(f.dir, `{"hooks": [{"name": "a"}]}`)
	failed := c.call("reload", `{}`)
	require.Contains(t, failed, `"error":{"code":-32002,"message":"nothing was reloaded: `+
		strings.Trim(strconv.Quote(file), `"`)+`:1:12: `)
	require.Contains(t, failed, `"data":[{"file":`+strconv.Quote(file))
	require.Equal(t, "new", inject())

	require.NoError(t, os.Remove(file))
	require.Equal(t, []string{file + " is gone" + since}, warnings())
	for range 2 {
		require.Contains(t, c.call("reload", `{}`), `"error":{"code":-32002,"message":"nothing was reloaded: `+
			strings.Trim(strconv.Quote(file), `"`)+`: is gone, and its hooks (1) stay; put it back, or reload with `+
			`{\"empty\": true} if it is gone on purpose","data":[{"file":`+strconv.Quote(file))
		require.Equal(t, "new", inject())
	}
	for _, wrong := range []string{`{"empty":1}`, `{"emtpy":true}`, `[]`} {
		require.Contains(t, c.call("reload", wrong), `"error":{"code":-32602,"message":"params must be {}`, wrong)
	}
	require.Contains(t, c.call("reload", `{"empty":false}`), `"error":{"code":-32002`)
	require.Equal(t, `"result":{"files":[],"hooks":0,"warnings":[]}`, c.call("reload", `{"empty":true}`))
	require.Empty(t, c.outcome("pre-tool", `{"tool":"x"}`).Texts)
	require.Empty(t, warnings())
	f.hooks(f.dir, `{"hooks": [{"name": "a", "inject": "back", "events": ["pre-tool"]}]}`)
	const later = " was not there when the hooks were read; its hooks run after a reload"
	require.Equal(t, []string{file + later}, warnings())
	require.Equal(t, fmt.Sprintf(`"result":{"files":[%q],"hooks":1,"warnings":[]}`, file), c.call("reload", `{}`))
	require.Equal(t, "back", inject())
	require.Empty(t, warnings())
	require.NoError(t, c.end())
}

func TestReloadAndCheckFail(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.Load = func() (*hookfile.Config, error) { return nil, errors.New("two\nlines") }
	c := f.start()
	require.Equal(t, `"error":{"code":-32002,"message":"nothing was reloaded: two; lines"}`, c.call("reload", `{}`))
	require.Equal(t, `"error":{"code":-32002,"message":"no check in this test"}`, c.call("check", `{}`))
	require.NoError(t, c.end())
}

// A call from a project with a hooks file of its own was made for another server.
func TestCallFromAnotherProject(t *testing.T) {
	t.Parallel()
	const hooks = `{"hooks": [{"name": "a", "inject": "hi", "events": ["pre-tool"]}]}`
	f := newFixture(t)
	f.hooks(f.dir, hooks)
	other, sub, none := filepath.Join(f.dir, "other"), filepath.Join(f.dir, "sub"), t.TempDir()
	f.hooks(other, hooks)
	require.NoError(t, os.MkdirAll(filepath.Join(f.dir, ".git"), 0o700))
	require.NoError(t, os.MkdirAll(filepath.Join(sub, "deep"), 0o700))
	warning := fmt.Sprintf("the hooks are those of %s; %s has a hooks file of its own that this server did not read; "+
		"start a server there", f.dir, other)
	for name, test := range map[string]struct {
		files bool // somebody named the files
		dir   string
		want  []string
	}{
		"the workspace itself":      {false, f.dir, nil},
		"a folder of the project":   {false, filepath.Join(sub, "deep"), nil},
		"a folder without hooks":    {false, none, nil},
		"another project":           {false, other, []string{warning}},
		"another, with named files": {true, other, nil},
	} {
		t.Run(name, func(t *testing.T) {
			f := *f
			f.T = t
			if test.files {
				f.HooksFile = ""
			}
			c := f.start()
			call := fmt.Sprintf(`{"tool":"x","workspace":%q}`, test.dir)
			require.Equal(t, test.want, c.outcome("pre-tool", call).Warnings)
			fire := fmt.Sprintf(`{"hook_event_name":"PreToolUse","tool_name":"x","cwd":%q}`, test.dir)
			require.Equal(t, test.want, c.outcome("fire", fire).Warnings)
			require.NoError(t, c.end())
		})
	}
}

// A hooks file that came up after the start is the workspace's own.
func TestReloadReadsAFileThatCameUp(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	sub := filepath.Join(f.dir, "sub")
	require.NoError(t, os.MkdirAll(filepath.Join(f.dir, ".git"), 0o700))
	require.NoError(t, os.MkdirAll(sub, 0o700))
	c := f.start()
	f.hooks(f.dir, `{"hooks": []}`)
	call := fmt.Sprintf(`{"tool":"x","workspace":%q}`, sub)
	warnings := c.outcome("pre-tool", call).Warnings
	require.Len(t, warnings, 1)
	require.Contains(t, warnings[0], hookfile.FileName+" was not there when the hooks were read; its hooks run after")
	require.Contains(t, c.call("reload", `{}`), `"result":`)
	require.Empty(t, c.outcome("pre-tool", call).Warnings)
	require.NoError(t, c.end())
}

func TestWarnings(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.Warnings = []string{"of the server"}
	c := f.start()
	o := c.outcome("fire", `{"hook_event_name":"Stop","x":1,"x":2}`)
	require.Len(t, o.Warnings, 2)
	require.Equal(t, "of the server", o.Warnings[0])
	require.Contains(t, o.Warnings[1], `"x"`)
}

func TestRunLog(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.hooks(f.dir, `{"hooks": [{"name": "guard", "block": "No.", "events": ["pre-tool"]}]}`)
	path := filepath.Join(f.dir, "run.log")
	var err error
	f.Log, err = runlog.New(runlog.Options{Path: path})
	require.NoError(t, err)
	defer f.Log.Close()
	c := f.start()
	c.outcome("pre-tool", `{"tool":"x","session_id":"s"}`)
	require.NoError(t, f.Runner.Close())
	require.Contains(t, c.call("pre-tool", `{"tool":"y"}`), `"error":{"code":-32001,"message":"the runner is closed"}`)
	require.NoError(t, c.end())
	log, err := os.ReadFile(path)
	require.NoError(t, err)
	lines := strings.Split(strings.TrimSpace(string(log)), "\n")
	require.Len(t, lines, 2)
	require.Contains(t, lines[0], `"command":"serve"`)
	require.Contains(t, lines[0], `"decision":"block","reason":"No."`)
	require.Contains(t, lines[1], `"error":"the runner is closed"`)
}

// That a line could not be written is a warning of that call. Where there is no outcome, stderr has it.
func TestRunLogThatCannotBeWritten(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	path := filepath.Join(f.dir, "none", "run.log")
	var err error
	f.Log, err = runlog.New(runlog.Options{Path: path})
	require.NoError(t, err)
	c := f.start()
	want := "run log " + path + ": its folder does not exist; make it"
	require.Equal(t, []string{want}, c.outcome("pre-tool", `{"tool":"x"}`).Warnings)
	require.NoError(t, f.Runner.Close())
	require.Contains(t, c.call("pre-tool", `{"tool":"y"}`), `"error":{"code":-32001,`)
	require.Equal(t, "hookrun serve: "+want+"\n", f.stderr.String())
}

func (f *fixture) add(content string) {
	f.Helper()
	_, err := f.Queue.Put(context.Background(), queue.Entry{Session: "s", Content: content})
	require.NoError(f, err)
}

func (f *fixture) waiting() (texts []string) {
	f.Helper()
	entries, err := f.Queue.Waiting(context.Background(), "s")
	require.NoError(f, err)
	for _, e := range entries {
		texts = append(texts, e.Content)
	}
	return texts
}

func TestQueueIsDeliveredWithTheResult(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.add("from the queue")
	c := f.start()
	require.Empty(t, c.outcome("pre-tool", `{"tool":"x","session_id":"s"}`).Texts)
	o := c.outcome("post-tool", `{"tool":"x","session_id":"s"}`)
	require.Equal(t, "from the queue", o.Texts[0].Content)
	require.Empty(t, c.outcome("post-tool", `{"tool":"x","session_id":"s"}`).Texts)
	require.NoError(t, c.end())
}

// What an answer hands over is the client's only if it was written.
func TestQueueKeepsWhatNobodyRead(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.add("from the queue")
	const call = `{"jsonrpc":"2.0","id":1,"method":"post-tool","params":{"tool":"x","session_id":"s"}}` + "\n"
	open, end := io.Pipe()
	defer end.Close()
	err := f.server().Run(context.Background(), io.MultiReader(strings.NewReader(call), open), brokenPipe{})
	require.ErrorIs(t, err, io.ErrClosedPipe)
	require.Equal(t, []string{"from the queue"}, f.waiting())
}

type brokenPipe struct{}

func (brokenPipe) Write([]byte) (int, error) { return 0, io.ErrClosedPipe }

// A call that was given up while its hook ran takes nothing from the queue.
func TestQueueKeepsWhatWasForACancelledCall(t *testing.T) {
	t.Parallel()
	w := newWaits()
	f := newFixture(t, w.hooks()...)
	f.add("from the queue")
	c := f.start()
	c.send(`{"jsonrpc":"2.0","id":1,"method":"post-tool","params":{"tool":"x","session_id":"s"}}`)
	one(t, w.running)
	c.send(`{"jsonrpc":"2.0","method":"$/cancel","params":{"id":1}}`)
	require.Contains(t, c.receive(), `"code":-32800`)
	require.NoError(t, c.end())
	require.Equal(t, []string{"from the queue"}, f.waiting())
}

// A panic of hookrun's own is the error of its call. Calls beside it and after it are answered.
func TestPanicEndsItsCallAlone(t *testing.T) {
	t.Parallel()
	w := newWaits()
	f := newFixture(t, w.hooks()...)
	f.hooks(f.dir, `{"hooks":[{"name":"rule","block":"no","events":["pre-tool","post-tool"]}]}`)
	load, spoil := f.Load, true
	f.Load = func() (*hookfile.Config, error) {
		cfg, err := load()
		if err == nil && spoil {
			spoilt := *cfg.Hooks[0].Dialect
			spoilt.Name = "spoilt"
			spoilt.Hooks = dialecttest.Spoilt{Hooks: spoilt.Hooks, OnMerge: func(*dialect.Merging) { panic("spoilt") }}
			cfg.Hooks[0].Dialect = &spoilt
		}
		return cfg, err
	}
	f.add("from the queue")
	c := f.start()
	c.send(`{"jsonrpc":"2.0","id":2,"method":"pre-tool","params":{"tool":"x"}}`)
	one(t, w.running)
	require.Contains(t, c.call("reload", "{}"), `"result":`)
	close(w.goOn)
	require.Contains(t, c.receive(), `"decision":"block","reason":"no"`, "it began with the hooks of before")
	const crashed = `"error":{"code":-32001,"message":"hookrun itself failed: spoilt (serve.`
	const call = `{"tool":"x","session_id":"s"}`
	require.Contains(t, c.call("pre-tool", call), crashed)
	require.Contains(t, c.call("post-tool", call), crashed)
	require.Equal(t, []string{"from the queue"}, f.waiting())
	spoil = false
	require.Contains(t, c.call("reload", "{}"), `"result":`)
	require.Equal(t, "no", c.outcome("pre-tool", call).Reason)
	require.NoError(t, c.end())
}

func TestShutdown(t *testing.T) {
	t.Parallel()
	w := newWaits()
	c := newFixture(t, w.hooks()...).start()
	c.send(`{"jsonrpc":"2.0","id":1,"method":"pre-tool","params":{"tool":"x"}}`)
	one(t, w.running)
	c.send(`{"jsonrpc":"2.0","id":2,"method":"shutdown"}`)
	answers := c.receive() + c.receive()
	require.Contains(t, answers, `"id":1,"error":{"code":-32001,"message":"the runner is closed"}`)
	require.Contains(t, answers, `"id":2,"result":null`)
	require.NoError(t, c.wait())
	one(t, w.ended)
}

// The calls in flight have some time to be answered, then they are given up.
func TestEndOfTheInput(t *testing.T) {
	t.Parallel()
	w := newWaits()
	c := newFixture(t, w.hooks()...).start()
	c.send(`{"jsonrpc":"2.0","id":1,"method":"pre-tool","params":{"tool":"x"}}`)
	one(t, w.running)
	require.NoError(t, c.requests.Close())
	require.Contains(t, c.receive(), `"id":1,"error":{"code":-32001,"message":"the client is gone"}`)
	require.NoError(t, c.wait())
	one(t, w.ended)
}

func TestEndOfTheContext(t *testing.T) {
	t.Parallel()
	w := newWaits()
	c := newFixture(t, w.hooks()...).start()
	c.send(`{"jsonrpc":"2.0","id":1,"method":"pre-tool","params":{"tool":"x"}}`)
	one(t, w.running)
	c.stop(errors.New("interrupted by a test"))
	require.Contains(t, c.receive(), `"id":1,"error":{"code":-32001,"message":"interrupted by a test"}`)
	require.EqualError(t, c.wait(), "interrupted by a test")
	one(t, w.ended)
}

func TestErrorOfTheInput(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	err := f.server().Run(context.Background(), io.MultiReader(strings.NewReader("\n"), brokenReader{}), io.Discard)
	require.EqualError(t, err, "reading requests: broken")
	_, err = f.Runner.Fire(context.Background(), dialect.Call{Event: protocol.PreTool, Tool: "x"})
	require.ErrorIs(t, err, engine.ErrClosed)
}

type brokenReader struct{}

func (brokenReader) Read([]byte) (int, error) { return 0, errors.New("broken") }

// A client that does not read holds up nobody for long.
func TestClientThatDoesNotRead(t *testing.T) {
	t.Parallel()
	c := newFixture(t).start()
	c.send(`{"jsonrpc":"2.0","id":1,"method":"ping"}`)
	began := time.Now()
	c.stop(errors.New("enough"))
	require.EqualError(t, c.wait(), "enough")
	require.Less(t, time.Since(began), 10*lastWords+patience)
}
