package droid

import "github.com/hookrun/hookrun/internal/dialect"

var imported = &dialect.Import{Notes: []string{
	"before a tool every exit code but 0 blocks here; Droid takes 2 alone for that, and 3 for the end of the run, " +
		"and reads JSON beside every code, also of a hook that timed out later",
	"\"continue\": false before a tool ends the loop here, behind this call; in Droid the call does not run either: " +
		"add a deny",
	dialect.OwnWords + "an answer that Droid cannot use, as a \"decision\" at the top level before a tool, or an " +
		"ask, counts here for what it says, and a rewrite, which Droid merges into the input, is the whole of it",
	dialect.InTurn + "Droid runs all of them at once and takes the first permissionDecision in the file: after an " +
		"allow or an ask no later deny counts there",
	"the fields of the hook input are no variables here, as $tool_name; use \"$HOOKRUN\" get tool_name",
	dialect.TextIsSaid + "Droid drops it before and after a tool",
	dialect.Written, dialect.Twice,
}}
