package nearmiss

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/tidwall/gjson"

	"github.com/hookrun/hookrun/internal/strictjson"
)

// scanner looks for values that begin with a bracket.
type scanner struct {
	text  string
	line  int // line ends before the position of scan
	signs []Sign
	objects
}

// scan looks at each value of the text, and up to level times into strings that are JSON themselves.
//
// A value with matching brackets is skipped as a whole. If the brackets do not match, its lines are scanned again,
// since any of them may begin an answer. Repeated scans have a budget. When it is spent, one last walk treats every
// line as the beginning of a value.
func (s *scanner) scan(level int) {
	budget := 4*len(s.text) + 64<<10
	fresh := true   // nothing on this line yet
	quoted := false // a quote on this line
	for i := 0; i < len(s.text); {
		if !fresh { // nothing else begins a value behind text
			i = s.next(i, "{[\n\r")
			if i == len(s.text) {
				return
			}
		}
		c := s.text[i]
		switch {
		case c == '\n' || c == '\r':
			if fresh, quoted = true, false; c == '\n' {
				s.line++
			}
			i++
			continue
		case c == '{' || c == '[':
			w := walk{scanner: s, at: i, line: s.line, behind: !fresh, loose: budget < 0}
			if w.value(); w.loose {
				return
			}
			if fresh = false; w.balanced {
				i, s.line = w.at, w.line
				continue
			}
			budget -= w.at - i
			i = s.nextLine(i)
			continue
		case fresh && !quoted && (c == '"' || c == '\''):
			quoted = true
			if content, end, ok := jsonString(s.text, i); ok && level > 0 {
				inner := scanner{text: clean(content), line: s.line}
				if inner.scan(level - 1); len(inner.signs) > 0 {
					s.signs = append(s.signs, inner.signs...)
					i, fresh = end, false
					continue
				}
			}
			if signs := s.members(i); signs != nil {
				s.signs = append(s.signs, signs...)
				i, fresh = s.nextLine(i), false
				continue
			}
			i++
			continue
		case strings.IndexByte("\"'`( \t\\,;:}])", c) >= 0: // also the remains of a broken value
			i++
			continue
		}
		r, size := utf8.DecodeRuneInString(s.text[i:])
		if !unicode.IsSpace(r) {
			fresh = false
		}
		i += size
	}
}

func (s *scanner) nextLine(i int) int { return s.next(i, "\n\r") }

// next returns where the first of some characters stands from i on, else the end of the text.
func (s *scanner) next(i int, chars string) int {
	if at := strings.IndexAny(s.text[i:], chars); at >= 0 {
		return i + at
	}
	return len(s.text)
}

// jsonString reads the JSON string at i. ok is false unless it ends on its line and contains brackets.
func jsonString(text string, i int) (content string, end int, ok bool) {
	end, closed := closingQuote(text, i)
	if text[i] != '"' || !closed {
		return "", 0, false
	}
	end++
	if raw := text[i:end]; strings.ContainsAny(raw, "{[") && gjson.Valid(raw) {
		return strictjson.Text(raw), end, true
	}
	return "", 0, false
}

// closingQuote returns the position of the quote that closes the one at i, or else the end of the line.
func closingQuote(text string, i int) (end int, closed bool) {
	for end = i + 1; end < len(text); end++ {
		if text[i] == '"' { // mostly: the others are plain
			if end += strictjson.Plain(text[end:]); end == len(text) {
				break
			}
		}
		switch text[end] {
		case text[i]:
			return end, true
		case '\n', '\r':
			return end, false
		case '\\':
			end++
		}
	}
	return len(text), false
}

// frame is an open bracket.
type frame struct {
	closing byte
	place   Place
}

// objects describes the open objects that may be answers.
type objects []struct {
	signs              int // number of signs before the object
	named, event, tool bool
	reasons            bool // the input of an event that has a reason
	foreign            bool // a key that no answer has
}

// walk walks through one value.
type walk struct {
	*scanner
	at, line int
	behind   bool
	loose    bool // ignore mismatched brackets: all lines are scanned, and each may begin a value
	balanced bool
	frames   []frame
	key      string // the key of the next value
	keyAt    int
	keyed    bool
}

