package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/spf13/pflag"

	"github.com/hookrun/hookrun/internal/core/dialect"
	"github.com/hookrun/hookrun/internal/core/engine"
	"github.com/hookrun/hookrun/internal/core/form"
	"github.com/hookrun/hookrun/internal/doors/gate"
	"github.com/hookrun/hookrun/internal/doors/mcpproxy"
	"github.com/hookrun/hookrun/internal/lib/printable"
	"github.com/hookrun/hookrun/internal/lib/printable/terminal"
	"github.com/hookrun/hookrun/internal/lib/strictjson"
	"github.com/hookrun/hookrun/internal/texts/ipc"
	"github.com/hookrun/hookrun/protocol"
)

var mcp = command{
	name:    "mcp",
	args:    "[FLAGS] -- SERVER [ARGS…]",
	summary: "run the hooks for every call of an MCP server's tools, as a proxy before it",
	about: `Starts an MCP server that speaks on stdin and stdout, and passes messages on in both directions.
  * The pre-tool hooks run for every tools/call first, with the tool's name as mcp__NAME__TOOL. What
    they block never reaches the server: the client gets the reason as the result of a failed tool.
  * The post-tool hooks run for the result. Their texts, and those of the session's queue, are added
    to it.
  * A call of a tool that the server does not list, by its exact name, is refused. No hook runs for it.
Hooks files are read once, at the start.

NAME is what the server calls itself when it answers initialize, with _ for every character but
letters, digits, _ and -; "server" where it gave none. A server can choose any name: give --name if
your hooks depend on it. Without --name, calls are refused until the server has answered initialize.

Messages that follow a call overtake it while its hooks run. A call that is cancelled meanwhile ends
there. hookrun exits with 0 when the client has left and the server has ended, else with 1.`,
	example: `  hookrun mcp --name files -- npx -y @modelcontextprotocol/server-filesystem .`,
	setup: func(flags *pflag.FlagSet) func([]string, Streams) (int, error) {
		var f serveCommand
		m := mcpGate{turns: make(chan struct{}, mcpCalls)}
		flags.SetInterspersed(false) // the flags after the server's name belong to the server
		name := flags.String("name", "", "`NAME` of the server in the names of its tools (default its own)")
		f.defineFiles(flags)
		flags.StringVar(&m.call.SessionID, "session-id", "", "`ID` of the conversation")
		flags.StringVar(&m.call.TranscriptPath, "transcript-path", "", "`FILE` with the conversation")
		flags.StringVar(&m.call.AgentID, "agent-id", "", "`ID` of the agent")
		f.define(flags)
		defineIPC(flags, &f.ipc)
		flags.BoolVarP(&m.verbose, "verbose", "v", false, "show on stderr what each hook did")
		return func(args []string, std Streams) (int, error) {
			for _, flag := range []string{"name", "massgen-ipc"} {
				if l := flags.Lookup(flag); l.Changed && l.Value.String() == "" {
					return 0, fmt.Errorf("--%s is empty; leave it out for the default", flag)
				}
			}
			if len(args) == 0 {
				return 0, errors.New("the server is missing; give its command behind --, as in hookrun mcp -- ./server")
			}
			if f.ipc != "" {
				m.ipc = ipc.NewReader(f.ipc)
				m.ipc.Memory = ipcMemory()
			}
			log := newAsyncLog(std.Err)
			m.err = log
			defer log.close()
			exit, err := m.run(&f, args, std, *name)
			if err != nil {
				printError(log, "mcp", err)
				exit = exitFailed
			}
			return exit, nil
		}
	},
}

// mcpCalls is the maximum number of calls whose hooks run at once.
const mcpCalls = 256

// mcpGrace is the time for the server and the hooks to end once the client has left. Clients wait two seconds for a
// server to end, and then kill it.
const mcpGrace = 1200 * time.Millisecond

