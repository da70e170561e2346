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
	line  int // how many ends of lines are before the place that scan is at
	signs []Sign
	objects
}

// scan looks at each value of the text, level times into strings that are JSON themselves.
//
// A value whose brackets fit is passed over as a whole. Of one whose brackets do not the lines are looked at again,
// since any of them may begin an answer. There is a budget for that; where it is spent, one last walk takes every line
// for a beginning.
func (s *scanner) scan(level int) {
	budget := 4*len(s.text) + 64<<10
	fresh := true   // there is nothing on this line yet
	quoted := false // there was a quote on it
	for i := 0; i < len(s.text); {
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
		case strings.IndexByte("\"'`( \t\\,;:}])", c) >= 0: // what a value that is broken leaves behind, too
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

func (s *scanner) nextLine(i int) int {
	if end := strings.IndexAny(s.text[i:], "\n\r"); end >= 0 {
		return i + end
	}
	return len(s.text)
}

// jsonString reads the JSON string at i, which has to end on its line and to have brackets in it.
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

// closingQuote returns where the quote is that closes the one at i, or else where its line ends.
func closingQuote(text string, i int) (end int, closed bool) {
	for end = i + 1; end < len(text); end++ {
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

// objects is what is known of the open objects that can be answers.
type objects []struct {
	signs              int // how many there were before it
	named, event, tool bool
	reasons            bool // it is the input of an event that has a reason
	foreign            bool // it has a key that no answer has
}

// walk goes through one value.
type walk struct {
	*scanner
	at, line int
	behind   bool
	loose    bool // brackets mean little: all lines are looked at, and each may begin a value
	balanced bool
	frames   []frame
	key      string // whose value comes next
	keyAt    int
	keyed    bool
}

// value walks to the end of the value at w.at, or to where its brackets stop to fit.
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

// open takes an opening bracket.
func (w *walk) open(c byte, fresh bool) {
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

// close takes a closing bracket, and reports whether it fits.
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

// full reports whether there are enough signs inside of other JSON, or else enough of others: those inside, which may be a tool's
// arguments, do not hide the answer that stands beside them.
func (s *scanner) full(inside bool) bool {
	n := 0
	for i := range s.signs {
		if s.signs[i].Place == Inside == inside && !s.signs[i].Report {
			n++
		}
	}
	return n >= maxSigns
}

// closeObject drops what means nothing in an object that is the input of a hook, printed again.
func (w *walk) closeObject() {
	n := len(w.objects) - 1
	if n < 0 { // its brace is lost
		return
	}
	o := w.objects[n]
	w.objects = w.objects[:n]
	signs := w.signs[o.signs:]
	answers := func(s Sign) bool { return s.Place == Specific || s.Place == Top && !s.isReason() }
	report := o.foreign && !slices.ContainsFunc(signs, answers) // no other program has hookSpecificOutput, and a reason in that
	more := report && slices.ContainsFunc(w.signs[:o.signs], func(s Sign) bool { return s.Report })
	for i := range signs {
		signs[i].Report = report && signs[i].Place != Inside
	}
	input := o.named || o.event && o.tool
	kept := w.signs[:o.signs]
	for _, s := range signs {
		switch {
		case more && s.Report: // compilers print thousands, and one is enough to know
		case input && (s.Kind == Synonym || o.reasons && s.Key == "reason"):
		case o.tool && s.Kind == Synonym && s.Meant == "updatedInput" && letters(s.Key) == "toolinput":
			// A tool's name and its input are a call that was printed again, also without its event.
		default:
			kept = append(kept, s)
		}
	}
	w.signs = kept
}

// isReason reports whether the key is a reason, written in any way. Reports of other programs have such keys.
func (s Sign) isReason() bool {
	name := letters(s.Key)
	return name == "reason" || name == "stopreason"
}

// token takes a string or a bare word: a key if a colon follows, else a value or nothing.
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
	case w.at >= len(w.text) && end == len(w.text): // cut off behind the key
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

// members reads a line from i on as the members of an object whose brace is lost. It returns their signs if one of them
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

func isQuote(c byte) bool { return c == '"' || c == '\'' || c == '`' }

// read reads a string or a bare word. A string that is not closed ends with its line. cut: it ends with the text.
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
	for w.at < len(w.text) && !strings.ContainsRune(" \t\n\r\"'`{}[],:;=\\", rune(w.text[w.at])) {
		w.at++
	}
	return w.text[start:w.at], w.at == len(w.text)
}

// plainString resolves the escapes of a string that is short enough to be a key or a word.
func plainString(s string) string {
	if len(s) > 6*maxKey || !strings.Contains(s, `\`) {
		return s
	}
	if raw := `"` + s + `"`; gjson.Valid(raw) {
		return strictjson.Text(raw)
	}
	return s
}

// note remembers the keys by which the input of a hook is known.
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

// sign notes w.key if it is like one of an answer.
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
	for i := range w.signs { // it was seen before its line was looked at again
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
