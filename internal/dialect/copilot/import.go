package copilot

import "github.com/hookrun/hookrun/internal/dialect"

var imported = &dialect.Import{OtherWords: true, AnswersAlone: true, Notes: []string{
	"after a tool and at a prompt a text on stdout is for the model here; Copilot CLI drops it",
	"hooks get hookrun's input, in which events, tools and fields have Claude Code's names",
	dialect.OwnWords + "the text on stderr beside exit 2 is the reason here, and Copilot CLI drops it",
	"a rewrite replaces the arguments here as in Copilot CLI, but its key is updatedInput",
	dialect.Written, dialect.Twice,
}}
