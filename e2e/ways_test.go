//go:build unix

package e2e

import (
	"bufio"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hookrun/hookrun/e2e/binary"
	"github.com/hookrun/hookrun/internal/lib/strictjson"
	"github.com/hookrun/hookrun/projecthooks"
	"github.com/hookrun/hookrun/protocol"
	"github.com/hookrun/hookrun/queue"
	"github.com/hookrun/hookrun/runner"
)

// wayCall is a call with the options that all ways have.
type wayCall struct {
	Dir     string            `json:"dir"`
	Env     map[string]string `json:"env"`
	Session string            `json:"session"`
	Require bool              `json:"require"` // --require-hooks
	Ask     string            `json:"ask"`     // the answer of a person: yes or no; "": nobody is there
	Tool    string            `json:"tool"`
	Prompt  string            `json:"prompt"` // a message of the user in place of a tool call
	Fails   bool              `json:"fails"`  // the tool fails
}

// wayResult is what a loop has after the call.
type wayResult struct {
	Text  string           `json:"text"`  // for the model
	Stop  string           `json:"stop"`  // why the loop ends
	Error string           `json:"error"` // why there is no verdict
	Ran   []map[string]any `json:"ran"`   // the arguments that the tool got; nil: it did not run
	Told  []string         `json:"told"`  // for the user, sorted
	After []string         `json:"-"`     // what the hook audit after the tool got: the event and the result
}

// way makes one call after the other.
type way func(t *testing.T, calls []wayCall) []wayResult

// TestWaysDoTheSame makes the same calls with the same hooks files by the command line, by serve, in Go, in Python and
// in Node. The table in docs/start/agent-loops.md says so, and what differs.
func TestWaysDoTheSame(t *testing.T) {
	for name, make := range map[string]way{
		"command line": wayOfLoops(fireCommand),
		"serve":        wayOfLoops(fireServe),
		"go":           wayOfGo,
		"python":       wayOfScript("python3", "ways.py"),
		"node":         wayOfScript("node", "ways.mjs", filepath.Join("packages", "node", "lib", "index.js")),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var calls []wayCall
			for _, row := range waysTable {
				calls = append(calls, row.prepare(t))
			}
			results := make(t, calls)
			require.Len(t, results, len(waysTable))
			for i, row := range waysTable {
				t.Run(row.name, func(t *testing.T) {
					got := results[i]
					got.After = audited(t, calls[i].Dir)
					slices.Sort(got.Told)
					text, _ := json.Marshal(got)
					shown := strings.NewReplacer(calls[i].Dir, "DIR", os.Getenv("XDG_STATE_HOME"), "STATE").
						Replace(string(text))
					require.NoError(t, json.Unmarshal([]byte(shown), &got))
					if row.want.Error != "" {
						require.Contains(t, got.Error, row.want.Error)
						got.Error = row.want.Error
					}
					if len(got.Told) == 0 {
						got.Told = nil
					}
					if len(got.Ran) == 0 {
						got.Ran = nil
					}
					require.Equal(t, row.want, got)
				})
			}
		})
	}
}

// audited returns the calls that the hook audit got.
func audited(t *testing.T, dir string) (seen []string) {
	text, err := os.ReadFile(filepath.Join(dir, "audit.jsonl"))
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	require.NoError(t, err)
	for line := range strings.Lines(string(text)) {
		var call struct {
			Event  string `json:"hook_event_name"`
			Result string
			ID     string `json:"tool_use_id"`
		}
		require.NoError(t, json.Unmarshal([]byte(line), &call))
		require.Equal(t, "call-1", call.ID)
		seen = append(seen, call.Event+": "+call.Result)
	}
	return seen
}

// fire runs the hooks of an event. An error is no verdict.
type fire func(event protocol.Event, params map[string]any) (*protocol.Outcome, error)

// wayOfLoops is a loop that starts the binary or talks to serve. It does what docs/start/agent-loops.md says.
func wayOfLoops(open func(t *testing.T, c wayCall) fire) way {
	return func(t *testing.T, calls []wayCall) (results []wayResult) {
		for _, c := range calls {
			results = append(results, loop(open(t, c), c))
		}
		return results
	}
}

