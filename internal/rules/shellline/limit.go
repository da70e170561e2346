package shellline

const (
	MaxLine     = 128 << 10 // bytes; Linux limits one argument of a program to this length
	MaxCommands = 10_000
	maxWords    = 10_000 // of the commands, with their redirections
	maxNesting  = 10_000 // nested constructs

	maxDocuments = 64
)

// The reasons of lines that are over a limit. Several calls with a part each are under it.
const (
	tooLong          = "it is longer than 128 KiB; make several calls of it"
	tooManyCommands  = "it has more than 10,000 commands; make several calls of it"
	tooManyWords     = "it has more than 10,000 words; make several calls of it"
	tooManyDocuments = "it has more than 64 here-documents; make several calls of it"
	tooDeep          = "it is nested too deeply"
	tooManyInside    = "it has too many commands in each other"
)

// OverLimit reports whether why is the reason of a line that is over a limit: hookrun has not read all of its commands.
func OverLimit(why string) bool {
	switch why {
	case tooLong, tooManyCommands, tooManyWords, tooManyDocuments, tooDeep, tooManyInside:
		return true
	}
	return false
}
