package secret

import (
	"bytes"
	"encoding/base64"
	"strings"
	"unicode/utf8"
)

// scanner finds likely secrets in a text: keys by their shape, the value after a telling name, passwords in URLs and in
// the options of programs, private keys.
//
// If the end of a value is unclear, scanner takes too much rather than too little. The time is linear in the text.
type scanner struct {
	*index
	s      string
	prose  bool
	spans  []span
	failed []int  // see keyAt
	name   string // the last one
	kind   Kind
	command
}

// scan returns the end of the scanned part. It stops once more than limit bytes can be shown; 0: no limit.
func (c *scanner) scan(limit int) (end int) {
	s, shown, hidden := c.s, 0, 0 // hidden: the end of the last secret
	for i := 0; i < len(s); {
		if limit > 0 && shown > limit {
			return i
		}
		start := i
		var from, to int
		if c.isName[s[i]] {
			if i, from, to = c.run(i); from == to {
				from, to = c.secretAfter(start, i)
			}
		} else if i++; s[start] == ':' {
			from, to = c.secretAfter(start, i)
		} else {
			c.command.end(s, start)
		}
		if from >= to {
			shown += max(0, i-max(start, hidden))
			continue
		}
		c.spans = append(c.spans, span{from, to})
		shown += max(0, min(i, from)-max(start, hidden)) + max(0, from-max(i, hidden))
		hidden = max(hidden, to)
		c.keysIn(i, from) // as a user before a password
		i = max(i, lastName(s, from, to))
	}
	return len(s)
}

// keysIn finds the keys that begin in s[from:to].
func (c *scanner) keysIn(from, to int) {
	for from < to {
		end, begin, stop := c.run(from)
		if begin < stop {
			c.spans = append(c.spans, span{begin, stop})
		}
		from = max(end, from+1)
	}
}

// run returns the end of the name at i or, if a key is in the name, the end of the key.
func (c *scanner) run(i int) (end, from, to int) {
	s := c.s
	for ; i < len(s) && c.isName[s[i]]; i++ {
		if i+1 < len(s) && s[i+1] < utf8.RuneSelf && c.pairs[s[i]][s[i+1]] > 0 {
			if from, to = c.keyAt(s, i, &c.failed); from < to {
				return to, from, to
			}
		}
	}
	return i, i, i
}

// lastName returns the start of the last name within a value, if the name is near the end of the value. This name may
// have a value too, as in "token: password: x", or after a quote mistaken for a closing quote.
func lastName(s string, from, to int) int {
	end := to
	for end > from && to-end < 8 && !nameByte(s[end-1]) {
		end--
	}
	begin := end
	for begin > from && end-begin < longestName && nameByte(s[begin-1]) {
		begin--
	}
	if begin == end {
		return to
	}
	return begin
}

// nameByte reports whether a name may contain the byte.
func nameByte(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || c == '_' || c == '-' || c == '.'
}

const blank = " \t"

// secretAfter returns the secret after s[start:end], a name or a colon.
func (c *scanner) secretAfter(start, end int) (from, to int) {
	s := c.s
	name := s[start:end]
	if start > 0 && s[start-1] == '\\' && strings.IndexByte("nrt", name[0]) >= 0 { // an escape, and then the name
		start, name = start+1, name[1:]
	}
	if name == "" { // the escape alone, as in {"a\n", "b"}
		return 0, 0
	}
	if name == ":" {
		return password(s, end)
	}
	if strings.HasSuffix(name, "-----BEGIN") {
		return privateKey(s, end)
	}
	if end < len(s) && s[end] == '>' && start > 0 && s[start-1] == '<' && Name(name) >= Secret {
		return element(s, name, end+1)
	}
	if from, to = c.word(s, start, end); from < to {
		return from, to
	}
	return c.named(start, end)
}

