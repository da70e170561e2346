package claude

import "github.com/hookrun/hookrun/internal/dialect"

var imported = &dialect.Import{Notes: []string{
	"before a tool every exit code but 0 blocks here; Claude Code takes 2 alone for that, and reads JSON beside " +
		"every code",
	dialect.InTurn + "Claude Code runs all of them at once, and equal ones once",
	dialect.OwnWords + "an answer that Claude Code cannot use, with another event's name or none, counts here " +
		"for what it says",
	dialect.TextIsSaid + "Claude Code shows it to nobody before and after a tool",
	"hooks run in the project's folder, also where the session has moved to another",
	dialect.Written, dialect.Twice,
}}
