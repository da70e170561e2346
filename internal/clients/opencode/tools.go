package opencode

import "github.com/hookrun/hookrun/internal/core/dialect"

// tools lists the client's tools, each with the project's name.
var tools = []dialect.Tool{
	"bash shell",
	"read fs_read",
	"write fs_write",
	"edit fs_edit",
	"patch fs_edit fs_write", // also makes files; so does apply_patch, which is in Codex's table
	"glob fs_glob", "grep fs_grep", "list fs_list",
	"webfetch web_fetch", "websearch web_search",
	"todowrite todo_write",
	"task delegate", "skill skill",
}
