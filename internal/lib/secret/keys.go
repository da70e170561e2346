package secret

import (
	"slices"
	"strconv"
	"strings"
)

// keyKind is a kind of key or token: the beginning, the least number of further characters, and the least length of a
// run without - and _. If both numbers are equal, the key contains no - or _.
type keyKind struct {
	begin      string
	least, row int
}

var keyKinds = [...]keyKind{
	{"AKIA", 16, 16}, {"ASIA", 16, 16}, {"ghp_", 20, 20}, {"gho_", 20, 20}, {"ghu_", 20, 20}, {"ghs_", 20, 20},
	{"ghr_", 20, 20}, {"github_pat_", 20, 10}, {"glpat-", 20, 5}, {"glrt-", 20, 5}, {"sk-", 24, 20},
	{"sk_live_", 16, 16}, {"rk_live_", 16, 16}, {"xoxb-", 20, 10}, {"xoxp-", 20, 10}, {"xoxa-", 20, 10},
	{"xoxe-", 20, 10}, {"xoxs-", 20, 10}, {"AIza", 35, 5}, {"npm_", 36, 36}, {"pypi-", 50, 10}, {"hf_", 30, 30},
	{"dop_v1_", 40, 40}, {"SG.", 20, 5},
}

// InText returns what a text holds, such as "a private key", or "". Escapes of JSON are read as characters.
func InText(text string) string {
	if strings.Contains(text, `\u00`) {
		text = plainEscapes(text)
	}
	for i := range keyKinds {
		if kind := &keyKinds[i]; kind.appearsIn(text) {
			return "a text that begins with " + kind.begin
		}
	}
	if strings.Contains(text, "PRIVATE KEY") && hasPrivateKey(text) {
		return "a private key"
	}
	return ""
}

// appearsIn reports whether a text contains a key of this kind, other than an example.
func (k *keyKind) appearsIn(text string) bool {
	for {
		at := strings.Index(text, k.begin)
		if at < 0 {
			return false
		}
		inWord := at > 0 && isOfKey(text[at-1], true) && !(at > 1 && text[at-2] == '\\')
		text = text[at+len(k.begin):] // the rest of text after the beginning
		end, row, longest := 0, 0, 0
		for !inWord && end < len(text) && isOfKey(text[end], k.row < k.least) {
			if row++; !isAlphanumeric(text[end]) {
				row = 0
			}
			end, longest = end+1, max(longest, row)
		}
		if end >= k.least && longest >= k.row && isRandom(text[:end]) {
			return true
		}
		text = text[end:]
	}
}

func isOfKey(b byte, most bool) bool { return isAlphanumeric(b) || most && (b == '_' || b == '-') }

// isRandom reports whether a text looks like a key, and not like a word or a placeholder such as a row of x.
func isRandom(text string) bool {
	lower := strings.ToLower(text)
	if strings.Contains(lower, "example") || strings.Contains(lower, "xxxx") || strings.Contains(lower, "your") {
		return false
	}
	var seen [128]bool
	kinds, digits := 0, 0
	for i := range len(text) {
		if text[i] < 128 && !seen[text[i]] {
			seen[text[i]], kinds = true, kinds+1
		}
		if '0' <= text[i] && text[i] <= '9' {
			digits++
		}
	}
	return kinds >= 8 && digits > 0
}

// hasPrivateKey reports whether a text contains a private key, not only the key's first line.
func hasPrivateKey(text string) bool {
	for {
		_, rest, ok := strings.Cut(text, "PRIVATE KEY")
		if !ok {
			return false
		}
		before := text[:len(text)-len(rest)]
		text = rest
		if !strings.Contains(before[max(0, len(before)-50):], "-----BEGIN ") {
			continue
		}
		const most = 512
		rest, _, _ = strings.Cut(rest[:min(len(rest), most)], "-----END ")
		long := func(line string) bool { return len(strings.Trim(line, "=")) >= 40 && isRandom(line) }
		if slices.ContainsFunc(strings.FieldsFunc(strings.ReplaceAll(rest, `\n`, " "), func(r rune) bool {
			return r > 127 || !isAlphanumeric(byte(r)) && r != '+' && r != '/' && r != '='
		}), long) {
			return true
		}
	}
}

// plainEscapes decodes the \u00XX escapes of JSON.
func plainEscapes(text string) string {
	var b strings.Builder
	for {
		before, rest, ok := strings.Cut(text, `\u00`)
		b.WriteString(before)
		if !ok || len(rest) < 2 {
			return b.String() + rest
		}
		if code, err := strconv.ParseUint(rest[:2], 16, 8); err == nil {
			b.WriteByte(byte(code))
		}
		text = rest[2:]
	}
}

func isAlphanumeric(b byte) bool {
	return 'a' <= b && b <= 'z' || 'A' <= b && b <= 'Z' || '0' <= b && b <= '9'
}
