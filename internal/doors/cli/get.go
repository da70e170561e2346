package cli

import (
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/pflag"
	"github.com/tidwall/gjson"

	"github.com/hookrun/hookrun/internal/core/dialect"
	"github.com/hookrun/hookrun/internal/lib/files/regular"
	"github.com/hookrun/hookrun/internal/lib/strictjson"
	"github.com/hookrun/hookrun/internal/rules/permission"
)

var get = command{
	name:    "get",
	args:    "PATH",
	summary: "print one field of the JSON on stdin, for hooks in sh",
	about: `Prints the field at PATH of the JSON on stdin: a string without quotes, anything else as JSON. If the
field is not there, it prints nothing.

command is the command of a shell tool's call, whichever key of its arguments has it: "command",
"cmd", "script", "code", "commands", or "input" and "chars" of tools that type into a shell. If it
cannot be seen, get says so on stderr and exits with 1, so that a hook can block:
command=$("$HOOKRUN" get command) || exit 2

file is the files of a call of a tool for files, each on a line, whichever key of its arguments has
them: "path", "file_path", "filePath", "target_file" and the like, or a patch.

PATH is names and array indexes with points between them, as args.path or args.files.0. It is
gjson's path language: write \. for a point in a name. JSON that has a key twice is refused, since
programs differ in which of the two they take.`,
	exits:   []exitCode{{exitOK, "done"}, {exitFailed, "the field is not there, or stdin has no JSON"}},
	example: `  command=$("$HOOKRUN" get command) || exit 2`,
	setup: func(*pflag.FlagSet) func([]string, Streams) (int, error) {
		return func(args []string, std Streams) (int, error) {
			if len(args) != 1 || args[0] == "" {
				return 0, errors.New("give one PATH, as in hookrun get command")
			}
			doc, err := readAll(&stdinReader{Streams: std}, math.MaxInt64-1, 0, true)
			if err != nil {
				return 0, fmt.Errorf("reading stdin: %w", regular.UnwrapPath(err))
			}
			if faults := strictjson.Check(doc, maxGetDepth); len(faults) > 0 {
				line, col := strictjson.Position(doc, faults[0].Offset)
				return 0, fmt.Errorf("stdin:%d:%d: %s", line, col, faults[0].Text)
			}
			field := gjson.Get(doc, args[0])
			switch call := argsIn(doc); {
			case args[0] == dialect.CommandField && !field.Exists() && call.Exists():
				lines, ok := permission.CommandOf(call.Raw)
				if !ok {
					return 0, errors.New("cannot see the command of this call: its arguments have no text under " +
						`"command", "cmd", "script", "code", "commands", "input" or "chars"`)
				}
				return exitOK, write(std, lines+"\n")
			case args[0] == "file" && !field.Exists() && call.Exists():
				files, ok := permission.FilesOf(call.Raw)
				if !ok {
					return 0, errors.New("cannot see the files of this call: its arguments have none")
				}
				for i, file := range files {
					if strings.ContainsAny(file, "\r\n") {
						return 0, fmt.Errorf("the name of a file has a line end: %q", file)
					}
					if dir := os.Getenv("HOOKRUN_CWD"); dir != "" && !filepath.IsAbs(file) {
						files[i] = fromHere(filepath.Join(dir, file))
					}
				}
				return exitOK, write(std, strings.Join(files, "\n")+"\n")
			case !field.Exists():
				return exitFailed, nil
			case field.Type == gjson.String:
				return exitOK, write(std, getText(field)+"\n")
			}
			return exitOK, write(std, string(strictjson.Compact(nil, field.Raw))+"\n")
		}
	},
}

// argsIn returns a tool's arguments in a hook input of any client.
func argsIn(doc string) (args gjson.Result) {
	for _, key := range []string{"args", "tool_input", "toolArgs", "toolInput", "tool_call.input",
		"tool_result.input"} {
		if args = gjson.Get(doc, key); args.Exists() {
			break
		}
	}
	return args
}

// getText returns the text of a JSON string. The result of a gjson modifier has no raw text.
func getText(field gjson.Result) string {
	if strings.HasPrefix(field.Raw, `"`) {
		return strictjson.Text(field.Raw)
	}
	return field.String()
}

const maxGetDepth = 10_000

// fromHere returns an absolute path as seen from the current folder, if the path is below the folder.
func fromHere(file string) string {
	here, err := os.Getwd()
	if err != nil {
		return file
	}
	if below, err := filepath.Rel(here, file); err == nil && filepath.IsLocal(below) {
		return below
	}
	return file
}
