package codex

import "github.com/hookrun/hookrun/internal/dialect"

var imported = &dialect.Import{Notes: []string{
	"before a tool every exit code but 0 blocks here; Codex takes 2 with a text on stderr for that, and lets all " +
		"others pass",
	dialect.OwnWords +
		"an answer that Codex cannot use, for an unknown key, an allow alone, a deny without a reason or " +
		"a byte order mark, counts here for what it says, and so does one beside exit 2",
	dialect.InTurn + "Codex runs all of them at once",
	dialect.TextIsSaid + "Codex drops it before and after a tool",
	dialect.Written, dialect.Twice,
}}
