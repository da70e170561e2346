package qwen

import "github.com/hookrun/hookrun/internal/dialect"

var imported = &dialect.Import{OtherWords: true, Notes: []string{
	"before a tool every exit code but 0 blocks here; Qwen Code takes 2 with a text on stderr for that, and reads " +
		"JSON beside every code",
	"JSON on stderr is no answer here; in Qwen Code it is one where stdout is blank, and at exit 2",
	dialect.InTurn + "Qwen Code runs all of them at once, and one hook's allow can undo another one's deny",
	dialect.TextIsSaid + "Qwen Code shows it to nobody before and after a tool",
	dialect.Written, dialect.Twice,
}}
