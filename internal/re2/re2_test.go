package re2

import (
	"math/rand/v2"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"unicode"

	"github.com/stretchr/testify/require"
)

// compare checks an expression against package regexp, with some texts.
func compare(t require.TestingT, expression string, texts ...string) (valid bool) {
	ours, err := Compile(expression)
	theirs, theirErr := regexp.Compile(expression)
	if rare(err) {
		return false // what package regexp says of it does not matter
	}
	if (err == nil) != (theirErr == nil) {
		require.Fail(t, "accepted by one alone", "%q: here %v, there %v", expression, err, theirErr)
	}
	if err != nil {
		require.NotEmpty(t, err.Error())
		return false
	}
	for _, text := range texts {
		if theirs.MatchString(text) != ours.Match(text) {
			require.Fail(t, "match", "%q on %q: %v", expression, text, ours.Match(text))
		}
		for _, most := range []int{-1, 2} {
			var want [][2]int
			for _, m := range theirs.FindAllStringIndex(text, most) {
				want = append(want, [2]int(m))
			}
			if got := ours.FindAll(text, most); !equal(want, got) {
				require.Fail(t, "places", "%q on %q: here %v, there %v", expression, text, got[:min(9, len(got))], want[:min(9, len(want))])
			}
		}
		if ours.Match(text) {
			require.Contains(t, text, ours.Required(), expression)
		}
	}
	return true
}

// rare reports whether an expression names a script that is not known here.
func rare(err error) bool {
	return err != nil && strings.Contains(err.Error(), "scripts are known only if they are common")
}

func equal(a, b [][2]int) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if a[i] != b[i] {
			return false
		}
	}
	return true
}

// pieces are what random expressions are made of.
var pieces = strings.Fields(`a b c ab k s K x é ſ \n . ^ $ \b \B \A \z \d \D \s \S \w \W \pL \PL \p{Lu} \p{^Ll} \p{Greek} (?i) (?s) (?m) (?U) (?-i) (?im-s) (?i: (?U: (?:
 ( ( ( ) ) ) | | * + ? *? +? ?? {2} {0} {1,} {0,2} {2,3}? {,2} {2 {01} {1001} {40} [ab] [^a] [a-c] [^\n] []a] [a-] [[:alpha:]] [[:^word:]] [\d-] [\w\s] [k] [^k] [kK] \x41 \x{e9} \101 \0 \1 \Qa*\E
 \Q\E \E \C \y \. \- \_ (?P<n> (?<n> (?= ] } { \pN [z-a] [[:x:]] [^\x00-\x{10FFFF}] \x{FFFD} \x{10FFFF} (|a) (a|b) (|a)* (a*)* (a|ab)(c|bcd) (?:a?)+ \p{Any} \P{Any} [\pL\d] [^\W] ` + "\xff")

var letters = []string{"a", "b", "c", "k", "K", "\u212a", "s", "S", "ſ", "é", "É", "\n", " ", "_", "1", "d", "A", "\xff", "\xc3", "\ufffd", "α", "Ω", "-", "*", "x", "."}

func random(r *rand.Rand, from []string, n int) string {
	var b strings.Builder
	for range r.IntN(n + 1) {
		b.WriteString(from[r.IntN(len(from))])
	}
	return b.String()
}

// sprout returns a valid expression, mostly.
func sprout(r *rand.Rand, depth int) string {
	atoms := []string{"a", "b", "c", "k", ".", "^", "$", `\b`, `\B`, `\w`, `\W`, "[ab]", "[^a]", "é", `\pL`, "", "(?i)k", "[k-s]", `\z`, `\A`, "(?m)^", "(?m)$", `\s`}
	if depth == 0 {
		return atoms[r.IntN(len(atoms))]
	}
	sub := func() string { return sprout(r, depth-1) }
	switch r.IntN(8) {
	case 0:
		return sub() + sub()
	case 1:
		return sub() + sub() + sub()
	case 2:
		return "(?:" + sub() + "|" + sub() + ")"
	case 3:
		return "(" + sub() + "|" + sub() + "|" + sub() + ")"
	case 4, 5:
		return "(?:" + sub() + ")" + []string{"*", "+", "?", "*?", "+?", "??", "{2}", "{0,2}", "{1,3}?", "{2,}", "{0}"}[r.IntN(11)]
	case 6:
		return []string{"(?i:", "(?U:", "(?s:", "("}[r.IntN(4)] + sub() + ")"
	}
	return atoms[r.IntN(len(atoms))]
}

