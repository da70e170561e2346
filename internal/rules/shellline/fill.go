package shellline

import (
	"slices"
	"strconv"
	"strings"

	"github.com/hookrun/hookrun/internal/lib/lazy"
	"github.com/hookrun/hookrun/internal/rules/programs"
)

// A command with the value of a variable in its words is also a command with that value, if the line has the value:
// D=/; rm -rf $D. Such a command is added to the commands of the line. The command as written stays, because the
// variable may have another value when the command runs.

const (
	maxFilled      = 500         // words of a line that are read for values
	maxFilledBytes = 2 * MaxLine // of these words
	maxValues      = 32          // of the variables of one command, in combination
	maxValueDepth  = 4           // variables in the values of others
)

// values are the values that a line gives to variables, and the commands of its functions.
type values struct {
	named     map[string][]Word
	functions map[string][]Command
	shifts    bool // the line moves parameters
	count     int  // of words read
	bytes     int  // of these words
}

// note adds the values in a line before its commands are followed.
func (v *values) note(all []Assignment) {
	if v.named == nil && len(all) > 0 {
		v.named = map[string][]Word{}
	}
	for _, a := range all {
		name, _, _ := strings.Cut(a.Name, "[")
		v.named[name] = append(v.named[name], a.Value)
	}
}

// noteLine adds the functions of a line and the files that it writes, and returns the parameters that it sets, behind
// $0.
func (v *values) noteLine(l *Line, files *files) (parameters [][]Word) {
	const most = 100 // each function is compared with all commands
	for _, b := range l.Blocks {
		if b.Kind != Function || len(v.functions) >= most {
			continue
		}
		if v.functions == nil {
			v.functions = map[string][]Command{}
		}
		for _, c := range l.Commands {
			if c.At >= b.At && c.At < b.End {
				v.functions[b.Text] = append(v.functions[b.Text], c)
			}
		}
	}
	for i := range l.Commands {
		c := &l.Commands[i]
		files.noteWritten(c)
		switch c.Words[0].Text {
		case "set":
			at := 1
			for at < len(c.Words) && isFlag(c.Words[at]) && c.Words[at].Text != "--" {
				at++
			}
			if at < len(c.Words) && c.Words[at].Text != "--" {
				at--
			}
			parameters = append(parameters, c.Words[min(at, len(c.Words)):])
		case "shift":
			v.shifts = true
		}
	}
	return parameters
}

// filling replaces the variables in the words of one command by values.
type filling struct {
	*Unwrapped
	parameters [][]Word // the possible ones, from $0 on
	depth      int
	names      []string   // of the variables, in the order of their use
	choices    [][][]Word // the values of each: several words if the variable is $@ or an array
	choice     []int
}

// fill adds the commands that a command is with the values of its variables.
func (r *Unwrapped) fill(c Command, left int) {
	f := filling{Unwrapped: r, parameters: c.parameters}
	if left == 0 || c.filled || c.Row.Is(programs.Names) || !slices.ContainsFunc(c.Words, f.mayFill) {
		return
	}
	for range maxValues {
		words, changed := f.words(c.Words)
		if !changed {
			return
		}
		if len(words) > 0 {
			filled := c
			filled.Words, filled.Text, filled.Row, filled.filled = words, JoinWords(words), rowOf(words), true
			filled.step = &Step{}
			c.launches(filled.step)
			r.Commands = append(r.Commands, filled)
			r.follow(filled, left-1)
		}
		if !f.next() {
			return
		}
	}
}

// fillAll adds the commands that a command is with values, and what a function of this name runs.
func (r *Unwrapped) fillAll(c Command, left int) {
	r.fill(c, left)
	r.call(c, left)
	if c.filled {
		r.noteWritten(&c)
	}
}

// enter notes the values in a line that a command launches, and gives the line its parameters.
func (r *Unwrapped) enter(line *Line, l launch, c Command) {
	parameters := r.noteLine(line, &r.files)
	if l.parameters != nil {
		parameters = append(parameters, l.parameters)
	} else {
		parameters = append(parameters, c.parameters...)
	}
	for i := range line.Commands {
		line.Commands[i].parameters = parameters
	}
}

