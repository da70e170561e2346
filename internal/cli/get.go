package cli

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/pflag"
	"github.com/tidwall/gjson"

	"github.com/hookrun/hookrun/internal/regularfile"
	"github.com/hookrun/hookrun/internal/strictjson"
)

var get = command{
	name:    "get",
	args:    "PATH",
	summary: "print one field of the JSON on stdin, for hooks in sh",
	about: `Prints the field at PATH of the JSON on stdin: a string without quotes, anything else as JSON. If the
field is not there, it prints nothing and exits with 1.

PATH is names and array indexes with points between them, as args.command or args.files.0. It is
gjson's path language: write \. for a point in a name. JSON that has a key twice is refused, since
programs differ in which of the two they take.`,
	example: `  command=$("$HOOKRUN" get args.command) || { echo "no command to look at" >&2; exit 2; }`,
	setup: func(*pflag.FlagSet) func([]string, Streams) (int, error) {
		return func(args []string, std Streams) (int, error) {
			if len(args) != 1 || args[0] == "" {
				return 0, errors.New("give one PATH, as in hookrun get args.command")
			}
			var doc strings.Builder
			if _, err := io.Copy(&doc, &typed{Streams: std}); err != nil {
				return 0, fmt.Errorf("reading stdin: %w", regularfile.UnwrapPath(err))
			}
			if faults := strictjson.Check(doc.String(), maxGetDepth); len(faults) > 0 {
				line, col := strictjson.Position(doc.String(), faults[0].Offset)
				return 0, fmt.Errorf("stdin:%d:%d: %s", line, col, faults[0].Text)
			}
			field := gjson.Get(doc.String(), args[0])
			switch {
			case !field.Exists():
				return exitFailed, nil
			case field.Type == gjson.String:
				return exitOK, write(std, getText(field)+"\n")
			}
			return exitOK, write(std, string(strictjson.Compact(nil, field.Raw))+"\n")
		}
	},
}

// getText returns the text of a JSON string. A result that a gjson modifier made has no raw text.
func getText(field gjson.Result) string {
	if strings.HasPrefix(field.Raw, `"`) {
		return strictjson.Text(field.Raw)
	}
	return field.String()
}

const maxGetDepth = 10_000
