package shellline

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"github.com/hookrun/hookrun/internal/lib/lazy"
)

// quotedDelimiter matches the delimiter of a here-document whose body does not expand.
var quotedDelimiter = lazy.Regexp{
	Text: `^(?:'[^'\n\\$` + "`" + `]+'|"[^"\n\\$` + "`" + `]+"|\\[A-Za-z_][A-Za-z0-9_]*)$`,
}

// stdin is the source of a command's input.
type stdin uint8

const (
	inherited stdin = iota
	inFile          // rules do not see the content of files, as with scripts
	fed             // from other commands, or from the line itself
)

// Redirection connects a command with a file.
type Redirection struct {
	Writes    bool // if false, the command reads
	Appends   bool // the command writes at the end
	Both      bool // the command writes and reads
	Around    bool // of a compound command around the command
	Elsewhere bool // as in Command
	Folders   []Word
	File      Word
	Number    string // of the file for the command, as in 3<file, or ""
}

// endsInLine reports whether all quotes and parentheses opened in the rest of a line are closed in the same line. Then
// all shells begin a here-document at the next line.
func endsInLine(rest string) bool {
	rest = quotedText.Get().ReplaceAllString(rest, "")
	return !strings.ContainsAny(rest, "'\"`\\#") && strings.Count(rest, "(") <= strings.Count(rest, ")")
}

var quotedText = lazy.Regexp{Text: `'[^']*'|"[^"\\$` + "`" + `]*(?:\$[A-Za-z_{][^"\\$` + "`" + `(]*)*"`}

// hereDocumentAt returns the offset of the text of the first here-document of a line.
func (r *reader) hereDocumentAt(d *syntax.Redirect) uint {
	at := d.Word.End().Offset()
	line := strings.IndexByte(r.src[at:], '\n')
	before := r.src[strings.LastIndexByte(r.src[:at], '\n')+1:]
	if line < 0 || strings.Count(before[:strings.IndexByte(before, '\n')], "<<") > 1 {
		return d.Hdoc.Pos().Offset()
	}
	return at + uint(line) + 1
}

// endsEarlier reports whether a line of a here-document begins with the delimiter. In a substitution, bash ends the
// here-document at such a line, but package syntax reads on.
func endsEarlier(body, delimiter string, quoted bool) bool {
	return beginsLine(body, delimiter) || !quoted && beginsLine(strings.ReplaceAll(body, "\\\n", ""), delimiter)
}

// beginsLine reports whether any line of a here-document before its end begins with the delimiter.
func beginsLine(body, delimiter string) bool {
	body = strings.TrimRight(body, "\n\t")
	if i := strings.LastIndexByte(body, '\n') + 1; strings.TrimLeft(body[i:], "\t") == delimiter { // the end line
		body = body[:i]
	}
	for line := range strings.SplitSeq(body, "\n") {
		if delimiter != "" && strings.HasPrefix(strings.TrimLeft(line, "\t"), delimiter) {
			return true
		}
	}
	return false
}

// body reads the text of a here-document. It returns "" if the shell computes a part of the text.
func (r *reader) body(w *syntax.Word, quoted bool) string {
	raw := r.source(w)
	r.line.values.textCode = r.line.values.textCode || strings.Contains(raw, "$(") || strings.Contains(raw, "`")
	if quoted || !strings.ContainsAny(raw, "$`\\") {
		return raw
	}
	var e expansions
	outside := r.inQuotes
	r.inQuotes = true
	for _, part := range w.Parts {
		switch part := part.(type) {
		case *syntax.Lit:
			text := r.source(part)
			r.dollars(text, &e)
			r.line.values.zshArithmetic = r.line.values.zshArithmetic || e.param && isSubscript(text)
		case *syntax.ParamExp:
			r.parameter(part, &e)
		case *syntax.CmdSubst:
			r.substitution(part, &e)
		case *syntax.ArithmExp:
			r.arithmetic(part, &e)
		default:
			r.unusual(otherConstruct)
			r.fail("an expansion")
		}
		r.isParameter(part, &e)
	}
	r.inQuotes = outside
	return ""
}

// isReadOtherwise reports whether a shell reads a redirection in another way than bash.
func (r *reader) isReadOtherwise(d *syntax.Redirect) bool {
	before, behind := r.src[:d.Word.Pos().Offset()], strings.TrimLeft(r.src[d.Word.End().Offset():], " \t")
	switch {
	case d.N != nil && strings.HasPrefix(d.N.Value, "{"):
		return true
	case strings.HasPrefix(r.source(d.Word), "!") && before == strings.TrimRight(before, " \t"): // zsh reads >! as >|
		return true
	case d.Op == syntax.RdrAll || d.Op == syntax.AppAll: // dash ends the command at the & and begins another command
		return d.N != nil || behind != "" && strings.IndexByte(";&|)\n#`", behind[0]) < 0
	}
	return false
}