// named returns the value after the word at start, if the word is the name of a secret.
func (c *scanner) named(start, end int) (from, to int) {
	s, name, isSet := c.s, c.s[start:end], c.seen&setsNames != 0
	isWord := name[0] != '-' && len(name) != len("basic") && len(name) != len("bearer")
	if end+1 < len(s) && s[end] == ' ' && letters.has(s[end+1]) && isWord && !isSet &&
		!mayBeValue(s[end+1:]) { // two words of a text
		return 0, 0
	}
	// A name can be quoted, as in JSON. In a text within a text the quotes have backslashes.
	i := skip(s, end, `\`)
	slashes := i - end
	quote := i < len(s) && isQuote(s[i])
	if quote {
		if i++; i < len(s) && s[i] == ']' { // environ["TOKEN"] = …
			i++
		}
	} else {
		i, slashes = end, 0
	}
	gap := i
	i = skip(s, i, blank)
	rest := s[i:]
	colon := false
	switch {
	case strings.HasPrefix(rest, "=="), strings.HasPrefix(rest, "=~"),
		strings.HasPrefix(rest, "::"), strings.HasPrefix(rest, "://"):
		return 0, 0
	case strings.HasPrefix(rest, ":="), strings.HasPrefix(rest, "=>"):
		i += 2
	case strings.HasPrefix(rest, "="):
		i++
	case strings.HasPrefix(rest, ":"):
		i++
		colon = true
	case quote && name[0] == '-' && strings.HasPrefix(rest, ","): // ["--password", "…"]
		i++
	case i == gap: // no value can follow
		return 0, 0
	case strings.EqualFold(name, "bearer"), strings.EqualFold(name, "basic"): // may be an ordinary word
		if to := wordEnd(s, i, false); to-i >= 16 && len(name) > 5 || isCredential(s[i:to]) {
			return i, to
		}
		return 0, 0
	case strings.HasPrefix(rest, "-"), name[0] != '-' && !isSet && !mayBeValue(rest):
		return 0, 0
	}
	isQuery := start > 0 && (s[start-1] == '?' || s[start-1] == '&')
	k := c.kindOf(name, isQuery)
	if k < Secret || colon && !quote && isPosition(name, s[i:]) {
		return 0, 0
	}
	space := blank
	if quote {
		space = " \t\r\n"
	}
	i = skip(s, i, space)
	isPlain := colon && !quote
	if isWorkingDir(name, s[i:]) || c.prose && isPlain && isSentence(s[i:]) {
		return 0, 0
	}
	in := context{
		line:    k == Header && isPlain,
		block:   isPlain,
		json:    quote && colon,
		query:   isQuery,
		slashes: slashes,
	}
	if start > 0 && isQuote(s[start-1]) {
		in.around = s[start-1 : start]
	}
	return value(s, i, in)
}

// kindOf is Name for the name of an option or in the query of a URL, too.
func (c *scanner) kindOf(name string, isQuery bool) Kind {
	if c.name != name { // one name often stands many times
		c.name, c.kind = name, Name(name)
	}
	isOption := name[0] == '-' && len(name) < 10 && strings.HasPrefix(strings.TrimLeft(name, "-"), "pass")
	if isOption || isQuery && isSigned(name) {
		return max(c.kind, Secret)
	}
	return c.kind
}

// mayBeValue reports whether a text begins with a word that looks like a password or a key more than like a word.
func mayBeValue(rest string) bool {
	const least, most = 8, 200
	end, hasDigit, hasLetter := 0, false, false
	for ; end < len(rest) && end < most && dots.has(rest[end]); end++ {
		hasDigit = hasDigit || '0' <= rest[end] && rest[end] <= '9'
		hasLetter = hasLetter || letter(rest[end])
	}
	return end >= least && hasDigit && hasLetter
}

// isCredential reports whether a word is the base64 of a name and a password.
func isCredential(word string) bool {
	if end := strings.IndexAny(word, "\"'`\\,;)"); end >= 0 {
		word = word[:end]
	}
	text, err := base64.RawStdEncoding.DecodeString(strings.TrimRight(word[:min(len(word), 400)], "="))
	return err == nil && len(text) > 3 && bytes.IndexByte(text, ':') >= 0
}