// mcpGate runs the hooks for the calls of a server's tools.
type mcpGate struct {
	call    dialect.Call // common to all calls
	gate    *gate.Gate
	ipc     *ipc.Reader   // nil: no folder of MassGen
	turns   chan struct{} // slots of calls whose hooks run
	known   []string      // warnings already printed
	verbose bool
	err     io.Writer

	// others returns the servers that the hooks are for, if no hook is for this server; nil with --name.
	others func(server string) []string
	named  sync.Once // others was called
}

// run passes messages on until one side has ended.
func (m *mcpGate) run(f *serveCommand, argv []string, std Streams, name string) (exit int, err error) {
	until := interruption{exit: exitFailed}
	cfg, o, err := f.start(&until)
	if err != nil {
		return 0, err
	}
	m.call.Workspace = f.folder
	m.gate = f.gate("mcp", func(err error) { m.log("warning: %v", err) })
	if m.verbose {
		for _, line := range f.project.Lines() {
			m.log("%s", line)
		}
	}
	for _, w := range f.project.Warnings() {
		m.log("warning: %s", w)
	}
	for _, w := range cfg.Warned() {
		m.known = append(m.known, w.Error())
		m.log("warning: %v", w)
	}
	if w, unknown := cfg.UnknownAgent(m.call.AgentID); unknown { // once, not with each call
		m.known = append(m.known, w)
		m.log("warning: %s", w)
	}
	if o.Env, err = hookEnviron(); err != nil {
		return 0, err
	}
	o.Subreaper = false // a subreaper would take the server's exit status
	if m.gate.Runner, err = engine.New(cfg, o); err != nil {
		return 0, err
	}
	beats := f.beats(&f.hooksFlags, f.folder)
	beats.Use(cfg)
	m.gate.Answered = beats.Answered
	ctx := until.context()
	server, err := mcpproxy.Start(argv, os.Environ())
	if err != nil {
		return 0, err
	}
	if name == "" {
		m.others = cfg.OtherServers
	}
	proxy := mcpproxy.New(mcpproxy.Gate{Before: m.before, After: m.after, Idle: m.idle},
		mcpproxy.Options{Name: name, Grace: mcpGrace, Log: m.log})
	err = proxy.Run(ctx, mcpproxy.Client{In: std.In, Out: std.Out}, server.Server())
	ended := server.End()
	m.gate.Runner.Close()
	until.done()
	if err == nil {
		err = ended
	}
	return exitOK, err
}

func (m *mcpGate) log(format string, args ...any) {
	fmt.Fprintf(m.err, "hookrun mcp: "+format+"\n", args...)
}

// hookCall returns a call of the server in the form for hooks.
func (m *mcpGate) hookCall(event protocol.Event, c *mcpproxy.Call) dialect.Call {
	m.named.Do(func() {
		if m.others == nil {
			return
		}
		if names := m.others(c.Server); len(names) > 0 {
			const text = "warning: the server calls itself %s, and the hooks for MCP tools are for %s; if they are " +
				"meant for it, give --name"
			m.log(text, c.Server, strings.Join(names, ", "))
		}
	})
	call := m.call
	call.Event, call.Tool, call.Args, call.ToolUseID = event, "mcp__"+c.Server+"__"+c.Tool, c.Args, c.ID
	return call
}

func (m *mcpGate) idle(c *mcpproxy.Call, after bool) bool {
	if after { // without the result, which some hooks may examine
		call := m.result(c, mcpproxy.Result{})
		return m.gate.Idle(&call)
	}
	return m.gate.Idle(&gate.Call{Call: m.hookCall(protocol.PreTool, c)})
}

// result returns the call for the post-tool hooks. A protocol error is passed on unchanged, so it carries no texts.
func (m *mcpGate) result(c *mcpproxy.Call, r mcpproxy.Result) gate.Call {
	call := gate.Call{Call: m.hookCall(protocol.PostTool, c)}
	call.Result, call.Failed = r.Text, r.Failed
	call.Carries = func(*protocol.Outcome) bool { return !r.Error }
	if m.ipc != nil {
		call.MassGen = func() (string, bool, []string) { return m.ipc.Consume(c.Tool) }
	}
	return call
}

