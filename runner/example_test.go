//go:build unix

package runner_test

import (
	"context"
	"fmt"
	"os"
	"strings"

	"github.com/hookrun/hookrun/projecthooks"
	"github.com/hookrun/hookrun/protocol"
	"github.com/hookrun/hookrun/queue"
	"github.com/hookrun/hookrun/runner"
)

const hooks = `{"hooks": [
	{"name": "guard", "command": "grep -q force && echo do not force-push >&2 && exit 1; exit 0", "events": ["pre-tool"], "matcher": "shell"},
	{"name": "remind", "command": "echo remember to run the tests", "events": ["post-tool"]}
]}`

func ExampleRunner_Fire() {
	cfg, err := projecthooks.Parse(projecthooks.FileName, []byte(hooks))
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
	outcome, err := r.Fire(context.Background(),
		protocol.Call{Event: protocol.PreTool, Tool: "shell", Args: `{"command":"git push --force"}`})
	if err != nil || outcome.Decision != protocol.Continue {
		fmt.Println("not run:", outcome.Reason)
	}
	// Output: not run: do not force-push
}

func ExampleHook() {
	guard := runner.Hook{
		Name: "no-prod",
		Run: func(_ context.Context, c protocol.Call, _ *runner.Output) (runner.Answer, error) {
			if strings.Contains(c.Args, "prod") {
				return runner.Answer{Block: "not on production"}, nil
			}
			return runner.Answer{Text: "remember to commit"}, nil
		},
	}
	r, err := runner.New(projecthooks.Empty(), runner.Options{Hooks: []runner.Hook{guard}})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer r.Close()
	for _, args := range []string{`{"command":"deploy prod"}`, `{"command":"deploy test"}`} {
		outcome, err := r.Fire(context.Background(), protocol.Call{Event: protocol.PreTool, Tool: "shell", Args: args})
		fmt.Println(outcome.Decision, outcome.Reason, outcome.Texts(), err)
	}
	// Output:
	// block not on production [] <nil>
	// continue  [remember to commit] <nil>
}

func ExampleDeliver() {
	state, err := os.MkdirTemp("", "state-")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(state)
	ctx := context.Background()
	q := &queue.Queue{Dir: state}
	entry := queue.Entry{Session: "s1", Source: "human", Content: "use the staging database"}
	if _, err := q.Put(ctx, entry); err != nil {
		fmt.Println(err)
		return
	}
	r, err := runner.New(projecthooks.Empty(), runner.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer r.Close()
	call := protocol.Call{Event: protocol.PostTool, Tool: "shell", SessionID: "s1", ToolUseID: "call_1", Result: "ok"}
	outcome, err := r.Fire(ctx, call)
	if err != nil {
		fmt.Println(err)
		return
	}
	ack := runner.Deliver(ctx, q, &call, &outcome.Outcome)
	messages, err := outcome.Messages(protocol.OpenAIChat, protocol.NotesSeparate, &call)
	if err != nil {
		fmt.Println(err, ack(false)) // the next call has it
		return
	}
	fmt.Println(string(messages), ack(true))
	// Output: [{"role":"tool","tool_call_id":"call_1","content":"ok\nuse the staging database"}] <nil>
}

func ExampleResult_Ack() {
	state, err := os.MkdirTemp("", "state-")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(state)
	ctx := context.Background()
	q := &queue.Queue{Dir: state}
	r, err := runner.New(projecthooks.Empty(), runner.Options{Queue: q})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer r.Close()
	call := protocol.Call{Tool: "shell", SessionID: "s1", ToolUseID: "call_1"}
	result, err := r.Tool(ctx, call, func(context.Context, string) runner.Output {
		// while the tool runs, somebody has a word for the agent
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

func ExampleRunner_Reload() {
	r, err := runner.New(projecthooks.Empty(), runner.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer r.Close()
	cfg, err := projecthooks.Parse(projecthooks.FileName, []byte(hooks))
	if err != nil {
		fmt.Println(err)
		return
	}
	if err := r.Reload(cfg); err != nil {
		fmt.Println(err)
		return
	}
	plan, err := r.Plan(protocol.Call{Event: protocol.PreTool, Tool: "shell"})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(plan.HasHooks())
	// Output: true
}

func ExampleRunner_Tool() {
	cfg, err := projecthooks.Parse(projecthooks.FileName, []byte(hooks))
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
	tool := func(_ context.Context, args string) runner.Output { return runner.Output{Text: "ran " + args} }
	for _, command := range []string{"git push --force", "git push"} {
		result, err := r.Tool(context.Background(),
			protocol.Call{Tool: "shell", Args: `{"command":"` + command + `"}`}, tool)
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Printf("%q\n", result.Text)
	}
	// Output:
	// "do not force-push\n\nremember to run the tests"
	// "ran {\"command\":\"git push\"}\n\nremember to run the tests"
}

func ExampleRunner_Plan() {
	cfg, err := projecthooks.Parse(projecthooks.FileName, []byte(hooks))
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
	plan, err := r.Plan(protocol.Call{Event: protocol.PreTool, Tool: "shell", Args: `{"command":"git push"}`})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, h := range plan.Hooks() {
		fmt.Println(h.Name, h.Runs, "because", h.Why)
	}
	outcome, err := plan.Fire(context.Background())
	fmt.Println(outcome.Decision, err)
	// Output:
	// guard true because it subscribes to pre-tool, and its matcher "shell" matches the tool "shell"
	// remind false because it does not subscribe to pre-tool
	// continue <nil>
}
