package cursor

import (
	"github.com/hookrun/hookrun/internal/dialect"
	"github.com/hookrun/hookrun/protocol"
)

var imported = &dialect.Import{OtherWords: true, Notes: []string{
	"before a tool every exit code but 0 blocks here; in Cursor 2 does, and others let pass without failClosed",
	"hooks get hookrun's input, in which the events are called PreToolUse, PostToolUse and UserPromptSubmit",
	dialect.InTurn + "Cursor runs all of them at once",
	dialect.TextIsSaid + "in Cursor it blocks a tool call",
	dialect.Written, dialect.Twice,
}, Unlike: func(e protocol.Event) string {
	switch e {
	case "beforeShellExecution", "beforeMCPExecution", "beforeReadFile",
		"afterShellExecution", "afterMCPExecution", "afterFileEdit":
		return unlike
	}
	return ""
}}

const unlike = `they read "command", "file_path" and the like beside the event, and an entry gets them in ` +
	`"tool_input"; ` +
	"name this file with --config, or write the hook for pre-tool"
