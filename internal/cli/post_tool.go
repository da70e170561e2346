package cli

import (
	"slices"

	"github.com/spf13/pflag"

	"github.com/hookrun/hookrun/internal/dialect/all"
	"github.com/hookrun/hookrun/protocol"
)

var postTool = command{
	name:    "post-tool",
	args:    "--tool NAME [--args JSON|@FILE|-] [--result TEXT|@FILE|-] [--failed] [FLAGS]",
	summary: "ask the hooks after a tool ran, failed or was blocked",
	answers: true,
	about: "Runs the project's post-tool hooks on one tool call and its result. Append what stands on stdout to the result.\n" +
		"On exit 2 give the model what stands on stderr: in text output in the place of the result, which a hook may have\n" +
		"wanted to change. A call that was blocked is shown to these hooks too, with the reason for a result.\n\n" +
		"--output anthropic, openai and openai-responses print the messages that a loop appends to its conversation, as one JSON\n" +
		"array: the result, and what the hooks have to say. They are printed on exit 2 and 3 too, and have the reason of a block.\n" +
		"--notes separate puts each text where its strategy says, structured makes the result {\"output\":…,\"system_notes\":[…]} as\n" +
		"text, and separator puts all texts into the result, under a line.",
	example: `  make 2>&1 | hookrun post-tool --tool shell --args '{"command":"make"}' --result -` + "\n" +
		`  make 2>&1 | hookrun post-tool --tool shell --result - --tool-use-id toolu_1 --output anthropic`,
	setup: func(flags *pflag.FlagSet) func([]string, Streams) (int, error) {
		var f callFlags
		f.defineTool(flags)
		f.defineResult(flags)
		f.define(flags, slices.Concat([]string{"text", "json"}, all.ClientNames(), messageForms())...)
		f.record.define(flags)
		f.defineMessages(flags)
		f.ipc = defineIPC(flags)
		return func(args []string, std Streams) (int, error) {
			if err := noArgs(args); err != nil {
				return 0, err
			}
			return f.fire(protocol.PostTool, std)
		}
	},
}
