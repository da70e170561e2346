package cli

import (
	"github.com/spf13/pflag"

	"github.com/hookrun/hookrun/internal/dialect/registry"
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
		var f callFlags
		f.defineTool(flags)
		f.define(flags, append([]string{"text", "json"}, registry.All().ClientNames()...)...)
		f.defineFiring(flags)
		return func(args []string, std Streams) (int, error) {
			if err := noArgs(args); err != nil {
				return 0, err
			}
			return f.fire(protocol.PreTool, std)
		}
	},
}