// call adds the commands of a function with the arguments of its call.
func (r *Unwrapped) call(c Command, left int) {
	for _, inside := range r.functions[c.Words[0].Text] {
		inside.parameters, inside.step = [][]Word{c.Words}, c.step
		r.fill(inside, left)
	}
}

// mayFill reports whether the line may have a value for a word.
func (f *filling) mayFill(w Word) bool {
	return w.Computed && (!w.Outside || len(f.parameters) > 0 || strings.Contains(w.Source, "${")) &&
		strings.ContainsAny(w.Source, "$`")
}

// next chooses the next combination of values.
func (f *filling) next() bool {
	for i := range f.choice {
		if f.choice[i]++; f.choice[i] < len(f.choices[i]) {
			return true
		}
		f.choice[i] = 0
	}
	return false
}

// words returns the words with the chosen values.
func (f *filling) words(all []Word) (words []Word, changed bool) {
	for _, w := range all {
		source, known := "", false
		if f.mayFill(w) {
			source, known = f.source(w.Source)
		}
		if !known {
			words = append(words, w)
			continue
		}
		changed = true
		f.bytes += len(source)
		line := splitIn(&f.outer, ": "+source)
		if n := len(line.Commands) - 1; n >= 0 && line.Commands[n].Words[0].Text == ":" {
			words = append(words, line.Commands[n].Words[1:]...)
		} else {
			words = append(words, w)
		}
	}
	return words, changed
}

// source returns the source of a word with the chosen values. known reports whether the line has one of the values.
func (f *filling) source(source string) (filled string, known bool) {
	f.count++
	if f.bytes += len(source); f.count > maxFilled || f.bytes > maxFilledBytes {
		f.Opaque.add(unread("variables with too many values"))
		return source, false
	}
	var b strings.Builder
	for _, p := range Parts(source) {
		value, ok := f.value(p)
		switch {
		case ok:
			known = true
			writeValue(&b, value, p.Quoted)
		case p.Kind == Literal && p.Quoted && !strings.HasPrefix(p.Source, "$'"):
			b.WriteString(quoted(p.Text))
		case p.Kind != Literal && p.Quoted:
			b.WriteString(`"` + p.Source + `"`)
		default:
			b.WriteString(p.Source)
		}
	}
	return b.String(), known
}

// writeValue writes words as a shell reads them in the place of an expansion.
func writeValue(b *strings.Builder, words []Word, isQuoted bool) {
	for i, w := range words {
		if i > 0 {
			b.WriteByte(' ')
		}
		switch {
		case w.Home:
			b.WriteString(w.Source)
		case isQuoted:
			b.WriteString(quoted(w.Text))
		default:
			writeFields(b, w.Text)
		}
	}
}

// writeFields writes a text that the shell splits to words, in which patterns stay patterns.
func writeFields(b *strings.Builder, text string) {
	n := 0
	for field := range strings.FieldsSeq(text) {
		if n++; n > 1 {
			b.WriteByte(' ')
		}
		for at := 0; at < len(field); {
			end := at + strings.IndexAny(field[at:]+"*", "*?[]")
			if end > at {
				b.WriteString(quoted(field[at:end]))
			}
			if end < len(field) {
				b.WriteByte(field[end])
			}
			at = end + 1
		}
	}
}

// quoted quotes a text for a shell, if needed.
func quoted(text string) string {
	if text != "" && isPlain(text) {
		return text
	}
	return "'" + strings.ReplaceAll(text, "'", `'"'"'`) + "'"
}

