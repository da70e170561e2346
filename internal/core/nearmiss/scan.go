package nearmiss

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/tidwall/gjson"

	"github.com/hookrun/hookrun/internal/lib/strictjson"
)

// scanner reads a text from at on.
type scanner struct {
	text   string
	at     int
	line   int  // line ends before at
	behind bool // other text stands before the value on its line
	signs  []Sign
	no     Sign            // the last key of an answer that denies
	denial Sign            // the first such key in a whole object behind text
	nexts  [len(marks)]int // what next has found for each of marks
}

// marks are the characters between values that scan looks for. Quotes count only at the beginning of a line.
const marks, brackets, quotes, lineEnds = "{[\"'\n\r", 0, 2, 4

// scan reads each value that begins with a bracket, and strings with JSON inside, up to level strings deep.
func (s *scanner) scan(level int) {
	fresh, quoted := true, false // fresh: the line is blank so far; quoted: the line has a quote
	for s.skip(fresh); s.at < len(s.text); {
		switch c := s.text[s.at]; {
		case c == '\n' || c == '\r':
			fresh, quoted = true, false
			s.blank()
			s.skip(fresh)
		case c == '{' || c == '[':
			s.behind = !fresh
			if fresh = s.value() == tooDeep && fresh; !fresh {
				s.skip(fresh)
			}
		case fresh && !quoted && (c == '"' || c == '\''):
			quoted = true
			if fresh = !s.quote(level); !fresh {
				s.skip(fresh)
			}
		case strings.IndexByte("\"'`( \t\\,;:}])", c) >= 0: // also the remains of a broken value
			s.at++
		default:
			r, size := utf8.DecodeRuneInString(s.text[s.at:])
			s.at += size
			if fresh = unicode.IsSpace(r); !fresh {
				s.skip(fresh)
			}
		}
	}
}

// skip passes text that begins no value, up to the line with the next value, or to the bracket on this line.
func (s *scanner) skip(fresh bool) {
	bracket, line := s.next(brackets, s.at), s.at // line: where quotes may begin a value
	if !fresh {
		if line = s.next(lineEnds, s.at); bracket <= line {
			s.at = bracket
			return
		}
	}
	value := min(bracket, s.next(quotes, line))
	if s.next(lineEnds, line) < value {
		line += strings.LastIndexAny(s.text[line:value], "\n\r")
	}
	s.line += strings.Count(s.text[s.at:line], "\n")
	s.at = line
}

// next returns the position of the next of two marks, or the end of the text. It never goes back.
func (s *scanner) next(first, from int) int {
	for i := first; i < first+2; i++ {
		if s.nexts[i] < from || s.nexts[i] == 0 {
			s.nexts[i] = len(s.text)
			if n := strings.IndexByte(s.text[from:], marks[i]); n >= 0 {
				s.nexts[i] = from + n
			}
		}
	}
	return min(s.nexts[first], s.nexts[first+1])
}

// blank passes one character between values.
func (s *scanner) blank() {
	if s.text[s.at] == '\n' {
		s.line++
	}
	s.at++
}

// quote reads a quote at the beginning of a line: a string with JSON inside, or a line of an object without braces. It
// reports whether this text has signs. If not, it skips the quote only.
func (s *scanner) quote(level int) (found bool) {
	if content, end, ok := jsonString(s.text, s.at); ok && level > 0 {
		inner := scanner{text: clean(content), line: s.line}
		if inner.scan(level - 1); len(inner.signs) > 0 {
			s.signs, s.at = append(s.signs, inner.signs...), end
			if s.denial.Key == "" {
				s.denial = inner.denial
			}
			return true
		}
	}
	end := s.next(lineEnds, s.at)
	line := scanner{text: s.text[:end], at: s.at, line: s.line} // of an object without a brace
	if first := line.token(&object{}, member{}, Top); first.is {
		// The value of the first key may be the answer.
		first.is = line.at < end && line.text[line.at] != '{' && line.text[line.at] != '['
		for line.members('}', Top, 0, &object{}, first); line.at < end; {
			line.at++
			line.members('}', Top, 0, &object{}, member{})
		}
		if slices.ContainsFunc(line.signs, func(s Sign) bool { return s.Decides() && !rewrites(s.Intended) }) {
			s.signs, s.at = append(s.signs, line.signs...), end
			return true
		}
	}
	s.at++
	return false
}

