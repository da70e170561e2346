package secret

import (
	"slices"
	"strconv"
	"strings"

	"github.com/hookrun/hookrun/internal/lib/lazy"
)

// shape is the shape of a key or token: the beginning, the least number of further characters, and the least length of
// a run of letters and digits among the characters. If both numbers are equal, a key contains no - or _.
type shape struct {
	begin      string
	least, row int
	set        set  // of the further characters
	starts     bool // no letter or digit stands before a key
	number     int
}

// set is a set of characters. Each set has all characters of the sets before.
type set uint8

const (
	letters set = iota + 1 // and digits
	dashes                 // and _
	dots                   // and ~
	base64s
	address // but for the characters that end a part of a URL
)

// blocked are the shapes by which the rules of packs block a call. All other shapes are for Mask alone.
var blocked = [...]shape{
	{"AKIA", 16, 16, letters, true, 0}, {"ASIA", 16, 16, letters, true, 0}, {"ghp_", 20, 20, letters, false, 0},
	{"gho_", 20, 20, letters, false, 0}, {"ghu_", 20, 20, letters, false, 0}, {"ghs_", 20, 20, letters, false, 0},
	{"ghr_", 20, 20, letters, false, 0}, {"github_pat_", 20, 10, dashes, false, 0}, {"glpat-", 20, 5, dashes, false, 0},
	{"glrt-", 20, 5, dashes, false, 0}, {"sk-", 24, 20, dashes, true, 0}, {"sk_live_", 16, 16, letters, false, 0},
	{"rk_live_", 16, 16, letters, false, 0}, {"xoxb-", 20, 10, dashes, false, 0}, {"xoxp-", 20, 10, dashes, false, 0},
	{"xoxa-", 20, 10, dashes, false, 0}, {"xoxe-", 20, 10, dashes, false, 0}, {"xoxs-", 20, 10, dashes, false, 0},
	{"AIza", 35, 5, dashes, true, 0}, {"npm_", 36, 36, letters, false, 0}, {"pypi-", 50, 10, dashes, false, 0},
	{"hf_", 30, 30, letters, false, 0}, {"dop_v1_", 40, 40, letters, false, 0}, {"SG.", 20, 5, dashes, true, 0},
}

// masked are the beginnings of further shapes, by their sets.
var masked = [...]struct {
	set    set
	starts bool
	least  int
	begins string
}{
	{letters, true, 16, "ABIA ACCA LTAI"},
	{letters, true, 24, "ATBB aio_ fw_"},
	{letters, true, 32, "AKCp SK cio cmVmd dapi key- pul- r8_ secret_ sqa_ sqp_ squ_ xai-"},
	{letters, false, 16, "AGE-SECRET-KEY-1 AGE-SECRET-KEY-PQ-1 CLOJARS_ NRAK- NRII- NRJS- bkua_ doo_v1_ dor_v1_ gsk_ " +
		"lin_api_ lin_oauth_ nfp_ ntn_ phc_ phx_ pplx- rk_test_ rubygems_ sbp_ shpat_ shpca_ shppa_ shpss_ sk_test_ " +
		"sntryu_ tvly- whsec_"},
	{dashes, true, 32, "EAAA napi_ re_"},
	{dashes, false, 16, "ATATT3 ATCTT3 CCIPAT_ CFPAT- EAACEdEose0cBA FLWSECK- GOCSPX- HRKU- PMAK- PMAT- dckr_oat_ " +
		"dckr_pat_ dp.audit. dp.ct. dp.pt. dp.sa. dp.scim. dp.st. eyJrIjoi figd_ glagent- glcbt- gldt- glft- glimt- " +
		"gloas- glptt- glsa_ glsoat- hvb. hvr. hvs. lsv2_pt_ lsv2_sk_ mlsn. nvapi- sb_secret_ sk-admin- sk-ant- " +
		"sk-or- sk-proj- sk-svcacct- sq0atp- sq0csp- sq0idp- tskey- " +
		"vercel_blob_rw_ xapp- xkeysib- xoxc- xoxd- xoxo- xoxr- " +
		beforeToo},
	{dots, false, 16, "dt0c01. ops_eyJ pscale_ tfp_ ya29."},
	{dots, false, 32, "Q~ " + webToken},
	{base64s, true, 32, "1//0 ABSK"},
	{base64s, false, 16, "bedrock-api-key- fm1_ fm2_ glc_eyJ sntrys_"},
	{address, false, 16, "api.telegram.org/bot discord.com/api/webhooks/ discordapp.com/api/webhooks/ " +
		"hooks.slack.com/services/ hooks.slack.com/triggers/ hooks.slack.com/workflows/ webhook.office.com/webhookb2/"},
}

const (
	beforeToo = ".atlasv1." // the letters and digits before the beginning are of the key, too
	webToken  = "eyJ"       // has a dot
)

// index has the shapes by their first two letters, and the letters of names.
type index struct {
	pairs  [128][128]uint8 // which list of shapes begins with two letters; 0: none
	shapes [][]shape
	isName [256]bool
	count  int // of all shapes
}

var known = lazy.Value[*index]{Make: func() *index {
	x := &index{shapes: make([][]shape, 1)}
	add := func(s shape) {
		list := &x.pairs[s.begin[0]][s.begin[1]]
		if *list == 0 {
			x.shapes = append(x.shapes, nil)
			*list = uint8(len(x.shapes) - 1)
		}
		s.number = x.count
		x.count++
		x.shapes[*list] = append(x.shapes[*list], s)
	}
	for _, group := range masked {
		for begin := range strings.FieldsSeq(group.begins) {
			add(shape{begin, group.least, 1, group.set, group.starts, 0})
		}
	}
	for _, s := range blocked {
		s.least, s.row = min(s.least, 20), min(s.row, 16) // a rule needs more than a mask
		add(s)
	}
	for c := range x.isName {
		x.isName[c] = dashes.has(byte(c)) || c == '.'
	}
	return x
}}