// TestRandom tries as many expressions as RE2_RANDOM says.
func TestRandom(t *testing.T) {
	n, _ := strconv.Atoi(os.Getenv("RE2_RANDOM"))
	n = max(n, 20_000/slowdown)
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	r := rand.New(rand.NewPCG(seed, 0))
	valid := 0
	for i := range n {
		expression := random(r, pieces, 6)
		if i%2 == 0 {
			expression = sprout(r, 4)
		}
		if compare(t, expression, "", random(r, letters, 8), random(r, letters, 4), random(r, []string{"a", "b", "ab", "\n"}, 20)) {
			valid++
		}
	}
	t.Logf("%d of %d are valid", valid, n)
	require.Greater(t, valid, n/3)
}

func TestEveryCategory(t *testing.T) {
	var names []string
	for name := range unicode.Categories {
		names = append(names, name)
	}
	for name := range unicode.Scripts {
		names = append(names, name)
	}
	for name := range unicode.CategoryAliases {
		names = append(names, name, strings.ToUpper(name), strings.ReplaceAll(name, "_", " -"))
	}
	refused := 0
	for i, name := range append(names, "Any", "ASCII", "Assigned", "assigned", "", "^", "^Lu", "L_u", "\u212a", "Foo", "Old_Italic") {
		for _, expression := range []string{`\p{` + name + `}`, `\P{` + name + `}`, `(?i)\p{` + name + `}`, `(?i)\P{` + name + `}`, `(?i)[^\p{` + name + `}]`} {
			if i%slowdown != 0 {
				continue
			}
			re, err := Compile(expression)
			other, otherErr := regexp.Compile(expression)
			if err != nil {
				require.ErrorContains(t, err, "scripts are known only if they are common")
				require.NotContains(t, unicode.Categories, name)
				require.NotContains(t, unicode.CategoryAliases, name)
				refused++
				continue
			}
			require.NoError(t, otherErr, expression)
			require.True(t, other.ReplaceAllString(everything, "") == without(everything, re.FindAll(everything, -1)), expression)
		}
	}
	require.Less(t, refused, 5*170, "all but a few scripts are rare")
}

// everything is every character that has something to do with a category or with case, and every thousandth other.
var everything = func() string {
	var b strings.Builder
	for r := rune(0); r <= unicode.MaxRune; r++ {
		if r%1009 == 0 || unicode.SimpleFold(r) != r || r < 0x3000 {
			b.WriteRune(r)
		}
	}
	return b.String()
}()

func TestScripts(t *testing.T) {
	for _, name := range []string{"Latin", "latin", "Greek", "Cyrillic", "Han", "Hiragana", "Katakana", "Hangul", "Arabic", "Hebrew", "Thai", "Devanagari", "Common"} {
		require.True(t, compare(t, `\p{`+name+`}+`, "aαяа漢あアᄀعאกअ. é"))
	}
}

// without returns a text without some parts.
func without(text string, parts [][2]int) string {
	var b strings.Builder
	at := 0
	for _, m := range parts {
		b.WriteString(text[at:m[0]])
		at = m[1]
	}
	return b.String() + text[at:]
}

func TestEveryFold(t *testing.T) {
	for r := rune(0); r <= unicode.MaxRune; r++ {
		if unicode.SimpleFold(r) == r || r >= 0x250 && r%slowdown != 0 {
			continue
		}
		var all string
		for x := unicode.SimpleFold(r); x != r; x = unicode.SimpleFold(x) {
			all += string(x)
		}
		for _, expression := range []string{"(?i)" + string(r), "(?i)[" + string(r) + "]", "(?i)[" + string(r) + "-\U0010ffff]", "(?i)[^" + string(r) + "]"} {
			if r%16 == 0 || len(all) > 3 || r < 0x250 {
				compare(t, expression, all, all+"a"+string(r))
			}
		}
	}
}

func FuzzRegexp(f *testing.F) {
	for _, expression := range corners {
		f.Add(expression, "aab\nbßK_1 \xff\ufffdé")
	}
	for i := range uint64(200) {
		r := rand.New(rand.NewPCG(i, 1))
		f.Add(random(r, pieces, 6), random(r, letters, 10))
		f.Add(sprout(r, 4), random(r, letters, 10))
	}
	f.Fuzz(func(t *testing.T, expression, text string) {
		if n, err := Parse(expression); err == nil && n.size > 100_000 || len(text) > 10_000 || len(expression) > 10_000 {
			return // it takes too long
		}
		if len(expression) > 100 { // package regexp takes all memory for some that are refused here
			if _, err := Parse(expression); err != nil && err.(*Error).Kind == Limit {
				return
			}
		}
		compare(t, expression, text, "", text+text)
	})
}
