package shellline

import (
	"slices"

	"mvdan.cc/sh/v3/syntax"
)

// Block is a part of a line whose commands do not simply run one after another.
type Block struct {
	Kind    BlockKind
	At, End int // offsets in the line
	// Text is the name of a function, the variable of a loop over Words, the text that runs if an attempt fails, or
	// the program of a fallback that is one simple command.
	Text  string
	Words []Word
}

// BlockKind is the kind of a Block.
type BlockKind uint8

const (
	Group     BlockKind = iota // { }, ( ), [[ ]], <( ), a command with !, time or coproc
	Loop                       // the body of for, select; a while or until with its condition
	Choice                     // if or case, with the conditions
	Condition                  // the condition of if
	Function
	Captured // $( ) or backquotes
	Pipe     // with | alone
	Attempt  // the commands before ||; the next block is their Fallback
	Fallback // the commands after ||
	Follower // the commands after && or |&
	Negation
	Background
)

func (r *reader) block(kind BlockKind, n syntax.Node) *Block {
	b := Block{Kind: kind, At: int(n.Pos().Offset()), End: int(n.End().Offset())}
	if kind == Captured { // a command may begin with a substitution
		b.At++
	}
	r.line.Blocks = append(r.line.Blocks, b)
	return &r.line.Blocks[len(r.line.Blocks)-1]
}

// unusual notes a construct outside of the common part of the shells' language.
func (r *reader) unusual(construct string) {
	if !slices.Contains(r.line.Unusual, construct) {
		r.line.Unusual = append(r.line.Unusual, construct)
	}
}

const otherConstruct = "a construct of a shell that is not known"

// join notes the blocks of commands joined by an operator.
func (r *reader) join(c *syntax.BinaryCmd) {
	switch c.Op {
	case syntax.Pipe:
		r.block(Pipe, c)
	case syntax.OrStmt:
		r.block(Attempt, c.X).Text = r.source(c.Y)
		fallback := r.block(Fallback, c.Y)
		if call, ok := c.Y.Cmd.(*syntax.CallExpr); ok && len(call.Args) > 0 {
			fallback.Text = r.source(call.Args[0])
		}
	default:
		r.block(Follower, c.Y)
	}
}
