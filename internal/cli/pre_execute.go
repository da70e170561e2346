package cli

import (
	"github.com/spf13/pflag"

	"github.com/hookrun/hookrun/internal/dialect/registry"
	"github.com/hookrun/hookrun/protocol"
)

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
		var f callFlags
		f.define(flags, append([]string{"text", "json"}, registry.All().ClientNames()...)...)
		f.defineFiring(flags)
		flags.BoolVar(&f.wrap, "wrap", false, "put each text into the tag under which TENEX shows it (text output)")
		return func(args []string, std Streams) (int, error) {
			if err := noArgs(args); err != nil {
				return 0, err
			}
			return f.fire(protocol.PreExecute, std)
		}
	},
}
