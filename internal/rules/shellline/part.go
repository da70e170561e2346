package shellline

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"github.com/hookrun/hookrun/internal/lib/lazy"
)

// Part is a part of a word, for those who know the values of variables.
type Part struct {
	Kind   PartKind
	Text   string // without quotes; of a variable: its name; of a substitution: its commands
	Source string // as written
	Quoted bool
	// Operator is that of an expansion with a word, such as :- in ${NAME:-WORD}. Word has the parts of the word.
	Operator string
	Word     []Part
}

// PartKind is the kind of a Part.
type PartKind uint8

const (
	Literal PartKind = iota
	Variable
	Substitution
	Unclear // arithmetic, a pattern, an expansion that depends on more than the value of one variable
)

// hereDocumentMark begins the source of the text of a here-document.
const hereDocumentMark = "<<\n"

// Parts takes a word's source apart. A word that cannot be read alone is one unclear part.
func Parts(source string) (parts []Part) {
	if isPlain(source) {
		return []Part{{Text: source, Source: source}}
	}
	defer func() {
		if recover() != nil { // as in parse
			parts = []Part{{Kind: Unclear, Source: source}}
		}
	}()
	body, isDocument := strings.CutPrefix(source, hereDocumentMark)
	var word *syntax.Word
	if isDocument {
		word, _ = syntax.NewParser().Document(strings.NewReader(body))
	} else if file, why := parse(": " + source); why == "" && len(file.Stmts) == 1 {
		if call, ok := file.Stmts[0].Cmd.(*syntax.CallExpr); ok && len(call.Args) == 2 {
			word, body = call.Args[1], ": "+source
		}
	}
	if word == nil {
		return []Part{{Kind: Unclear, Source: source}}
	}
	return partsOf(body, word.Parts, isDocument, nil)
}

func partsOf(src string, parts []syntax.WordPart, quoted bool, all []Part) []Part {
	for _, part := range parts {
		p := Part{Source: src[part.Pos().Offset():part.End().Offset()], Quoted: quoted}
		switch part := part.(type) {
		case *syntax.Lit:
			unescape := unquotedText.Get()
			if quoted {
				unescape = doubleQuotedText.Get()
			}
			p.Text = unescape.Replace(p.Source)
		case *syntax.SglQuoted:
			p.Text, p.Quoted = part.Value, true
			if text, ok := dollarText(part.Value); part.Dollar && ok {
				p.Text = text
			} else if part.Dollar {
				p.Kind = Unclear
			}
		case *syntax.DblQuoted:
			if len(part.Parts) > 0 {
				all = partsOf(src, part.Parts, true, all)
				continue
			}
			p.Quoted = true
		case *syntax.ParamExp:
			p.variable(src, part)
		case *syntax.CmdSubst:
			p.Kind = Substitution
			p.Text = strings.TrimSuffix(strings.TrimPrefix(strings.Trim(p.Source, "`"), "$("), ")")
		default:
			p.Kind = Unclear
		}
		all = append(all, p)
	}
	return all
}

// variable notes an expansion.
func (p *Part) variable(src string, x *syntax.ParamExp) {
	if p.Kind = Variable; x.Param == nil || x.Length || x.Excl || x.Index != nil || x.Slice != nil || x.Repl != nil {
		p.Kind = Unclear
		return
	}
	p.Text = x.Param.Value
	if x.Exp != nil {
		p.Operator = x.Exp.Op.String()
		if x.Exp.Word != nil {
			p.Word = partsOf(src, x.Exp.Word.Parts, false, nil)
		}
	}
}

// unquotedText and doubleQuotedText remove backslashes as a shell does, which keeps most backslashes in double quotes.
var (
	unquotedText = lazy.Value[*strings.Replacer]{Make: func() *strings.Replacer {
		return strings.NewReplacer("\\\n", "", `\\`, `\`, `\`, "")
	}}
	doubleQuotedText = lazy.Value[*strings.Replacer]{Make: func() *strings.Replacer {
		return strings.NewReplacer(`\\`, `\`, `\$`, "$", "\\`", "`", `\"`, `"`, "\\\n", "")
	}}
)