// redirect reads a redirection. Patterns do not see redirections, and the target must not expand. It returns the new
// source of stdin, and the text on stdin. script is the text if the line contains all of it.
func (r *reader) redirect(d *syntax.Redirect) (input *Word, script string, from stdin) {
	raw := r.source(d.Word)
	if r.words++; r.words > maxWords {
		r.fail(tooManyWords)
		return nil, "", fed
	}
	number := ""
	if d.N != nil {
		if number = d.N.Value; strings.HasPrefix(number, "{") {
			r.unusual("a redirection that sets a variable")
		}
	}
	if r.isReadOtherwise(d) {
		r.fail("a redirection")
	}
	switch d.Op {
	case syntax.Hdoc, syntax.DashHdoc:
		input, script = r.hereDocument(d)
		return input, script, fed
	case syntax.RdrInOut:
		r.fail("a redirection")
		file := Redirection{Writes: true, Both: true, File: r.word(d.Word, fixedWord), Number: number}
		r.line.Redirections = append(r.line.Redirections, file)
		return nil, "", fed
	}
	opaque := r.line.Opaque
	target := r.word(d.Word, fixedWord)
	if raw[0] == '=' && strings.Trim(raw[1:], "0123456789.,") == "" { // zsh finds no program of this name
		r.line.Opaque = opaque
	}
	switch d.Op {
	case syntax.DplIn, syntax.WordHdoc: // not to or from a file
	case syntax.DplOut: // stdout and stderr to a file, unless the target is a number
		if target.Computed || strings.Trim(target.Text, "0123456789-") != "" {
			file := Redirection{Writes: true, Folders: r.folders, File: target}
			r.line.Redirections = append(r.line.Redirections, file)
		}
	default:
		r.line.Redirections = append(r.line.Redirections, Redirection{Writes: d.Op != syntax.RdrIn, Number: number,
			Appends: d.Op == syntax.AppOut || d.Op == syntax.AppAll, Folders: r.folders, File: target})
	}
	switch d.Op {
	case syntax.DplOut, syntax.DplIn:
		// In bash a - ends the redirection: a >&-b is a b. Bash unquotes a target other than a number and expands it
		// again: a >&'$(b)' runs b.
		if len(raw) > 1 && raw[0] == '-' || target.Computed || strings.ContainsAny(target.Text, "$`<>") {
			r.fail("a redirection")
		}
		if d.Op == syntax.DplIn {
			return nil, "", fed
		}
	case syntax.WordHdoc:
		if !target.Computed {
			script = target.Text
		}
		return &target, script, fed
	case syntax.RdrIn:
		if target.Computed || IsStdin(target.Text) {
			return nil, "", fed
		}
		return nil, "", inFile
	}
	if d.Op != syntax.DplOut && target.Text != "/dev/null" {
		r.line.values.writes = true
	}
	return nil, "", inherited
}

// hereDocument reads a here-document. script is the text with its delimiter, if the line contains all of the text.
func (r *reader) hereDocument(d *syntax.Redirect) (input *Word, script string) {
	// In recordings, the client does not see through a here-document with an unquoted delimiter or a longer first line.
	raw := r.source(d.Word)
	first, _, _ := strings.Cut(r.src[d.Word.End().Offset():], "\n")
	quoted := quotedDelimiter.Get().MatchString(raw)
	switch {
	case !quoted:
		r.failClient("a here-document that is not quoted")
		if !syntax.ValidName(raw) {
			r.failProject("a here-document with an odd delimiter")
		}
	case strings.Trim(first, " \t") != "":
		r.failClient("a here-document with more on its first line")
	}
	if !endsInLine(first) || d.Hdoc != nil && r.hereDocumentAt(d) != d.Hdoc.Pos().Offset() {
		r.fail("a here-document with more on its first line")
	}
	if d.Hdoc == nil {
		return nil, ""
	}
	if endsEarlier(r.source(d.Hdoc), strings.Trim(raw, `'"\`), quoted) {
		r.fail("a here-document that may end earlier")
	}
	text, source := r.body(d.Hdoc, quoted), r.source(d.Hdoc)
	end := strings.LastIndexByte(source, '\n') + 1
	if strings.TrimLeft(source[end:], "\t") == strings.Trim(raw, `'"\`) {
		source = source[:end] // package syntax counts the delimiter as text
	}
	if quoted || text != "" {
		return &Word{Text: source}, text
	}
	return &Word{Computed: true, Source: hereDocumentMark + source}, ""
}