// value walks to the end of the value at w.at, or to the first bracket that does not match.
func (w *walk) value() {
	w.objects = w.objects[:0]
	defer w.closeAll()
	fresh := !w.behind
	for w.at < len(w.text) {
		switch c := w.text[w.at]; c {
		case '\n':
			w.line++
			fresh = true
			w.at++
		case '\r':
			fresh = true
			w.at++
		case '{', '[':
			w.open(c, fresh)
			fresh = false
			w.at++
		case '}', ']':
			w.keyed = false
			fresh = false
			if !w.close(c) && !w.loose {
				return
			}
			w.at++
			if len(w.frames) == 0 && !w.loose {
				w.balanced = true
				return
			}
		case ',', ';':
			w.keyed = false
			w.at++
		case ' ', '\t', '\\', ':', '=':
			w.at++
		default:
			fresh = false
			w.token()
		}
	}
}

// maxOpen is how many brackets can be open: no answer is that deep, and each costs memory.
const maxOpen = 10_000

// open handles an opening bracket. One too many begins a new value.
func (w *walk) open(c byte, fresh bool) {
	if len(w.frames) == maxOpen {
		w.closeAll()
		w.frames, w.keyed, w.loose = w.frames[:0], false, true
	}
	place := Top
	if n := len(w.frames); n > 0 && !(w.loose && fresh) {
		place = w.frames[n-1].place
		if w.keyed {
			inner := Inside
			if place == Top && meantKey(w.key) == "hookSpecificOutput" {
				inner = Specific
			}
			w.sign(bracketed)
			place = inner
		}
	}
	w.keyed = false
	closing := byte(']')
	if c == '{' {
		closing = '}'
		if place != Inside {
			w.objects = append(w.objects, objects{{signs: len(w.signs)}}...)
		}
	}
	w.frames = append(w.frames, frame{closing, place})
}

// close handles a closing bracket, and reports whether it matches.
func (w *walk) close(c byte) bool {
	n := len(w.frames)
	if n == 0 || w.frames[n-1].closing != c {
		return false
	}
	if c == '}' && w.frames[n-1].place != Inside {
		w.closeObject()
	}
	w.frames = w.frames[:n-1]
	return true
}

func (w *walk) closeAll() {
	for len(w.objects) > 0 {
		w.closeObject()
	}
}

// full reports whether there are enough signs of this kind: inside other JSON, or elsewhere. Signs inside, perhaps in a
// tool's arguments, must not hide the answer beside them.
func (s *scanner) full(inside bool) bool {
	n := 0
	for i := range s.signs {
		if s.signs[i].Place == Inside == inside && !s.signs[i].Report {
			n++
		}
	}
	return n >= maxSigns
}

// closeObject drops signs that mean nothing: in an object that is the printed input of a hook.
func (w *walk) closeObject() {
	n := len(w.objects) - 1
	if n < 0 { // its brace is missing
		return
	}
	o := w.objects[n]
	w.objects = w.objects[:n]
	signs := w.signs[o.signs:]
	answers := func(s Sign) bool { return s.Place == Specific || s.Place == Top && !s.isReason() }
	// Other programs do not print hookSpecificOutput, so a reason in it belongs to an answer.
	report := o.foreign && !slices.ContainsFunc(signs, answers)
	more := report && slices.ContainsFunc(w.signs[:o.signs], func(s Sign) bool { return s.Report })
	for i := range signs {
		signs[i].Report = report && signs[i].Place != Inside
	}
	input := o.named || o.event && o.tool
	kept := w.signs[:o.signs]
	for _, s := range signs {
		switch {
		case more && s.Report: // compilers print thousands; one is enough
		case input && (s.Kind == Synonym || o.reasons && s.Key == "reason"):
		case o.tool && s.Kind == Synonym && s.Meant == "updatedInput" && letters(s.Key) == "toolinput":
			// A tool's name and input, even without the event, are a call that was printed.
		default:
			kept = append(kept, s)
		}
	}
	w.signs = kept
}

// isReason reports whether the key is a reason in any spelling. Reports of other programs have such keys.
func (s Sign) isReason() bool {
	name := letters(s.Key)
	return name == "reason" || name == "stopreason"
}

