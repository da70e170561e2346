package antigravity

import (
	"github.com/tidwall/gjson"

	"github.com/hookrun/hookrun/internal/core/dialect"
	"github.com/hookrun/hookrun/internal/lib/strictjson"
)

// tools lists the client's tools, each with the project's name.
var tools = []dialect.Tool{
	"run_command shell",
	"view_file fs_read",
	"write_to_file fs_edit fs_write", // also overwrites files
	"replace_file_content fs_edit", "multi_replace_file_content fs_edit",
	"list_dir fs_list", "find_by_name fs_glob", "grep_search fs_grep",
	"search_web web_search", "read_url_content web_fetch",
	"invoke_subagent delegate", "send_message delegate",
	"ask_question ask_user", "schedule schedule",
	// these are in no document; people saw them
	"send_command_input shell", "command_status shell_output", "read_terminal shell_output",
	"sed_file fs_edit", "notebook_edit fs_edit", "view_file_outline fs_read", "view_content_chunk fs_read",
	"browser_subagent delegate", "read_browser_page web_fetch", "open_browser_url web_fetch",
}

// toolName returns the project's name for call_mcp_tool, and for manage_task, which types into a running command, lists
// commands and ends them.
func toolName(c *dialect.Call) string {
	switch c.Tool {
	case "call_mcp_tool":
		return dialect.MCPName(gjson.Get(c.Args, "ServerName").String(), gjson.Get(c.Args, "ToolName").String())
	case "manage_task":
	default:
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

// argument is a key of a tool's arguments, and the project's key for the same value.
type argument struct{ tool, clientKey, projectKey string }

var arguments = []argument{
	{"run_command", "CommandLine", "command"},
	{"run_command", "Cwd", "cwd"},
	{"manage_task", "Input", "input"},
	{"send_command_input", "Input", "input"},
	{"view_file_outline", "AbsolutePath", "file_path"},
	{"open_browser_url", "Url", "url"},
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

// argsOf returns the arguments of a call for the project's hooks: the client's keys, and the same values under the
// project's keys. A value that the model wrote under a project key is replaced, because the client does not read it.
func argsOf(tool string, args gjson.Result) string {
	if !args.IsObject() {
		return args.Raw
	}
	var fields strictjson.Fields
	for key, value := range args.ForEach {
		fields.Set(key.String(), []byte(value.Raw))
	}
	for _, a := range arguments {
		if value := fields.Get(a.clientKey); a.tool == tool && value != nil {
			fields.Set(a.projectKey, value)
		}
	}
	return string(dialect.ObjectOf(fields))
}

// clientArgs returns arguments under the client's keys alone: a value under a project key moves to the client's key.
func clientArgs(tool string, args gjson.Result) []byte {
	var fields strictjson.Fields
	for key, value := range args.ForEach {
		name := key.String()
		for _, a := range arguments {
			if a.tool == tool && a.projectKey == name {
				name = a.clientKey
			}
		}
		fields.Set(name, []byte(value.Raw))
	}
	return dialect.ObjectOf(fields)
}
