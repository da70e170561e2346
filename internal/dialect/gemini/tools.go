package gemini

import "github.com/hookrun/hookrun/internal/dialect"

// tools are the client's tools by the names that projects have for such tools.
var tools = dialect.Tools(
	"run_shell_command shell",
	"read_file fs_read", "read_many_files fs_read",
	"write_file fs_write", "replace fs_edit",
	"glob fs_glob", "grep_search fs_grep", "search_file_content fs_grep", "list_directory fs_list",
	"google_web_search web_search",
	"write_todos todo_write",
)