// keyAt returns the key that begins at i. failed has for each shape the end of the last long text without a key.
func (x *index) keyAt(s string, i int, failed *[]int) (from, to int) {
	shapes := x.shapes[x.pairs[s[i]][s[i+1]]]
	for j := range shapes {
		k := &shapes[j]
		if *failed != nil && i < (*failed)[k.number] || !strings.HasPrefix(s[i:], k.begin) ||
			k.starts && !startsWord(s, i, k.begin) {
			continue
		}
		from = i + len(k.begin)
		end, ok := k.rest(s[from:])
		key := s[from : from+end]
		isCut := end > 0 && strings.HasPrefix(strings.TrimPrefix(s[from+end:], `"`), "…")
		isWord := strings.Contains(k.begin, ".") && !strings.ContainsAny(key, "0123456789") // as in a.b.someName
		if isCut || ok && kinds(key) >= 6 && !isWord && (k.begin != webToken || strings.Contains(key, ".")) {
			for from = i; k.begin == beforeToo && from > 0 && isAlphanumeric(s[from-1]); from-- {
			}
			for to = i + len(k.begin) + end; to < len(s) && dashes.has(s[to]); to++ {
			}
			return from, to
		}
		if end > 100 { // a beginning within the text is of no key either, so a long text is read once
			if *failed == nil {
				*failed = make([]int, x.count)
			}
			(*failed)[k.number] = from + end
		}
	}
	return i, i
}

// startsWord reports whether a word begins at i, perhaps after an escape or a colour, or after the same beginning.
func startsWord(s string, i int, begin string) bool {
	switch {
	case i == 0, !isAlphanumeric(s[i-1]), i > 1 && s[i-2] == '\\', i > 2 && s[i-3] == '%',
		i > 5 && s[i-6:i-4] == `\u`, strings.HasSuffix(s[:i], begin):
		return true
	case s[i-1] != 'm':
		return false
	}
	return strings.HasSuffix(strings.TrimRight(s[max(0, i-20):i-1], "0123456789;"), "[")
}

// InText returns the first kind of key that the rules of packs block in a text, such as "a private key", or "". Escapes
// of JSON are read as characters.
func InText(text string) string {
	if strings.Contains(text, `\u00`) {
		text = plainEscapes(text)
	}
	for i := range blocked {
		if k := &blocked[i]; k.appearsIn(text) {
			return "a text that begins with " + k.begin
		}
	}
	if strings.Contains(text, "PRIVATE KEY") && hasPrivateKey(text) {
		return "a private key"
	}
	return ""
}

// appearsIn reports whether a text contains a key of this shape, other than an example.
func (k *shape) appearsIn(text string) bool {
	for {
		at := strings.Index(text, k.begin)
		if at < 0 {
			return false
		}
		inWord := at > 0 && dashes.has(text[at-1]) && !(at > 1 && text[at-2] == '\\')
		text = text[at+len(k.begin):] // the rest of text after the beginning
		if inWord {
			continue
		}
		end, ok := k.rest(text)
		if ok && isRandom(text[:end]) {
			return true
		}
		text = text[end:]
	}
}

// rest returns the length of the characters of a key after the beginning, and whether these make a key.
func (k *shape) rest(text string) (end int, ok bool) {
	row, longest := 0, 0
	for end < len(text) && k.set.has(text[end]) {
		if row++; !isAlphanumeric(text[end]) {
			row = 0
		}
		end, longest = end+1, max(longest, row)
	}
	return end, end >= k.least && longest >= k.row
}

func isAlphanumeric(b byte) bool { return '0' <= b && b <= '9' || 'a' <= b|0x20 && b|0x20 <= 'z' }

// has reports whether a byte is in the set.
func (s set) has(b byte) bool {
	switch b {
	case '-', '_':
		return s >= dashes
	case '.', '~':
		return s >= dots
	case '+', '/', '=':
		return s >= base64s
	case ':', '%':
		return s >= address
	}
	return isAlphanumeric(b)
}

// placeholders are words of keys that are only examples.
const placeholders = "example xxxx your placeholder dummy fake changeme change_me replace redacted insert " +
	"sample deadbeef " +
	"foobar testtest notreal"

// isRandom reports whether a text looks like a key, and not like a word or a placeholder such as a row of x.
func isRandom(text string) bool {
	lower := strings.ToLower(text)
	for word := range strings.FieldsSeq(placeholders) {
		if strings.Contains(lower, word) {
			return false
		}
	}
	return kinds(text) >= 8 && strings.ContainsAny(text, "0123456789") && !counts(lower)
}

// counts reports whether half of the characters follow each other as in the alphabet, or repeat, as in abc123def456 and
// 1234567890: nobody draws such a key by chance.
func counts(text string) bool {
	steps := 0
	for i := 1; i < len(text); i++ {
		if before := text[i-1]; text[i] == before+1 || text[i] == before || before == '9' && text[i] == '0' {
			steps++
		}
	}
	return steps*2 >= len(text)
}

// kinds returns how many different characters of ASCII a text has.
func kinds(text string) (n int) {
	var seen [128]bool
	for i := range len(text) {
		if text[i] < 128 && !seen[text[i]] {
			seen[text[i]], n = true, n+1
		}
	}
	return n
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
