//go:build unix

package runner_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"

	"github.com/hookrun/hookrun/projecthooks"
	"github.com/hookrun/hookrun/protocol"
	"github.com/hookrun/hookrun/queue"
	"github.com/hookrun/hookrun/runner"
)

// An agent loop: the model's tool calls go through the hooks, and the model reads the texts of the results.
func Example() {
	cfg, err := projecthooks.Parse("hooks.json", []byte(`{"hooks": [
		{"name": "guard", "block": "do not force-push", "events": ["pre-tool"], "if": "shell(git push --force*)"},
		{"name": "remind", "command": "echo remember to run the tests", "events": ["post-tool"]}
	]}`)) // a program with hooks in files calls projecthooks.Load
	if err != nil {
		fmt.Println(err)
		return
	}
	r, err := runner.New(cfg, runner.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer r.Close()
	shell := func(_ context.Context, args string) runner.Output { return runner.Output{Text: "ran " + args} }
	for _, args := range []string{`{"command":"git push --force"}`, `{"command":"git push"}`} { // of the model
		result, err := r.Tool(context.Background(), protocol.Call{Tool: "shell", Args: args}, shell)
		if err != nil {
			fmt.Println(err) // there is no verdict: the model must not see anything of the call
			return
		}
		fmt.Printf("%q\n", result.Text)
		if result.Stop {
			fmt.Println("the loop ends:", result.StopReason)
			return
		}
	}
	// Output:
	// "do not force-push\n\nremember to run the tests"
	// "ran {\"command\":\"git push\"}\n\nremember to run the tests"
}

// A service: many requests share one Runner, and a file that was edited is read again. After a broken edit the service
// goes on with the hooks that it has, and says so once.
func ExampleRunner_Reload() {
	dir, err := os.MkdirTemp("", "project-")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	edit := func(text string) {
		if err := os.WriteFile(filepath.Join(dir, ".tenex-hooks.json"), []byte(text), 0o600); err != nil {
			fmt.Println(err)
		}
	}
	edit(`{"hooks": [{"name": "guard", "block": "not today", "events": ["pre-tool"]}]}`)
	cfg, err := projecthooks.Load(dir, projecthooks.LoadOptions{})
	if err != nil {
		fmt.Println(err)
		return
	}
	r, err := runner.New(cfg, runner.Options{MaxProcs: 8})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer r.Close()
	reload := func() { // a service calls it from a time.Ticker
		for _, change := range cfg.Changed() {
			fmt.Println(strings.TrimPrefix(change, dir+"/"))
			next, err := projecthooks.Load(dir, projecthooks.LoadOptions{})
			if err == nil {
				err = r.Reload(next)
			}
			if err != nil {
				fmt.Println("the hooks stay as they are:", strings.TrimPrefix(err.Error(), dir+"/"))
				return
			}
			cfg = next
		}
	}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		args, err := io.ReadAll(req.Body)
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		result, err := r.Tool(req.Context(), protocol.Call{Tool: "deploy", Args: string(args)},
			func(context.Context, string) runner.Output { return runner.Output{Text: "deployed"} })
		if err != nil {
			http.Error(w, err.Error(), http.StatusServiceUnavailable)
			return
		}
		fmt.Fprint(w, result.Text)
	}))
	defer server.Close()
	deploy := func() {
		response, err := http.Post(server.URL, "application/json", strings.NewReader(`{}`))
		if err != nil {
			fmt.Println(err)
			return
		}
		defer response.Body.Close()
		text, err := io.ReadAll(response.Body)
		fmt.Println(string(text), err)
	}
	deploy()
	edit(`{"hooks": [`)
	reload()
	reload()
	deploy()
	edit(`{"hooks": []}`)
	reload()
	deploy()
	// Output:
	// not today <nil>
	// .tenex-hooks.json was changed
	// the hooks stay as they are: .tenex-hooks.json:1:12: parsing: the document ends too early: a value is missing
	// not today <nil>
	// .tenex-hooks.json was changed
	// deployed <nil>
}

