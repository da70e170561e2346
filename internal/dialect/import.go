package dialect

import "github.com/hookrun/hookrun/protocol"

// Import is what differs about a client's hooks as entries of .tenex-hooks.json, whatever they are. Package hookimport
// has the one converter of all of them; what it needs beside this stands in Settings.
type Import struct {
	// OtherWords: its hooks answer in words of their own, which an entry does not read. So what cannot be read must not
	// pass.
	OtherWords bool
	// AnswersAlone: no exit code holds anything up but before a tool.
	AnswersAlone bool
	Notes        []string // on every import of a file
	// Unlike are events whose hooks cannot be entries in the project's own terms, and why not; nil, "": none.
	Unlike func(protocol.Event) string
}

// What notes have in common.
const (
	InTurn     = "here hooks run one after the other in the order of the file, and the first block ends the call; "
	OwnWords   = "where a hook gives no reason, the words are hookrun's own; "
	TextIsSaid = "what a hook prints at exit 0, if it is no JSON, goes to the model here; "
	Written    = "timeouts that the client gives by itself, and what it makes of a signal, a timeout or an " +
		"unreadable answer, are written out in the entries"
	Twice = "the hooks are still in this file: when its client runs hookrun, take them out here, or each runs twice"
)