// isSigned reports whether a name in the query of a URL is of a key or a signature.
func isSigned(name string) bool {
	switch strings.ToLower(name) {
	case "key", "sig", "signature", "x-goog-signature", "hmac":
		return true
	}
	return false
}

// isPosition reports whether a line number or a port follows the colon: token.json:12, auth.example.com:443.
func isPosition(name, rest string) bool {
	dot := strings.LastIndexByte(name, '.')
	digits := skip(rest[:min(len(rest), 6)], 0, "0123456789")
	return dot >= 0 && digits > 0 && (digits == len(rest) || !nameByte(rest[digits])) && Name(name[dot+1:]) == Plain
}

// element returns the text of an XML element from i, the end of the start tag.
func element(s, name string, i int) (from, to int) {
	n := strings.IndexByte(s[i:], '<')
	if n < 0 || !strings.HasPrefix(s[i+n+1:], "/"+name) {
		return 0, 0
	}
	return i, i + n
}

// context is the text around a name. It decides where the value ends.
type context struct {
	line    bool   // the value ends with the line
	block   bool   // the value ends with the indented lines, as in YAML
	json    bool   // the value is JSON
	query   bool   // the value ends at &
	slashes int    // how many backslashes quotes have
	around  string // the quote around name and value
}

func isQuote(c byte) bool { return c == '"' || c == '\'' || c == '`' }

// value returns the value that begins at i, without quotes. The value may be empty.
func value(s string, i int, c context) (from, to int) {
	if i >= len(s) {
		return i, i
	}
	if c.json {
		switch end := valueEnd(s, i); {
		case s[i] == '{' || s[i] == '[':
			if end = bracketed(s, i, c.slashes); !mayBeSecret(s[i:end]) {
				return i, i
			}
			return i, end
		case !mayBeSecret(s[i:end]):
			return i, i
		case s[i] == '-' || '0' <= s[i] && s[i] <= '9':
			return i, skip(s, i, "+-.0123456789eE")
		}
	}
	open := skip(s, i, `\`)
	if open < len(s) && isQuote(s[open]) {
		// The quote may also close a text that ends with a name, as in "Password:".
		if open+1 == len(s) || s[open+1] == s[open] || strings.IndexByte(",;)]}>\r\n", s[open+1]) >= 0 {
			return i, i
		}
		inner, end := quoted(s, open, open-i)
		if end == len(s) || followsQuote(s[end]) {
			return open + 1, inner
		}
		return i, wordEnd(s, end, c.query)
	}
	if to := blockEnd(s, i); c.block && to > i {
		return i, to
	}
	if c.line {
		line, _, _ := strings.Cut(s[i:], "\n")
		if c.around != "" {
			line, _, _ = strings.Cut(line, c.around)
		}
		return i, i + len(strings.TrimRight(line, "\\\r"))
	}
	word := wordEnd(s, i, c.query)
	if isScheme(s[i:word]) {
		if next := skip(s, word, blank); next > word {
			return i, wordEnd(s, next, c.query)
		}
	}
	end := word
	for end > i && strings.IndexByte(",;)", s[end-1]) >= 0 {
		end--
	}
	switch s[i:end] {
	case "true", "false", "null", "None", "nil", "undefined", "str", "string":
		return i, i // a word of the program, not a secret
	}
	if isVariable(s[i:end]) {
		return i, i
	}
	return i, word
}

// isScheme reports whether a word before a secret says how HTTP uses the secret.
func isScheme(word string) bool {
	switch strings.ToLower(word[:min(len(word), 10)]) {
	case "basic", "bearer", "digest", "negotiate", "token":
		return true
	}
	return false
}

// isSentence reports whether a text begins with two words in small letters.
func isSentence(text string) bool {
	const small = "abcdefghijklmnopqrstuvwxyz"
	first := skip(text, 0, small)
	second := skip(text, skip(text, first, ",;:"), " ")
	return first > 0 && second > first && second < len(text) && skip(text, second, small) > second
}

// isVariable reports whether a word is the name of a variable, or stands for a value: API_KEY, TOKEN.
func isVariable(word string) bool {
	for i := range len(word) {
		if !capital(word[i]) && word[i] != '_' {
			return false
		}
	}
	return len(word) > 2 && (len(word) <= 8 || strings.Contains(word, "_"))
}

// blockEnd returns the end of the YAML block that begins with | or > at i, or i if no block begins.
func blockEnd(s string, i int) (end int) {
	if s[i] != '|' && s[i] != '>' {
		return i
	}
	if end = skip(s, i+1, "+-123456789"); end == len(s) || s[end] != '\n' {
		return i
	}
	for end < len(s) {
		next := skip(s, end, "\r\n")
		if next == len(s) || s[next] != ' ' && s[next] != '\t' {
			break
		}
		line, _, _ := strings.Cut(s[next:], "\n")
		end = next + len(line)
	}
	return end
}

// wordEnd returns the end of the word at i. Parts of the word can be quoted, as in a shell.
func wordEnd(s string, i int, query bool) int {
	for start := i; i < len(s); {
		switch c := s[i]; c {
		case ' ', '\t', '\n', '\r':
			return i
		case '&':
			if query {
				return i
			}
			i++
		case '\\':
			if i++; i < len(s) && s[i] == ' ' {
				i++
			}
		case '"', '\'', '`':
			slashes := i
			for slashes > start && s[slashes-1] == '\\' {
				slashes--
			}
			if i+1 == len(s) || followsQuote(s[i+1]) { // the quote closes the text around the word
				return slashes
			}
			_, i = quoted(s, i, i-slashes)
			if i == len(s) || followsQuote(s[i]) {
				return i
			}
		default:
			i++
		}
	}
	return len(s)
}