// jsonString reads the JSON string at i. ok is false unless the string ends on its line and contains brackets.
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

// closingQuote returns the position of the quote that closes the quote at i, or else the end of the line.
func closingQuote(text string, i int) (end int, closed bool) {
	for end = i + 1; end < len(text); end++ {
		if text[i] == '"' { // most characters are plain
			for end += strictjson.Plain(text[end:]); end < len(text) && text[end] >= utf8.RuneSelf; {
				end++
			}
			if end == len(text) {
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

// ending is how the reading of a value ended.
type ending int

const (
	broken  ending = iota // its brackets do not match
	tooDeep               // more than maxOpen brackets are open
	whole
)

// maxOpen is the maximum number of open brackets. Answers are never so deep.
const maxOpen = 64

// value reads the value at s.at. If the value is not whole, each of its other lines may begin an answer, so the scan
// continues after the first line. A line is read once for each bracket that is open there, and these are few.
func (s *scanner) value() ending {
	start, line := s.at, s.line
	how := s.bracket(Top, 0, &object{})
	if how != whole {
		if end := s.next(lineEnds, start); end < s.at {
			s.at, s.line = end, line
		}
	}
	return how
}

// bracket reads an object or a list of the object o.
func (s *scanner) bracket(place Place, depth int, o *object) ending {
	closing := s.text[s.at] + 2
	if depth == maxOpen {
		return tooDeep
	}
	if closing == '}' && place != Nested {
		o = &object{signs: len(s.signs)}
		defer s.closeObject(o)
	}
	start := s.at
	s.at++
	how := s.members(closing, place, depth, o, member{})
	if s.behind && s.no.offset > start && s.denial.Key == "" && closing == '}' && place == Top && how == whole &&
		gjson.Valid(s.text[start:s.at]) {
		s.denial = s.no
	}
	return how
}

// member is a key before its value. The zero member is no key.
type member struct {
	key string
	at  int
	is  bool
}

// members reads up to a closing bracket.
func (s *scanner) members(closing byte, place Place, depth int, o *object, key member) ending {
	for s.at < len(s.text) {
		switch c := s.text[s.at]; c {
		case '{', '[':
			inner := place
			if key.is {
				s.sign(o, key, bracketed, place)
				inner = Nested
				if place == Top && meantKey(key.key) == "hookSpecificOutput" {
					inner = Specific
				}
			}
			key = member{}
			if how := s.bracket(inner, depth+1, o); how != whole {
				return how
			}
		case '}', ']':
			if c != closing {
				return broken
			}
			s.at++
			return whole
		case ',', ';':
			key = member{}
			s.at++
		case '\n', '\r', ' ', '\t', '\\', ':', '=':
			s.blank()
		default:
			key = s.token(o, key, place)
		}
	}
	return broken
}

// token reads a string or a bare word: the value of key or, before a colon, the key of the next value.
func (s *scanner) token(o *object, key member, place Place) member {
	at := s.at
	text, cut := s.read()
	if key.is {
		s.sign(o, key, value{text: text, quoted: isQuote(s.text[at]), cut: cut}, place)
		return member{}
	}
	end := s.at
	s.skipBlanks()
	switch {
	case end == len(s.text): // cut off after the key
		s.sign(o, member{key: cutKey(text), at: at}, value{cut: true}, place)
	case s.at < len(s.text) && (s.text[s.at] == ':' || s.text[s.at] == '='):
		if s.at++; s.at < len(s.text) && (s.text[s.at] == '>' || s.text[s.at] == '=') {
			s.at++
		}
		if place != Nested {
			o.note(text, s.text[s.at:min(len(s.text), s.at+maxShown)])
		}
		key = member{text, at, true}
		if s.skipBlanks(); s.at == len(s.text) {
			s.sign(o, key, value{cut: true}, place)
		}
	}
	return key
}

func (s *scanner) skipBlanks() {
	for s.at < len(s.text) {
		switch s.text[s.at] {
		case ' ', '\t', '\r', '\n', '\\':
			s.blank()
		default:
			return
		}
	}
}

// read reads a string or a bare word. An unclosed string ends with its line. cut means that the text ended first.
func (s *scanner) read() (text string, cut bool) {
	start := s.at
	if isQuote(s.text[start]) {
		end, closed := closingQuote(s.text, start)
		if s.at = end; closed {
			s.at++
			return plainString(s.text[start+1 : end]), false
		}
		return s.text[start+1 : end], end == len(s.text)
	}
	for s.at < len(s.text) && !endsWord[s.text[s.at]] {
		s.at++
	}
	return s.text[start:s.at], s.at == len(s.text)
}

// endsWord are the characters that end a bare word.
var endsWord = [256]bool{' ': true, '\t': true, '\n': true, '\r': true, '"': true, '\'': true, '`': true, '{': true,
	'}': true, '[': true, ']': true, ',': true, ':': true, ';': true, '=': true, '\\': true}

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

func isQuote(c byte) bool { return c == '"' || c == '\'' || c == '`' }

// object is an open object that may be an answer.
type object struct {
	signs              int // number of signs before the object
	named, event, tool bool
	reasons            bool // the event's input has a reason
	foreign            bool // has a key that answers do not have
}

// note records a key that is typical of hook input. value is the beginning of the key's value.
func (o *object) note(key, value string) {
	switch key {
	case "hook_event_name", "hook_type":
		o.named = true
		o.reasons = strings.Contains(value, "SessionEnd") || strings.Contains(value, "PermissionDenied")
	case "event":
		o.event = true
	case "tool", "tool_name", "toolName":
		o.tool = true
	}
}

// closeObject marks the signs of a report, and drops signs without a meaning, as in the printed input of a hook.
func (s *scanner) closeObject(o *object) {
	if len(s.signs) <= o.signs {
		return
	}
	before, signs := s.signs[:o.signs], s.signs[o.signs:]
	// Other programs do not print hookSpecificOutput, so a reason inside belongs to an answer.
	report := o.foreign && !slices.ContainsFunc(signs, func(s Sign) bool {
		return s.Place == Specific || s.Place == Top && !s.isReason()
	})
	input := o.named || o.event && o.tool
	s.signs = before
	for _, sign := range signs {
		sign.Report = report && sign.Place != Nested
		switch {
		case sign.Report && slices.ContainsFunc(before, Sign.isReport): // compilers print thousands; one is enough
		case input && (sign.Kind == Synonym || o.reasons && sign.Key == "reason"):
		case sign.Kind == Synonym && o.foreign && sign.isApprovedStatus():
		case o.tool && sign.Kind == Synonym && Letters(sign.Key) == "toolinput": // a printed call
		default:
			s.signs = append(s.signs, sign)
		}
	}
}

// sign records a key if it resembles a key of an answer.
func (s *scanner) sign(o *object, m member, v value, place Place) {
	meant, kind, ok := match(m.key, v, place)
	if !ok {
		o.foreign = o.foreign || !v.cut && place != Nested && !isAnswerKey(m.key)
		return
	}
	sign := Sign{Line: s.line + 1, Key: m.key, Intended: meant, Kind: kind, Place: place, AfterText: s.behind,
		Value: v.shown(), offset: m.at}
	if sign.denies(v) {
		s.no = sign
	}
	alike := 0
	for i, old := range s.signs {
		if old.offset == sign.offset { // found in an earlier reading of the line
			if sign.Place < old.Place || !sign.AfterText {
				sign.Report = old.Report
				s.signs[i] = sign
			}
			return
		}
		if !old.Report && (old.Place == Nested) == (place == Nested) {
			alike++
		}
	}
	// Signs inside, perhaps in a tool's arguments, must not hide the answer beside them.
	if alike < maxSigns {
		s.signs = append(s.signs, sign)
	}
}
