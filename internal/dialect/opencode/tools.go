package opencode

import "github.com/hookrun/hookrun/internal/dialect"

// tools are the client's tools by the names that projects have for such tools.
var tools = []dialect.Tool{
	"bash shell",
	"read fs_read",
	"write fs_write",
	"edit fs_edit",
	"patch fs_edit fs_write", // it makes files, too; so does apply_patch, which Codex has as well
	"glob fs_glob", "grep fs_grep", "list fs_list",
	"webfetch web_fetch", "websearch web_search",
	"todowrite todo_write",
	"task delegate", "skill skill",
}