// followsQuote reports whether a byte after a quote shows the end of a quoted text.
func followsQuote(c byte) bool { return strings.IndexByte(" \t\r\n,;:)]}>&|\\\"'`", c) >= 0 }

// password returns the password of a URL. i is the offset after the scheme and colon. A long user name counts as a
// password, because it can be a token.
func password(s string, i int) (from, to int) {
	if !strings.HasPrefix(s[i:], "//") {
		return botToken(s, i)
	}
	from = i + 2
	host := s[from:]
	if n := strings.IndexAny(host, "/?#\"'`<>\\ \t\r\n"); n >= 0 {
		host = host[:n]
	}
	at := strings.LastIndexByte(host, '@')
	if at < 0 {
		return 0, 0
	}
	if colon := strings.IndexByte(host[:at], ':'); colon >= 0 {
		return from + colon + 1, from + at
	}
	isWeb := strings.HasSuffix(strings.TrimSuffix(s[:i-1], "s"), "http")
	if at >= 20 || isWeb && mayBeValue(host[:at]) {
		return from, from + at
	}
	return 0, 0
}

// botToken returns the secret part of a token of Telegram, after the number of a bot and a colon.
func botToken(s string, i int) (from, to int) {
	const digits, least = "0123456789", 30
	number := s[max(0, i-12) : i-1]
	if !strings.HasPrefix(s[i:], "AA") || len(number)-len(strings.TrimRight(number, digits)) < 8 {
		return 0, 0
	}
	for to = i; to < len(s) && dashes.has(s[to]); to++ {
	}
	if to-i < least {
		return 0, 0
	}
	return i, to
}

// privateKey returns the text between the lines of a PEM private key. i is the offset after the first word.
func privateKey(s string, i int) (from, to int) {
	n := strings.Index(s[i:min(len(s), i+60)], "PRIVATE KEY")
	if n < 0 || strings.ContainsAny(s[i:i+n], "\\\n") {
		return 0, 0
	}
	from = skip(s, i+n+len("PRIVATE KEY"), " BLOCK-")
	if n = strings.Index(s[from:], "-----END"); n < 0 {
		return from, len(s)
	}
	return from, from + n
}
