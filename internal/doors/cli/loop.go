package cli

import (
	"slices"

	"github.com/spf13/pflag"

	"github.com/hookrun/hookrun/protocol"
)

var preTool = command{
	name:    "pre-tool",
	args:    "--tool NAME [--args JSON|@FILE|-] [FLAGS]",
	summary: "run the hooks before a tool runs",
	answers: true,
	about: `Runs the project's pre-tool hooks on one tool call. Run the tool only if hookrun exits with 0. On 2
and 3 give the model stderr instead of the tool's result.`,
	example: `  hookrun pre-tool --tool shell --args '{"command":"git push --force"}'`,
	setup: func(flags *pflag.FlagSet) func([]string, Streams) (int, error) {
		var f callCommand
		f.defineTool(flags)
		f.define(flags, "text", callOutputs)
		f.defineFiring(flags)
		return f.runAt(protocol.PreTool)
	},
}

var postTool = command{
	name:    "post-tool",
	args:    "--tool NAME [--args JSON|@FILE|-] [--result TEXT|@FILE|-] [--failed] [FLAGS]",
	summary: "run the hooks after a tool ran, failed or was blocked",
	answers: true,
	about: `Runs the project's post-tool hooks on one tool call and its result. On exit 0 append stdout to the
result. On exit 2 give the model stderr instead of the result (in text output), since a hook may have
wanted to change the result. Fire these hooks for a blocked call too, with the reason as the result.

--output anthropic, openai and openai-responses print the messages that a loop appends to its
conversation, as one JSON array: the result, and the texts of the hooks. They are printed on exit 2
and 3 too, with the reason of the block. --notes is where the texts go:
  separate    each where its strategy puts it
  structured  in the result, which becomes the text {"output":…,"system_notes":[…]}
  separator   in the result, under a line`,
	example: `  make 2>&1 | hookrun post-tool --tool shell --args '{"command":"make"}' --result -` + "\n" +
		`  make 2>&1 | hookrun post-tool --tool shell --result - --tool-use-id toolu_1 --output anthropic`,
	setup: func(flags *pflag.FlagSet) func([]string, Streams) (int, error) {
		var f callCommand
		f.defineTool(flags)
		f.defineResult(flags)
		f.define(flags, "text", func() []string { return slices.Concat(callOutputs(), messageForms()) })
		f.defineFiring(flags)
		f.defineMessages(flags)
		defineIPC(flags, &f.ipc)
		return f.runAt(protocol.PostTool)
	},
}

var preExecute = command{
	name:    "pre-execute",
	args:    "[--prompt TEXT|@FILE|-] [FLAGS]",
	summary: "run the hooks before the model sees the user's message",
	answers: true,
	about: `Runs the project's pre-execute hooks: once for each message of the user, before the model is called.
Append what they print to that message, not to the system prompt. Give a message that a person wrote
on stdin, with --prompt -: on the command line a message that starts with @ is the name of a file.`,
	example: "  hookrun pre-execute --prompt 'fix the build' --wrap",
	setup: func(flags *pflag.FlagSet) func([]string, Streams) (int, error) {
		var f callCommand
		f.define(flags, "text", callOutputs)
		f.defineFiring(flags)
		flags.BoolVar(&f.wrap, "wrap", false, "put each text into the tag under which TENEX shows it (text output)")
		return f.runAt(protocol.PreExecute)
	},
}
