package cli

import (
	"errors"
	"fmt"
	"slices"

	"github.com/spf13/pflag"

	"github.com/hookrun/hookrun/internal/clients"
	"github.com/hookrun/hookrun/internal/clients/client"
	"github.com/hookrun/hookrun/internal/clients/explain"
	"github.com/hookrun/hookrun/internal/lib/spelling"
	"github.com/hookrun/hookrun/protocol"
)

var explainCall = command{
	name:    "explain",
	args:    "EVENT [FLAGS] | --input JSON|@FILE|- [FLAGS] | --last",
	takes:   func() []string { return clients.All().EventNames() },
	summary: "show which hooks a call would run, and why; runs none",
	masks:   true,
	about: `Shows for each hook whether it would run at EVENT for the call that the flags describe, and why or
why not; its program, where that would run, how long it may take, and what each kind of failure would
mean. It runs nothing. --show-input also shows what each hook would get on stdin, as long as no hook
before it changes the call.

--last shows the last blocked call of the project instead: file, hook or rule, reason, fix, and the page
about it.`,
	example: `  hookrun explain pre-tool --tool shell --args '{"command":"ls"}'
  hookrun explain --last`,
	setup: func(flags *pflag.FlagSet) func([]string, Streams) (int, error) {
		var f callCommand
		f.defineTool(flags)
		f.defineResult(flags)
		f.define(flags, "text", func() []string { return []string{"text", "json"} })
		const usage = "a client's own hook input as `JSON|@FILE|-`, instead of EVENT and its flags"
		input := flags.String("input", "", usage)
		const show = "show what each hook that would run gets on stdin, which may have secrets in it"
		showInput := flags.Bool("show-input", false, show)
		const lastUsage = "show the last blocked call of this project, why it was blocked, and how to go on"
		last := flags.Bool("last", false, lastUsage)
		const whose = "`CLIENT`: show also by which names of this client's tools each matcher and if is met " +
			"(CLIENT: {LIST})"
		client := new(string)
		defineChoice(flags, client, "client", "", "", whose, clients.All().ClientNames)
		return func(args []string, std Streams) (int, error) {
			if *last {
				return f.printLast(args, std)
			}
			of, known := clients.All().ClientNamed(*client)
			if *client != "" && !known {
				return 0, checkWord(flags, "client")
			}
			event, err := f.explained(args, *input, of, std)
			if err != nil {
				return 0, err
			}
			if err := f.finish(event, &stdinReader{Streams: std}); err != nil {
				return 0, err
			}
			cfg, o, err := f.load()
			if err != nil {
				return 0, err
			}
			o.Subreaper = false // explain runs no hook
			f.project.FindAbove(len(cfg.Hooks))
			undecided := clients.All().IsAboutTool(event) && f.call.ClientInput == "" && !flags.Changed("args")
			_ = f.call.Resolve(cfg.Clients()) // the plan reports the error
			if known && f.call.ClientInput == "" && (of.MCP.Fits(f.call.Tool) ||
				of.ToolName != nil && of.ToolName(&f.call) != "") {
				input, _, err := of.Hooks.Encode(&f.call)
				if err != nil {
					return 0, err
				}
				f.call.Client, f.call.ClientInput = of.Dialect, string(input.Bytes())
				_ = f.call.Resolve(cfg.Clients())
			}
			e, err := explain.Of(f.call, cfg, o, &outsideTrust)
			if err != nil {
				return 0, err
			}
			if undecided {
				e.MarkUndecided()
			}
			e.Warnings = slices.Concat(f.warnings, f.project.ExtraRemarks(), e.Warnings)
			e.Found = f.project
			if known {
				e.AddTools(of)
			}
			if *showInput {
				if err := e.AddInputs(shownInput); err != nil {
					return 0, err
				}
			}
			return exitOK, writeAs(std, f.output, e, e.String)
		}
	},
}

// explained returns the event named by the arguments, or of a client's input. from is the client of --client, or nil.
func (f *callCommand) explained(args []string, input string, from *client.Client, std Streams) (protocol.Event,
	error) {
	if input != "" {
		if err := noArgs(args); err != nil {
			return "", err
		}
		doc, err := value("--input", input, &stdinReader{Streams: std})
		if err != nil {
			return "", err
		}
		return f.readInput(doc, from)
	}
	const known = "pre-execute, pre-tool, post-tool, and Claude Code's names, such as Stop"
	if len(args) != 1 {
		return "", errors.New("give one EVENT: known are " + known)
	}
	event, ok := clients.All().ParseEvent(args[0])
	if !ok {
		near := spelling.Suggest(args[0], clients.All().EventNames())
		return "", fmt.Errorf("unknown event %q; known are %s%s", args[0], known, near)
	}
	return event, nil
}