// token reads a string or a bare word. It is a key if a colon follows; otherwise it may be a value.
func (w *walk) token() {
	at := w.at
	text, cut := w.read()
	if w.keyed {
		w.sign(value{text: text, quoted: isQuote(w.text[at]), cut: cut})
		w.keyed = false
		return
	}
	end := w.at
	w.skipBlanks()
	switch {
	case w.at >= len(w.text) && end == len(w.text): // cut off after the key
		w.key, w.keyAt = cutKey(text), at
		w.sign(value{cut: true})
	case w.at < len(w.text) && (w.text[w.at] == ':' || w.text[w.at] == '='):
		w.key, w.keyAt, w.keyed = text, at, true
		w.note(text)
		w.at++
		if w.at < len(w.text) && (w.text[w.at] == '>' || w.text[w.at] == '=') {
			w.at++
		}
		if w.skipBlanks(); w.at >= len(w.text) {
			w.sign(value{cut: true})
		}
	}
}

// members reads a line from i as the members of an object whose brace is missing. It returns their signs if one of them
// decides.
func (s *scanner) members(i int) []Sign {
	line := scanner{text: s.text[:s.nextLine(i)]}
	w := walk{scanner: &line, at: i, line: s.line, loose: true, frames: []frame{{'}', Top}}}
	if w.token(); !w.keyed {
		return nil
	}
	w.value()
	if !slices.ContainsFunc(line.signs, func(s Sign) bool {
		return s.Decides() && !strings.HasPrefix(s.Meant,
			"updated")
	}) {
		return nil
	}
	return line.signs
}

func (w *walk) skipBlanks() {
	for w.at < len(w.text) {
		switch w.text[w.at] {
		case '\n':
			w.line++
		case ' ', '\t', '\r', '\\':
		default:
			return
		}
		w.at++
	}
}

func endsWord(c byte) bool {
	switch c {
	case ' ', '\t', '\n', '\r', '"', '\'', '`', '{', '}', '[', ']', ',', ':', ';', '=', '\\':
		return true
	}
	return false
}

func isQuote(c byte) bool { return c == '"' || c == '\'' || c == '`' }

// read reads a string or a bare word. An unclosed string ends with its line. cut means that it ends with the text.
func (w *walk) read() (text string, cut bool) {
	start := w.at
	if isQuote(w.text[start]) {
		end, closed := closingQuote(w.text, start)
		if w.at = end; closed {
			w.at++
			return plainString(w.text[start+1 : end]), false
		}
		return w.text[start+1 : end], end == len(w.text)
	}
	for w.at < len(w.text) && !endsWord(w.text[w.at]) {
		w.at++
	}
	return w.text[start:w.at], w.at == len(w.text)
}

// plainString resolves the escapes of a string if it is short enough to be a key or a word.
func plainString(s string) string {
	if len(s) > 6*maxKey || !strings.Contains(s, `\`) {
		return s
	}
	if raw := `"` + s + `"`; gjson.Valid(raw) {
		return strictjson.Text(raw)
	}
	return s
}

// note records the keys that identify the input of a hook.
func (w *walk) note(key string) {
	n := len(w.objects) - 1
	if n < 0 || w.frames[len(w.frames)-1].place == Inside {
		return
	}
	switch key {
	case "hook_event_name", "hook_type":
		w.objects[n].named = true
		rest := w.text[w.at:min(len(w.text), w.at+maxShown)]
		w.objects[n].reasons = strings.Contains(rest, "SessionEnd") || strings.Contains(rest, "PermissionDenied")
	case "event":
		w.objects[n].event = true
	case "tool", "tool_name", "toolName":
		w.objects[n].tool = true
	}
}

// sign records w.key if it resembles one of an answer.
func (w *walk) sign(v value) {
	if len(w.frames) == 0 {
		return
	}
	place := w.frames[len(w.frames)-1].place
	meant, kind, ok := match(w.key, v, place)
	if !ok && !v.cut && place != Inside && !isAnswers(w.key) && len(w.objects) > 0 {
		w.objects[len(w.objects)-1].foreign = true
	}
	if !ok || w.full(place == Inside) {
		return
	}
	s := Sign{
		Line: w.line + 1, Key: w.key, Meant: meant, Kind: kind, Place: place, Behind: w.behind, Value: v.shown(),
		offset: w.keyAt,
	}
	for i := range w.signs { // found already, before its line was scanned again
		if w.signs[i].offset == s.offset {
			if s.Place < w.signs[i].Place || !s.Behind {
				s.Report = w.signs[i].Report
				w.signs[i] = s
			}
			return
		}
	}
	w.signs = append(w.signs, s)
}
