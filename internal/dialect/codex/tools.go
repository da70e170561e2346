package codex

import "github.com/hookrun/hookrun/internal/dialect"

// tools are the client's tools by the names that projects have for such tools.
var tools = dialect.Tools(
	"Bash shell", // what its hooks are told of all of these
	"exec_command shell",
	"write_stdin shell", // a line for a command that runs
	"shell_command shell", "local_shell shell",
	"apply_patch fs_edit fs_write", // it makes files, too
	"view_image fs_read",
	"update_plan todo_write",
)

// toolAliases: the client takes Claude Code's matchers for its patches.
var toolAliases = map[string][]string{"apply_patch": {"Edit", "Write"}}
