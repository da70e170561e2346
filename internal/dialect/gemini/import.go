package gemini

import "github.com/hookrun/hookrun/internal/dialect"

var imported = &dialect.Import{OtherWords: true, Notes: []string{
	"before a tool every exit code but 0 blocks here, and the reason is the text on stderr; Gemini CLI takes the " +
		"text on stdout first, lets exit 1 pass, all codes without a text, and those with a JSON answer that allows",
	"JSON on stderr is no answer here; in Gemini CLI it is one, also beside exit 0",
	"hooks get hookrun's input, in which the events are called PreToolUse, PostToolUse and UserPromptSubmit",
	dialect.InTurn + "Gemini CLI asks all of them, and joins all reasons",
	dialect.TextIsSaid + "Gemini CLI shows it to the user",
	dialect.Written, dialect.Twice,
}}