// A test of a hook needs neither files nor processes: the hook is a Go function, and the tool another.
func ExampleHook() {
	guard := runner.Hook{
		Name:  "no-prod",
		Match: "deploy",
		Run: func(_ context.Context, c protocol.Call, _ *runner.Output) (runner.Answer, error) {
			if strings.Contains(c.Args, "prod") {
				return runner.Answer{Block: "not on production"}, nil
			}
			return runner.Answer{}, nil
		},
	}
	mask := runner.Hook{
		Name: "mask",
		On:   protocol.PostTool,
		Run: func(_ context.Context, _ protocol.Call, out *runner.Output) (runner.Answer, error) {
			clean := strings.ReplaceAll(out.Text, "AKIA1", "[key]")
			return runner.Answer{Output: &clean}, nil
		},
	}
	r, err := runner.New(projecthooks.Empty, runner.Options{Hooks: []runner.Hook{guard, mask}})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer r.Close()
	tool := func(_ context.Context, args string) runner.Output {
		return runner.Output{Text: "with AKIA1 " + args}
	}
	for _, args := range []string{`{"to":"prod"}`, `{"to":"test"}`} {
		result, err := r.Tool(context.Background(), protocol.Call{Tool: "deploy", Args: args}, tool)
		fmt.Printf("%v %v %q %v\n", result.Decision, result.Ran, result.Text, err)
	}
	// Output:
	// block false "not on production" <nil>
	// continue true "with [key] {\"to\":\"test\"}" <nil>
}

// While a tool runs, somebody has a word for the agent. It goes with the result of that tool.
func ExampleResult_Ack() {
	state, err := os.MkdirTemp("", "state-")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(state)
	ctx := context.Background()
	q := &queue.Queue{Dir: state}
	r, err := runner.New(projecthooks.Empty, runner.Options{Queue: q})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer r.Close()
	call := protocol.Call{Tool: "shell", Session: "s1", ID: "call_1"}
	result, err := r.Tool(ctx, call, func(context.Context, string) runner.Output {
		_, err := q.Put(ctx, queue.Entry{Session: "s1", Source: "human", Content: "use the staging database"})
		return runner.Output{Text: "ok", Err: err}
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	messages, err := result.Messages(protocol.OpenAIChat)
	if err != nil {
		fmt.Println(err, result.Ack(false)) // the next call has the text
		return
	}
	fmt.Println(string(messages), result.Ack(true))
	// Output: [{"role":"tool","tool_call_id":"call_1","content":"ok\nuse the staging database"}] <nil>
}

// A loop that runs its tools itself, for example to ask a person, uses the parts of Tool.
func ExampleRunner_Before() {
	sure := runner.Hook{Name: "sure", Run: func(context.Context, protocol.Call, *runner.Output) (runner.Answer, error) {
		return runner.Answer{Ask: "Delete the branch?"}, nil
	}}
	r, err := runner.New(projecthooks.Empty, runner.Options{Hooks: []runner.Hook{sure}})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer r.Close()
	ctx, call := context.Background(), protocol.Call{Tool: "shell", Args: `{"command":"git branch -D old"}`}
	before, err := r.Before(ctx, call)
	if err != nil || before.Stop {
		fmt.Println("no tool may run:", err, before.StopReason)
		return
	}
	person := func(question string) bool { fmt.Println(question); return false }
	out := runner.Output{Text: before.Reason, Err: runner.ErrNotRun}
	switch {
	case before.Decision == protocol.Ask && person(before.Reason), before.Decision == protocol.Continue:
		call.Args = before.Args // as hooks have rewritten them
		out = runner.Output{Text: "deleted"}
	case before.Decision == protocol.Ask:
		out.Text = "a person said no"
	}
	after, err := r.After(ctx, call, out)
	fmt.Println(after.Result, err) // what the model is to see; after.Texts belong behind it
	// Output:
	// Delete the branch?
	// a person said no <nil>
}

// Which hooks would run for a call, and why?
func ExampleRunner_Explain() {
	cfg, err := projecthooks.Parse("hooks.json", []byte(`{"hooks": [
		{"name": "guard", "command": "./guard.sh", "events": ["pre-tool"], "matcher": "shell"},
		{"name": "files", "command": "./files.sh", "events": ["pre-tool"], "matcher": "fs_*"}]}`))
	if err != nil {
		fmt.Println(err)
		return
	}
	r, err := runner.New(cfg, runner.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer r.Close()
	hooks, err := r.Explain(protocol.Call{Tool: "shell", Args: `{"command":"git push"}`})
	for _, h := range hooks {
		fmt.Println(h.Name, h.Runs, "because", h.Why)
	}
	fmt.Println(err)
	// Output:
	// guard true because it subscribes to pre-tool, and its matcher "shell" matches the tool "shell"
	// files false because its matcher "fs_*" does not match the tool "shell"
	// <nil>
}
