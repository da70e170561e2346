package antigravity

import (
	"github.com/tidwall/gjson"

	"github.com/hookrun/hookrun/internal/dialect"
	"github.com/hookrun/hookrun/internal/strictjson"
)

// tools are the client's tools by the names that projects have for such tools.
var tools = []dialect.Tool{
	"run_command shell",
	"view_file fs_read",
	"write_to_file fs_edit fs_write", // it writes over files, too
	"replace_file_content fs_edit", "multi_replace_file_content fs_edit",
	"list_dir fs_list", "find_by_name fs_glob", "grep_search fs_grep",
	"search_web web_search", "read_url_content web_fetch",
	"invoke_subagent delegate", "send_message delegate",
	"ask_question ask_user", "schedule schedule",
}

// toolName: one tool types into a command that runs on, lists those and ends them.
func toolName(c *dialect.Call) string {
	if c.Tool != "manage_task" {
		return ""
	}
	switch gjson.Get(c.Args, "Action").String() {
	case "list", "status":
		return "shell_output"
	case "kill":
		return "shell_stop"
	}
	return "shell"
}

// argument is a key of a tool's arguments, and what hooks of a project know it by.
type argument struct{ tool, theirs, ours string }

var arguments = []argument{
	{"run_command", "CommandLine", "command"},
	{"run_command", "Cwd", "cwd"},
	{"manage_task", "Input", "input"},
	{"view_file", "AbsolutePath", "file_path"},
	{"write_to_file", "TargetFile", "file_path"},
	{"write_to_file", "CodeContent", "content"},
	{"replace_file_content", "TargetFile", "file_path"},
	{"replace_file_content", "TargetContent", "old_string"},
	{"replace_file_content", "ReplacementContent", "new_string"},
	{"multi_replace_file_content", "TargetFile", "file_path"},
	{"list_dir", "DirectoryPath", "path"},
	{"find_by_name", "SearchDirectory", "path"},
	{"find_by_name", "Pattern", "pattern"},
	{"grep_search", "SearchPath", "path"},
	{"grep_search", "Query", "pattern"},
	{"read_url_content", "Url", "url"},
}

// argsOf are the arguments of a call as hooks of a project read them: as the client has them, and beside them the same
// values under the keys that rules know. What else a model wrote under such a key the client does not read.
func argsOf(tool string, args gjson.Result) string {
	if !args.IsObject() {
		return args.Raw
	}
	var fields strictjson.Fields
	args.ForEach(func(key, value gjson.Result) bool {
		fields.Set(key.String(), []byte(value.Raw))
		return true
	})
	for _, a := range arguments {
		if value := fields.Get(a.theirs); a.tool == tool && value != nil {
			fields.Set(a.ours, value)
		}
	}
	return string(dialect.ObjectOf(fields))
}

// clientArgs are arguments as the client has them. A key that it has under a name of its own has that alone.
func clientArgs(tool string, args gjson.Result) []byte {
	var fields strictjson.Fields
	args.ForEach(func(key, value gjson.Result) bool {
		name := key.String()
		for _, a := range arguments {
			if a.tool == tool && a.ours == name {
				name = a.theirs
			}
		}
		fields.Set(name, []byte(value.Raw))
		return true
	})
	return dialect.ObjectOf(fields)
}
