package cli

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/spf13/pflag"

	"github.com/hookrun/hookrun/internal/core/engine"
	"github.com/hookrun/hookrun/internal/core/hookfile"
	"github.com/hookrun/hookrun/internal/doors/serve"
)

var serveCalls = command{
	name:    "serve",
	args:    "[--socket PATH | --listen HOST:PORT] [FLAGS]",
	summary: "answer many calls: JSON-RPC, one message per line, or HTTP",
	about: `Reads the hooks files once and answers requests in JSON-RPC 2.0, one on each line, on stdin and stdout
or on a unix socket. With --listen a request is the body of a POST to /, and clients post the input of
their own HTTP hooks to /hook/CLIENT. Methods:
  pre-execute, pre-tool, post-tool  params have the names of those commands' flags
  fire                              params are a client's hook input
  check, reload, ping, shutdown     reload reads the hooks files again
  $/cancel                          a notification with the id of a call
  handshake/hello, steps/…          of the Agent Control Standard
The result of a call is the outcome, as --output json prints it. Calls run at the same time, and each
is answered when it is ready. An error is no verdict: do not run the tool. At the end of the input
hookrun kills every hook that still runs.`,
	example: `  echo '{"jsonrpc":"2.0","id":1,"method":"ping"}' | hookrun serve`,
	setup: func(flags *pflag.FlagSet) func([]string, Streams) (int, error) {
		var f serveCommand
		const usage = "listen on the unix socket `PATH`, in a folder that only you can write to, " +
			`or on Windows on the named pipe \\.\pipe\NAME, instead of stdin`
		socket := flags.String("socket", "", usage)
		var web serve.HTTP
		flags.StringVar(&web.Address, "listen", "", "listen for HTTP on `HOST:PORT` instead of stdin, and print the "+
			"address first; a host that is not loopback needs --token-file, --tls-cert and --tls-key")
		flags.StringVar(&web.TokenFile, "token-file", "", "requests to --listen need the token in `FILE`, which only "+
			"you can read: Authorization: Bearer TOKEN")
		flags.StringVar(&web.CertFile, "tls-cert", "", "TLS for --listen: the certificate in `FILE`, as PEM")
		flags.StringVar(&web.KeyFile, "tls-key", "", "the key of --tls-cert, in `FILE`")
		f.defineFiles(flags)
		f.define(flags)
		return func(args []string, std Streams) (int, error) {
			if err := noArgs(args); err != nil {
				return 0, err
			}
			if flags.Changed("socket") && *socket == "" {
				return 0, errors.New("--socket is empty; leave it out for stdin and stdout")
			}
			for _, name := range []string{"listen", "token-file", "tls-cert", "tls-key"} {
				switch value := flags.Lookup(name); {
				case !value.Changed:
				case value.Value.String() == "":
					return 0, fmt.Errorf("--%s is empty; leave it out", name)
				case *socket != "":
					return 0, fmt.Errorf("--%s is for HTTP, and --socket is for lines; leave one of them out", name)
				case web.Address == "":
					return 0, fmt.Errorf("--%s is for --listen HOST:PORT; add that, or leave it out", name)
				}
			}
			return exitOK, f.serve(*socket, web, std)
		}
	},
}

// serveCommand has the flags of a command that reads the hooks files once and answers many calls.
type serveCommand struct {
	hooksFlags
	stateFlags
}

// define adds the flags besides those of defineFiles.
func (f *serveCommand) define(flags *pflag.FlagSet) {
	f.definePolicy(flags)
	f.defineRequired(flags)
	f.defineTrust(flags)
	defineState(flags, &f.queue.Dir)
	f.defineLog(flags)
}

// start finds the project, and reads the hooks files. A signal from then on ends the command.
func (f *serveCommand) start(until *interruption) (*hookfile.Config, engine.Options, error) {
	if err := f.find(); err != nil {
		return nil, engine.Options{}, err
	}
	if err := f.openLog(); err != nil {
		return nil, engine.Options{}, err
	}
	until.watch()
	return f.load()
}

// serve answers requests until the client or a signal ends it: on a socket, over HTTP if web has an address, or else on
// the streams.
func (f *serveCommand) serve(socket string, web serve.HTTP, std Streams) error {
	until := interruption{exit: exitFailed}
	cfg, o, err := f.start(&until)
	if err != nil {
		return err
	}
	if o.Env, err = hookEnviron(); err != nil {
		return err
	}
	r, err := engine.New(cfg, o)
	if err != nil {
		return err
	}
	beats := f.beats(&f.hooksFlags, f.folder)
	beats.Use(cfg)
	defer beats.Wait()
	server := serve.New(serve.Options{
		Runner: r, Config: cfg, Workspace: f.folder, HooksFile: f.hooksFile(),
		Queue: &f.queue, Log: f.log, Warnings: f.project.Warnings(), Version: installed(), Stderr: std.Err,
		Load: f.readAgain, Loaded: beats.Use, Check: f.checkAgain, Answered: beats.Answered,
	})
	defer until.done()
	if socket != "" {
		return server.Listen(until.context(), socket)
	}
	if web.Address != "" {
		web.Ready = func(address string) error { return write(std, "listening on "+address+"\n") }
		return server.ListenHTTP(until.context(), web)
	}
	if isNull(std.Out) {
		return errors.New("stdout is the null device, so nobody would read the answers; give --socket, or read stdout")
	}
	if std.In == os.Stdin {
		ownSession()
	}
	return server.Run(until.context(), std.In, std.Out)
}

// hooksFile returns the path of the workspace's hooks file, existing or not; "": the flags name other files.
func (f *hooksFlags) hooksFile() string {
	if len(f.configs) > 0 {
		return ""
	}
	return filepath.Join(f.folder, hookfile.FileName)
}