// runHooks runs the hooks once the call has a slot. Without a verdict the outcome is a block.
func (m *mcpGate) runHooks(ctx context.Context, call gate.Call) gate.Answer {
	select {
	case m.turns <- struct{}{}:
		defer func() { <-m.turns }()
	case <-ctx.Done(): // Fire reports the error
	}
	answer, _ := m.gate.Fire(ctx, call) // the error is the reason of the block
	if ctx.Err() == nil {
		o := answer.WithLint()
		m.report(&o)
	}
	return answer
}

// report writes warnings and hook results to stderr, like hookrun's other commands.
func (m *mcpGate) report(o *protocol.Outcome) {
	to := detailWriter{w: m.err, name: "hookrun mcp", verbose: m.verbose}
	for _, w := range o.Warnings {
		if !slices.Contains(m.known, w) {
			to.warning(w)
		}
	}
	to.messages(o.SystemMessages)
	for i := range o.Hooks {
		to.hook(fmt.Sprintf("%s %s: ", o.Event, terminal.Visible(o.Tool)), &o.Hooks[i])
	}
}

func (m *mcpGate) before(ctx context.Context, c *mcpproxy.Call) mcpproxy.CallDecision {
	o := m.runHooks(ctx, gate.Call{Call: m.hookCall(protocol.PreTool, c), Fit: fitArgs, CannotAsk: true})
	if form.ExitCode(o.Outcome) != exitOK {
		return mcpproxy.CallDecision{Refused: true, Reason: form.Stderr(o.Outcome)}
	}
	return mcpproxy.CallDecision{Args: string(o.UpdatedInput), Texts: dialect.TextsOf(o.Outcome)}
}

// fitArgs blocks a call if the rewritten arguments are not a JSON object.
func fitArgs(o *protocol.Outcome) {
	args := strings.TrimSpace(string(o.UpdatedInput))
	if o.UpdatedInput == nil || strings.HasPrefix(args, "{") || form.ExitCode(*o) != exitOK {
		return
	}
	o.Decision, o.Cause, o.Hook, o.Approved = protocol.Block, protocol.CauseRewrite, o.UpdatedBy, false
	o.Reason = "a hook changed the arguments to what is no JSON object, and a tool takes nothing else"
	o.UpdatedInput, o.UpdatedBy = nil, ""
}

// after runs the hooks for a result. A tool that has run cannot be blocked, so the model gets the reason of a block as
// a text, and the reason to stop the loop too.
func (m *mcpGate) after(ctx context.Context, c *mcpproxy.Call, r mcpproxy.Result) (a mcpproxy.ResultDecision) {
	o := m.runHooks(ctx, m.result(c, r))
	if r.Error {
		for _, text := range append(dialect.TextsOf(o.Outcome), form.Stderr(o.Outcome)) {
			if text != "" {
				const lost = "%s ended with an error of the protocol, so the client does not get: %s"
				m.log(lost, terminal.Visible(o.Tool), printable.Lines(text))
			}
		}
		return mcpproxy.ResultDecision{}
	}
	a.Content = strings.TrimSpace(string(o.UpdatedOutput))
	if a.Failed = o.Decision != protocol.Continue; a.Failed {
		if o.Cause == protocol.CausePolicy {
			a.Texts = append(a.Texts, o.Reason)
		} else { // a hook failed, and could have changed the result
			a.Content = string(strictjson.AppendString(nil, o.Reason))
		}
	}
	if o.Stop {
		a.Texts = append(a.Texts, o.StopReason)
	}
	a.Texts = append(a.Texts, dialect.TextsOf(o.Outcome)...)
	a.OnDelivered = o.Delivered
	return a
}
