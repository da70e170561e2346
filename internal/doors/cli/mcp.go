package cli

import (
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"time"

	"github.com/spf13/pflag"

	"github.com/hookrun/hookrun/internal/core/engine"
	"github.com/hookrun/hookrun/internal/doors/mcpproxy"
	"github.com/hookrun/hookrun/internal/lib/printable/terminal"
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
there.`,
	example: `  hookrun mcp --name files -- npx -y @modelcontextprotocol/server-filesystem .`,
	setup: func(flags *pflag.FlagSet) func([]string, Streams) (int, error) {
		var f serveCommand
		var m mcpCommand
		flags.SetInterspersed(false) // the flags after the server's name belong to the server
		name := flags.String("name", "", "`NAME` of the server in the names of its tools (default its own)")
		f.defineFiles(flags)
		flags.StringVar(&m.Call.SessionID, "session-id", "", "`ID` of the conversation")
		flags.StringVar(&m.Call.TranscriptPath, "transcript-path", "", "`FILE` with the conversation")
		flags.StringVar(&m.Call.AgentID, "agent-id", "", "`ID` of the agent")
		f.define(flags)
		defineIPC(flags, &f.ipc)
		flags.BoolVarP(&m.verbose, "verbose", "v", false, "show on stderr what each hook did")
		return func(args []string, std Streams) (int, error) {
			if err := noneEmpty(flags, "name", "massgen-ipc"); err != nil {
				return 0, err
			}
			if len(args) == 0 {
				return 0, errors.New("the server is missing; give its command behind --, as in hookrun mcp -- ./server")
			}
			if f.ipc != "" {
				m.MassGen = ipc.NewReader(f.ipc)
				m.MassGen.Memory = ipcMemory()
			}
			log := mcpproxy.NewLog(std.Err)
			m.err = log
			defer log.Close()
			exit, err := m.run(&f, args, std, *name)
			if err != nil {
				printError(log, "mcp", err)
				exit = exitFailed
			}
			return exit, nil
		}
	},
}

// mcpGrace is the time for the server and the hooks to end once the client has left. Clients wait two seconds for a
// server to end, and then kill it.
const mcpGrace = 1200 * time.Millisecond

// mcpCommand runs a proxy with hooks.
type mcpCommand struct {
	mcpproxy.Hooks
	known   []string // warnings already printed
	verbose bool
	err     io.Writer
}

// run passes messages on until one side has ended.
func (m *mcpCommand) run(f *serveCommand, argv []string, std Streams, name string) (exit int, err error) {
	until := interruption{exit: exitFailed}
	cfg, o, err := f.start(&until)
	if err != nil {
		return 0, err
	}
	m.Call.Workspace = f.folder
	m.Log, m.Report = m.log, m.report
	m.Service = f.service("mcp", func(err error) { m.log("warning: %v", err) })
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
	if w, unknown := cfg.UnknownAgent(m.Call.AgentID); unknown { // once, not with each call
		m.known = append(m.known, w)
		m.log("warning: %s", w)
	}
	if o.Env, err = hookEnviron(); err != nil {
		return 0, err
	}
	o.Subreaper = false // a subreaper would take the server's exit status
	if m.Service.Runner, err = engine.New(cfg, o); err != nil {
		return 0, err
	}
	beats := f.beats(&f.hooksFlags, f.folder)
	beats.Use(cfg)
	m.Service.Answered = beats.Answered
	ctx := until.context()
	server, err := mcpproxy.Start(argv, os.Environ())
	if err != nil {
		return 0, err
	}
	if name == "" {
		m.Others = cfg.OtherServers
	}
	proxy := mcpproxy.New(m.Decide(), mcpproxy.Options{Name: name, Grace: mcpGrace, Log: m.log})
	err = proxy.Run(ctx, mcpproxy.Client{In: std.In, Out: std.Out}, server.Server())
	ended := server.End()
	m.Service.Runner.Close()
	until.done()
	if err == nil {
		err = ended
	}
	return exitOK, err
}

func (m *mcpCommand) log(format string, args ...any) {
	fmt.Fprintf(m.err, "hookrun mcp: "+format+"\n", args...)
}

// report writes warnings and hook results to stderr, like hookrun's other commands.
func (m *mcpCommand) report(o *protocol.Outcome) {
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
