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

// masked are the further shapes, by their sets. Behind each beginning is the least number of further characters.
var masked = [...]struct {
	set    set
	starts bool
	shapes string
}{
	{letters, true, "ABIA 16 ACCA 16 AKCp 60 ATBB 28 LTAI 16 SK 32 cio 32 cmVmd 55 dapi 32 key- 32 aio_ 24 fw_ 20 " +
		"pul- 36 r8_ 30 secret_ 36 sqa_ 36 sqp_ 36 squ_ 36 xai- 60"},
	{letters, false, "AGE-SECRET-KEY-1 40 AGE-SECRET-KEY-PQ-1 40 CLOJARS_ 50 NRAK- 20 NRII- 20 NRJS- 16 bkua_ 36 " +
		"doo_v1_ 40 dor_v1_ 40 gsk_ 40 lin_api_ 30 lin_oauth_ 30 nfp_ 30 ntn_ 30 phc_ 36 phx_ 36 pplx- 36 rk_test_ 16 " +
		"rubygems_ 36 sbp_ 36 shpat_ 28 shpca_ 28 shppa_ 28 shpss_ 28 sk_test_ 16 sntryu_ 40 tvly- 24 whsec_ 20"},
	{dashes, true, "EAAA 56 napi_ 36 re_ 32"},
	{dashes, false, "ATATT3 20 ATCTT3 20 CCIPAT_ 20 CFPAT- 30 EAACEdEose0cBA 20 FLWSECK- 16 GOCSPX- 20 HRKU- 24 " +
		"PMAK- 20 PMAT- 20 dckr_oat_ 20 dckr_pat_ 20 dp.audit. 36 dp.ct. 36 dp.pt. 36 dp.sa. 36 dp.scim. 36 dp.st. 36 " +
		"eyJrIjoi 40 figd_ 30 glagent- 20 glcbt- 20 gldt- 20 glft- 20 glimt- 20 gloas- 20 glptt- 20 glsa_ 30 " +
		"glsoat- 20 hvb. 20 hvr. 20 hvs. 20 lsv2_pt_ 30 lsv2_sk_ 30 mlsn. 40 nvapi- 40 sb_secret_ 20 sk-admin- 20 " +
		"sk-ant- 20 sk-or- 20 sk-proj- 20 sk-svcacct- 20 sq0atp- 20 sq0csp- 20 sq0idp- 20 tskey- 20 vercel_blob_rw_ 20 " +
		"xapp- 20 xkeysib- 40 xoxc- 20 xoxd- 20 xoxo- 20 xoxr- 20 " + beforeToo + " 30"},
	{dots, false, "dt0c01. 40 " + webToken + " 33 ops_eyJ 60 pscale_ 20 tfp_ 30 ya29. 20 Q~ 30"},
	{base64s, true, "1//0 30 ABSK 60"},
	{base64s, false, "bedrock-api-key- 40 fm1_ 40 fm2_ 40 glc_eyJ 20 sntrys_ 40"},
	{address, false, "api.telegram.org/bot 30 discord.com/api/webhooks/ 40 discordapp.com/api/webhooks/ 40 " +
		"hooks.slack.com/services/ 20 hooks.slack.com/triggers/ 20 hooks.slack.com/workflows/ 20 " +
		"webhook.office.com/webhookb2/ 40"},
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
		words := strings.Fields(group.shapes)
		for i := 0; i < len(words); i += 2 {
			least, _ := strconv.Atoi(words[i+1])
			add(shape{words[i], least, 1, group.set, group.starts, 0})
		}
	}
	for _, s := range blocked {
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
		if isCut || ok && kinds(key) >= 6 && (k.begin != webToken || strings.Contains(key, ".")) {
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

// isRandom reports whether a text looks like a key, and not like a word or a placeholder such as a row of x.
func isRandom(text string) bool {
	lower := strings.ToLower(text)
	if strings.Contains(lower, "example") || strings.Contains(lower, "xxxx") || strings.Contains(lower, "your") {
		return false
	}
	return kinds(text) >= 8 && strings.ContainsAny(text, "0123456789")
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