func loop(fire fire, c wayCall) (r wayResult) {
	params := map[string]any{"session_id": c.Session}
	told := func(o *protocol.Outcome) { r.Told = slices.Concat(r.Told, o.Warnings, o.SystemMessages) }
	texts := func(o *protocol.Outcome) (all []string) {
		for _, text := range o.Texts {
			all = append(all, text.Content)
		}
		return all
	}
	if c.Prompt != "" {
		params["prompt"] = c.Prompt
		o, err := fire(protocol.PreExecute, params)
		if err != nil {
			return wayResult{Error: err.Error()}
		}
		told(o)
		if r.Stop = o.StopReason; o.Decision != protocol.Continue || o.Stop {
			r.Text = o.Reason
			return r
		}
		prompt := struct{ Prompt string }{c.Prompt}
		_ = json.Unmarshal(o.UpdatedInput, &prompt)
		r.Text = strings.Join(append([]string{prompt.Prompt}, texts(o)...), "\n\n")
		return r
	}
	params["tool"], params["args"], params["tool_use_id"] = c.Tool, json.RawMessage(`{"command":"ls"}`), "call-1"
	pre, err := fire(protocol.PreTool, params)
	if err != nil {
		return wayResult{Error: err.Error()}
	}
	told(pre)
	if pre.Stop {
		r.Stop = pre.StopReason
		return r
	}
	if pre.UpdatedInput != nil {
		params["args"] = pre.UpdatedInput
	}
	asked := pre.Decision == protocol.Ask && c.Ask != ""
	if pre.Decision == protocol.Continue || asked && c.Ask == "yes" {
		var args map[string]any
		_ = json.Unmarshal(params["args"].(json.RawMessage), &args)
		r.Ran = append(r.Ran, args)
		if params["result"] = "ran"; c.Fails {
			params["result"], params["failed"] = "no such file", true
		}
	} else {
		params["result"], params["blocked"] = pre.Reason, true
		if asked {
			params["result"] = "a person said no: " + pre.Reason
		}
	}
	post, err := fire(protocol.PostTool, params)
	if err != nil {
		r.Error = err.Error()
		return r
	}
	told(post)
	r.Stop = post.StopReason
	shown := params["result"].(string)
	if post.UpdatedOutput != nil {
		shown = strictjson.ValueText(post.UpdatedOutput)
	}
	behind := append(texts(pre), texts(post)...)
	switch {
	case post.Decision != protocol.Continue && post.Cause != protocol.CausePolicy:
		shown = post.Reason
	case post.Decision != protocol.Continue:
		behind = append(behind, post.Reason)
	}
	r.Text = strings.Join(append([]string{shown}, behind...), "\n\n")
	return r
}

func wayEnvironment(c wayCall) []string {
	env := binary.Environment(c.Dir)
	for _, name := range slices.Sorted(maps.Keys(c.Env)) {
		env = append(env, name+"="+c.Env[name])
	}
	return env
}

func fireCommand(t *testing.T, c wayCall) fire {
	return func(event protocol.Event, params map[string]any) (*protocol.Outcome, error) {
		argv := []string{string(event), "-C", c.Dir, "-o", "json"}
		if c.Require {
			argv = append(argv, "--require-hooks")
		}
		for name, value := range params {
			if raw, ok := value.(json.RawMessage); ok {
				value = string(raw)
			}
			argv = append(argv, fmt.Sprintf("--%s=%v", strings.ReplaceAll(name, "_", "-"), value))
		}
		cmd := exec.Command(binary.Path, argv...)
		cmd.Env = wayEnvironment(c)
		var stderr strings.Builder
		cmd.Stderr = &stderr
		out, err := cmd.Output()
		code := cmd.ProcessState.ExitCode()
		if code == 1 {
			return nil, errors.New(stderr.String())
		}
		var o protocol.Outcome
		require.NoError(t, json.Unmarshal(out, &o), "%s %v", out, err)
		want := 0
		switch {
		case o.Stop:
			want = 3
		case o.Decision != protocol.Continue:
			want = 2
		}
		require.Equal(t, want, code, "%s", out)
		return &o, nil
	}
}

func fireServe(t *testing.T, c wayCall) fire {
	argv := []string{"serve", "-C", c.Dir}
	if c.Require {
		argv = append(argv, "--require-hooks")
	}
	cmd := exec.Command(binary.Path, argv...)
	cmd.Env = wayEnvironment(c)
	var stderr strings.Builder
	cmd.Stderr = &stderr
	in, err := cmd.StdinPipe()
	require.NoError(t, err)
	out, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	t.Cleanup(func() {
		_ = in.Close()
		_ = cmd.Wait()
	})
	lines := bufio.NewReader(out)
	return func(event protocol.Event, params map[string]any) (*protocol.Outcome, error) {
		call := map[string]any{"jsonrpc": "2.0", "id": 1, "method": event, "params": params}
		if line, err := json.Marshal(call); err == nil {
			_, _ = in.Write(append(line, '\n')) // a server that has ended gives no answer, below
		}
		line, err := lines.ReadBytes('\n')
		if errors.Is(err, io.EOF) {
			_ = cmd.Wait()
			return nil, errors.New(stderr.String())
		}
		require.NoError(t, err)
		var answer struct {
			Result *protocol.Outcome
			Error  *struct{ Message string }
		}
		require.NoError(t, json.Unmarshal(line, &answer), "%s", line)
		if answer.Error != nil {
			return nil, errors.New(answer.Error.Message)
		}
		return answer.Result, nil
	}
}

