package kimi

import "github.com/hookrun/hookrun/internal/dialect"

var imported = &dialect.Import{OtherWords: true, Notes: []string{
	"before a tool every exit code but 0 blocks here; Kimi Code takes 2 alone for that",
	dialect.OwnWords + "a rewrite, an ask, a context and \"continue\": false count here, and Kimi Code knows none of " +
		"them",
	dialect.InTurn + "Kimi Code runs all of them at once",
	dialect.TextIsSaid + "Kimi Code takes it at the prompt alone, where JSON without a message is text as well",
	"after a tool a hook's answer counts here; Kimi Code does not wait for one",
	dialect.Written, dialect.Twice,
}}
