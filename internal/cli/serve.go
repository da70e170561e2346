package cli

import (
	"errors"
	"os"
	"path/filepath"

	"github.com/spf13/pflag"

	"github.com/hookrun/hookrun/internal/hookfile"
	"github.com/hookrun/hookrun/internal/serve"
)

var serveCalls = command{
	name:    "serve",
	args:    "[--socket PATH] [FLAGS]",
	summary: "answer many calls: JSON-RPC, one message per line",
	about: `Reads the hooks files once and answers requests in JSON-RPC 2.0, one on each line, on stdin and stdout
or on a unix socket. Methods:
  pre-execute, pre-tool, post-tool  params have the names of those commands' flags
  fire                              params are a client's hook input
  check, reload, ping, shutdown     reload reads the hooks files again
  $/cancel                          a notification with the id of a call
The result of a call is the outcome, as --output json prints it. Calls run at the same time, and each
is answered when it is ready. An error is no verdict: do not run the tool. At the end of the input
hookrun kills every hook that still runs.`,
	example: `  echo '{"jsonrpc":"2.0","id":1,"method":"ping"}' | hookrun serve`,
	setup: func(flags *pflag.FlagSet) func([]string, Streams) (int, error) {
		var f callFlags
		const usage = "listen on the unix socket `PATH`, in a folder that only you can write to, " +
			`or on Windows on the named pipe \\.\pipe\NAME, instead of stdin`
		socket := flags.String("socket", "", usage)
		f.defineFiles(flags)
		f.definePolicy(flags)
		f.defineRequired(flags)
		f.defineTrust(flags)
		f.defineState(flags)
		f.record.define(flags)
		return func(args []string, std Streams) (int, error) {
			if err := noArgs(args); err != nil {
				return 0, err
			}
			if flags.Changed("socket") && *socket == "" {
				return 0, errors.New("--socket is empty; leave it out for stdin and stdout")
			}
			return exitOK, f.serve(*socket, std)
		}
	},
}

// serve answers requests on a socket, or on the streams if socket is "", until the client or a signal ends it.
func (f *callFlags) serve(socket string, std Streams) error {
	if err := f.valid(); err != nil {
		return err
	}
	if err := f.resolveWorkspace(); err != nil {
		return err
	}
	if err := f.record.open(); err != nil {
		return err
	}
	until := interruption{exit: exitFailed}
	until.watch()
	cfg, o, err := f.load()
	if err != nil {
		return err
	}
	if o.Env, err = hookEnviron(); err != nil {
		return err
	}
	r, err := newRunner(cfg, o)
	if err != nil {
		return err
	}
	beats := beats{of: f}
	beats.use(cfg)
	defer beats.running.Wait()
	load := func() (*hookfile.Config, error) {
		cfg, err := f.readAgain()
		if err == nil {
			beats.use(cfg)
		}
		return cfg, err
	}
	server := serve.New(serve.Options{
		Runner: r, Config: cfg, Workspace: f.call.Workspace, HooksFile: f.hooksFile(),
		Queue: f.queue, Log: f.record.log, Warnings: f.warnings, Version: installed(), Stderr: std.Err,
		Load: load, Check: f.checkAgain, Answered: beats.answered,
	})
	defer until.done()
	if socket != "" {
		return server.Listen(until.context(), socket)
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
func (f *callFlags) hooksFile() string {
	if len(f.configs) > 0 {
		return ""
	}
	return filepath.Join(f.call.Workspace, hookfile.FileName)
}