// wayOfGo is a program that imports the packages.
func wayOfGo(t *testing.T, calls []wayCall) (results []wayResult) {
	for _, c := range calls {
		r, err := inGo(t, c)
		if err != nil {
			r.Error = err.Error()
		}
		results = append(results, r)
	}
	return results
}

func inGo(t *testing.T, c wayCall) (r wayResult, err error) {
	cfg, err := projecthooks.Load(c.Dir, projecthooks.LoadOptions{RequireHooks: c.Require})
	if err != nil {
		return r, err
	}
	o := runner.Options{Env: wayEnvironment(c), Trust: runner.Trust(c.Env["HOOKRUN_TRUST"]),
		Log: slog.New(slog.DiscardHandler), Queue: &queue.Queue{Dir: c.Env["HOOKRUN_STATE"]}}
	if c.Ask != "" {
		o.Ask = func(context.Context, protocol.Call, string) bool { return c.Ask == "yes" }
	}
	hooks, err := runner.New(cfg, o)
	if err != nil {
		return r, err
	}
	defer hooks.Close()
	call := protocol.Call{Session: c.Session, Workspace: c.Dir, Prompt: c.Prompt, Tool: c.Tool, ID: "call-1",
		Args: `{"command":"ls"}`}
	if c.Prompt != "" {
		call.Tool, call.Args, call.ID = "", "", ""
		asked := func(protocol.Event, map[string]any) (*protocol.Outcome, error) {
			return hooks.Prompt(t.Context(), call)
		}
		return loop(asked, c), nil // a host joins the message and its texts itself
	}
	result, err := hooks.Tool(t.Context(), call, func(_ context.Context, args string) runner.Output {
		var got map[string]any
		_ = json.Unmarshal([]byte(args), &got)
		r.Ran = append(r.Ran, got)
		if c.Fails {
			return runner.Output{Err: errors.New("no such file")}
		}
		return runner.Output{Text: "ran"}
	})
	if err != nil {
		return r, err
	}
	require.Equal(t, r.Ran != nil, result.Ran)
	require.NoError(t, result.Ack(true))
	r.Text, r.Stop, r.Told = result.Text, result.StopReason, slices.Concat(result.Warnings, result.SystemMessages)
	if result.Before.Stop {
		r.Text = "" // the reason of the stop is for the user
	}
	return r, nil
}

// wayOfScript is a script that uses a package of this clone.
func wayOfScript(program, script string, args ...string) way {
	return func(t *testing.T, calls []wayCall) (results []wayResult) {
		binary.Needs(t, program)
		root := binary.Repository(t)
		argv := []string{filepath.Join(root, "e2e", "testdata", "ways", script)}
		for _, arg := range args {
			argv = append(argv, filepath.Join(root, arg))
		}
		cmd := exec.Command(program, argv...)
		cmd.Env = append(binary.Environment(calls[0].Dir),
			"PYTHONPATH="+filepath.Join(root, "packages", "python", "src"), "PYTHONDONTWRITEBYTECODE=1")
		text, err := json.Marshal(calls)
		require.NoError(t, err)
		cmd.Stdin = strings.NewReader(string(text))
		var stderr strings.Builder
		cmd.Stderr = &stderr
		out, err := cmd.Output()
		require.NoError(t, err, stderr.String())
		require.NoError(t, json.Unmarshal(out, &results), "%s", out)
		return results
	}
}

// wayRow is a row of the table: files of a project, a call, and what a loop has after it.
type wayRow struct {
	name  string
	hooks string // entries of the hooks file; "": no hooks file
	file  string // the whole hooks file in the place of hooks
	queue []queue.Entry
	call  wayCall
	want  wayResult
}

func (row *wayRow) prepare(t *testing.T) wayCall {
	c := row.call
	c.Dir = filepath.Join(t.TempDir(), "project")
	c.Session, c.Tool = "s1", cmp.Or(c.Tool, "shell")
	state := filepath.Join(filepath.Dir(c.Dir), "state")
	c.Env = map[string]string{"HOOKRUN_STATE": state}
	maps.Copy(c.Env, row.call.Env)
	require.NoError(t, os.MkdirAll(c.Dir, 0o755))
	if file := row.file; file != "" || row.hooks != "" {
		binary.WriteFile(t, c.Dir, ".tenex-hooks.json", cmp.Or(file, `{"hooks": [`+row.hooks+`]}`))
	}
	for _, e := range row.queue {
		_, err := (&queue.Queue{Dir: state}).Put(t.Context(), e)
		require.NoError(t, err)
	}
	return c
}
