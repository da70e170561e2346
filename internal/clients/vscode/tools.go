package vscode

import (
	"cmp"
	"strings"

	"github.com/tidwall/gjson"

	"github.com/hookrun/hookrun/internal/clients/client"
	"github.com/hookrun/hookrun/internal/core/dialect"
	"github.com/hookrun/hookrun/internal/lib/strictjson"
)

// tools lists the client's tools, each with the project's names. The last two lines are names in its documents.
var tools = []dialect.Tool{
	"run_in_terminal shell", "send_to_terminal shell", "create_and_run_task shell",
	"get_terminal_output shell_output", "await_terminal shell_output", "terminal_last_command shell_output",
	"get_task_output shell_output", "kill_terminal shell_stop",
	"read_file fs_read", "view_image fs_read", "read_notebook_cell_output fs_read",
	"copilot_getNotebookSummary fs_read",
	"create_file fs_write",
	"replace_string_in_file fs_edit", "multi_replace_string_in_file fs_edit", "insert_edit_into_file fs_edit",
	"edit_notebook_file fs_edit",
	"apply_patch fs_edit fs_write", "edit_files fs_edit fs_write",
	"file_search fs_glob", "grep_search fs_grep", "semantic_search fs_grep", "list_dir fs_list",
	"fetch_webpage web_fetch", "manage_todo_list todo_write",
	"runSubagent delegate", "execution_subagent delegate", "search_subagent delegate",
	"vscode_askQuestions ask_user", "tool_search tool_search",
	"runTerminalCommand shell", "createFile fs_write", "editFiles fs_edit fs_write", "deleteFile fs_write",
}

// shellCommands begin the names of commands of the editor that type into a terminal, or start a program.
var shellCommands = []string{"workbench.action.terminal.", "workbench.action.tasks.", "workbench.action.debug."}

// toolName returns the project's name of a command of the editor that works like a shell.
func toolName(c *dialect.Call) string {
	if c.Tool == "run_vscode_command" {
		id := dialect.StringOf(gjson.Get(c.Args, "commandId"))
		for _, start := range shellCommands {
			if strings.HasPrefix(id, start) {
				return "shell"
			}
		}
		return ""
	}
	return ""
}

// addedKey returns the key under which rules read a value that the client has elsewhere, or "".
func addedKey(tool string) string {
	switch tool {
	case "create_and_run_task", "run_vscode_command":
		return "command"
	case "fetch_webpage":
		return "url"
	case "file_search":
		return "pattern"
	}
	return ""
}

// argsOf returns the arguments with the addedKey: the command of a task, the text for a terminal, the only address of a
// list, a glob. A value that the model wrote under this key is replaced, because the client does not read it.
func argsOf(tool, args string) string {
	key, in, value := addedKey(tool), gjson.Parse(args), ""
	switch urls := client.Texts(in.Get("urls")); key {
	case "command":
		words := append([]string{in.Get("task.command").String()}, client.Texts(in.Get("task.args"))...)
		value = cmp.Or(in.Get("args.0.text").String(), strings.Join(words, " "))
	case "url":
		if len(urls) == 1 {
			value = urls[0]
		}
	case "pattern":
		value = in.Get("query").String()
	}
	if key == "" || !in.IsObject() {
		return args
	}
	var fields strictjson.Fields
	for name, v := range in.ForEach {
		if text := strictjson.Text(name.Raw); text != key {
			fields.Set(text, []byte(v.Raw))
		}
	}
	if value != "" {
		fields.Set(key, strictjson.Quote(value))
	}
	return string(dialect.ObjectOf(fields))
}
