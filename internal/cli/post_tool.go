package cli

import (
	"slices"

	"github.com/spf13/pflag"

	"github.com/hookrun/hookrun/internal/dialect/registry"
	"github.com/hookrun/hookrun/protocol"
)

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
		var f callFlags
		f.defineTool(flags)
		f.defineResult(flags)
		f.define(flags, slices.Concat([]string{"text", "json"}, registry.All().ClientNames(), messageForms())...)
		f.defineFiring(flags)
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