// value returns the chosen value of a part of a word.
func (f *filling) value(p Part) (value []Word, ok bool) {
	if p.Kind == Literal || p.Kind == Unclear && !elements.Get().MatchString(p.Source) {
		return nil, false
	}
	key := p.Source
	if p.Quoted && p.Source == "$*" { // one word
		key = `"$*"`
	}
	i := slices.Index(f.names, key)
	if i < 0 {
		choices := f.valuesOf(p)
		if len(choices) == 0 {
			return nil, false
		}
		if key == `"$*"` {
			for n := range choices {
				choices[n] = []Word{{Text: JoinWords(choices[n])}}
			}
		}
		i = len(f.names)
		f.names, f.choices, f.choice = append(f.names, key), append(f.choices, choices), append(f.choice, 0)
	}
	return f.choices[i][f.choice[i]], true
}

// elements matches all elements of an array, or the parameters from one on.
var elements = lazy.Regexp{Text: `^\$\{(?:([A-Za-z_][A-Za-z0-9_]*)\[[@*]\]|@:([0-9]))\}$`}

// valuesOf returns the values that the line has for a part of a word.
func (f *filling) valuesOf(p Part) (all [][]Word) {
	if f.depth > maxValueDepth {
		return nil
	}
	name, number := p.Text, -1
	if n, err := strconv.Atoi(name); err == nil && p.Kind == Variable {
		number = n
	}
	switch {
	case p.Kind == Substitution:
		if text, ok := printedBy(p.Text); ok {
			all = f.add(all, Word{Text: strings.TrimRight(text, "\n")})
		}
		return all
	case p.Kind == Unclear:
		m := elements.Get().FindStringSubmatch(p.Source)
		if m[1] != "" {
			return f.add(all, f.named[m[1]]...)
		}
		from, _ := strconv.Atoi(m[2])
		return f.addParameters(all, from, -1)
	case name == "@", name == "*":
		all = f.addParameters(all, 1, -1)
	case number >= 0:
		all = f.addParameters(all, number, number+1)
		for i := number + 1; f.shifts && number > 0 && i < maxValues; i++ {
			all = f.addParameters(all, i, i+1)
		}
	default:
		for _, w := range f.named[name] {
			all = f.add(all, w)
		}
	}
	return f.operate(p, all)
}

// addParameters adds the parameters of each list from one on, up to the end or to another one.
func (f *filling) addParameters(all [][]Word, from, to int) [][]Word {
	for _, words := range f.parameters {
		end := to
		if to < 0 {
			end = len(words)
		}
		if from < len(words) {
			all = f.add(all, words[from:end]...)
		}
	}
	return all
}

// operate returns the values of a part such as ${NAME:-WORD}, of whose NAME the values are known.
func (f *filling) operate(p Part, all [][]Word) [][]Word {
	switch p.Operator {
	case "", "?", ":?":
		return all
	case "+", ":+":
		if len(all) == 0 {
			return nil
		}
		all = nil
	case "-", ":-", "=", ":=":
		if InList("HOME PWD PATH USER SHELL", p.Text) { // have a value
			return all
		}
	default:
		return nil
	}
	text := ""
	for _, part := range p.Word {
		if part.Kind != Literal {
			return all
		}
		text += part.Text
	}
	return f.add(all, Word{Text: text})
}

// add adds the values that words have.
func (f *filling) add(all [][]Word, words ...Word) [][]Word {
	known := [][]Word{nil}
	for _, w := range words {
		if !isUnknown(w) {
			known[0] = append(known[0], w)
			continue
		}
		inner := filling{Unwrapped: f.Unwrapped, parameters: f.parameters, depth: f.depth + 1}
		var several [][]Word
		for range maxValues {
			value, changed := inner.words([]Word{w})
			if isKnown := !slices.ContainsFunc(value, isUnknown); changed && isKnown {
				several = append(several, value)
			}
			if !changed || !inner.next() {
				break
			}
		}
		switch {
		case len(several) == 0:
			return all
		case len(words) == 1:
			known = several
		default:
			known[0] = append(known[0], several[0]...)
		}
	}
	return append(all, known[:min(len(known), max(maxValues-len(all), 0))]...)
}

// isUnknown reports whether a word has a part that is not known, other than the user's folder.
func isUnknown(w Word) bool {
	return w.Computed && (!w.Home || strings.ContainsAny(strings.TrimPrefix(w.Text, "$HOME"), "$`*?[{"))
}
