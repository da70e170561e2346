package cli

import (
	"os"

	"github.com/spf13/pflag"

	"github.com/hookrun/hookrun/internal/httphook"
)

// httpHook is what hookrun starts for a hook of type http. It is not for people, and not in the list of commands.
var httpHook = command{
	name:    "http-hook",
	args:    "< REQUEST",
	summary: "post for a hook of type http",
	hidden:  true,
	about: "Posts the request on stdin: a line of JSON with url, headers and allowed_env_vars, and behind it the body. Prints the\n" +
		"answer's body. hookrun starts it for hooks of type http.",
	example: `  printf '{"url":"http://127.0.0.1:8080/hook"}\n{}' | hookrun http-hook`,
	setup: func(*pflag.FlagSet) func([]string, Streams) (int, error) {
		return func(args []string, std Streams) (int, error) {
			if err := noArgs(args); err != nil {
				return 0, err
			}
			return httphook.Run(std.In, std.Out, std.Err, os.Getenv, nil), nil
		}
	},
}
