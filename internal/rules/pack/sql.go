package pack

import (
	"slices"
	"strings"

	"github.com/hookrun/hookrun/internal/lib/lazy"
	"github.com/hookrun/hookrun/internal/rules/programs"
	"github.com/hookrun/hookrun/internal/rules/shellline"
)

func dataDrop(c *Call) Found {
	for i := range c.Commands {
		cmd := &c.Commands[i]
		switch {
		case cmd.does(programs.Drops) && cmd.Row.Says("statement"):
			return Found{Subject: cmd.String()}
		case cmd.Row.Is(programs.Database) && !cmd.has(":memory:"):
			if text, computed := cmd.statements(); drops(text) {
				found := Found{Subject: cmd.String()}
				if computed && !dropping.Get().MatchString(text) {
					found.Doubt = "the shell computes a part of the statement"
				}
				return found
			}
		}
	}
	return Found{}
}

// statements returns the statements that a line gives a database to run: in arguments, in a here-document, or from echo
// in a pipe.
func (client *Command) statements() (text string, computed bool) {
	var b strings.Builder
	write := func(words []Word) {
		for _, w := range words {
			statement := w.Text
			if _, value, ok := strings.Cut(statement, "="); ok && strings.HasPrefix(statement, "--") {
				statement = value
			} else if len(statement) > 2 && shellline.InList("-c -e -q -Q", statement[:2]) {
				statement = statement[2:]
			}
			b.WriteString(statement + " ;\n")
			computed = computed || w.Computed
		}
	}
	write(client.Args)
	b.WriteString(client.Script)
	for _, from := range slices.Concat(client.PipedFrom, client.Substitutions) {
		b.WriteString(from.Script)
		commandsOf(from.Words, maxDepth, func(words []Word) bool {
			if name := programName(words[0]); name == "echo" || name == "printf" {
				write(words[1:])
			} else if hasWord(words, "sqlflush") {
				b.WriteString("truncate all;\n") // what Django's command prints
			}
			return false
		})
	}
	return b.String(), computed
}

var (
	// nonStatements matches comments and quoted texts.
	nonStatements = lazy.Regexp{Text: `(?s)/\*.*?\*/|--[^\n]*|'(?:[^']|'')*'`}
	// dropping matches statements that drop or empty data, in SQL and in the language of MongoDB.
	dropping = lazy.Regexp{Text: `(?i)\bdrop\s+(?:table|database|schema|materialized|view|owned|tablespace|keyspace|` +
		`column|user|role|type|sequence|extension)\b|(?:^|;)\s*(?:truncate\s+\S|flush(?:all|db)\b)|` +
		`\.drop\(|\bdropDatabase\(|` +
		`\bdropCollection\(|\b(?:deleteMany|remove)\(\s*(?:\{\s*\})?\s*\)`}
	deleting = lazy.Regexp{Text: `(?i)\bdelete\s+from\s`}
	where    = lazy.Regexp{Text: `(?i)\bwhere\b`}
)

// drops reports whether any statement drops or empties data, or deletes all rows of a table.
func drops(text string) bool {
	text = nonStatements.Get().ReplaceAllString(text, " ")
	if dropping.Get().MatchString(text) {
		return true
	}
	for statement := range strings.SplitSeq(text, ";") {
		if deleting.Get().MatchString(statement+" ") && !where.Get().MatchString(statement) {
			return true
		}
	}
	return false
}
