package jsregexp

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// matches are patterns, each with texts it matches and texts it does not.
var matches = []struct {
	pattern string
	yes, no []string
}{
	{``, []string{"", "Bash"}, nil},
	{`Bash`, []string{"Bash", "BashOutput", "KillBash"}, []string{"bash", ""}},
	{`^Bash$`, []string{"Bash"}, []string{"BashOutput", "Bash\n"}},
	{`^Ba`, []string{"Bash"}, []string{"aBa"}},
	{`B.*`, []string{"Bash"}, nil},
	{`Bash.*`, []string{"Bash"}, nil},
	{`Bash()`, []string{"Bash"}, nil},
	{`.*`, []string{"Bash", ""}, nil},
	{`.`, []string{"Bash"}, []string{"", "\n", "\r\u2028\u2029"}},
	{`Ba[s]h`, []string{"Bash"}, nil},
	{`bash|.*`, []string{"Bash"}, nil},
	{`^(?!Edit).*$`, []string{"Bash"}, []string{"Edit", "EditMore"}},
	{`Bash\b`, []string{"Bash"}, []string{"Bashful"}},
	{`\w+`, []string{"Bash"}, []string{"", "-é"}},
	{`/Bash/`, nil, []string{"Bash"}},
	{`/bash/i`, nil, []string{"Bash"}},
	{`!Edit`, nil, []string{"Bash"}},
	{`Bash;Edit`, nil, []string{"Bash"}},
	{`Bash(echo *)`, nil, []string{"Bash"}},
	{`mcp__*`, []string{"mcp__brave-search__q", "mcp_"}, []string{"Bash"}},
	{`^(?:Edit|Write|NotebookEdit)$`, []string{"Edit", "NotebookEdit"}, []string{"MultiEdit"}},

	// Groups.
	{`^(a|ab)(c|bcd)(d*)$`, []string{"abcd"}, nil},
	{`^(?<x>a|b)$`, []string{"a", "b"}, []string{"ab"}},
	{`\k<x>`, []string{"k<x>"}, nil},
	{`^\8\9$`, []string{"89"}, nil},
	{`^\101\400\08$`, []string{"A 0\x008"}, nil},

	// Quantifiers.
	{`^a{2}$`, []string{"aa"}, []string{"a", "aaa"}},
	{`^a{2,}$`, []string{"aa", "aaaa"}, []string{"a"}},
	{`^a{1,2}$`, []string{"a", "aa"}, []string{"", "aaa"}},
	{`^a{0}$`, []string{""}, []string{"a"}},
	{`^a{,2}$`, []string{"a{,2}"}, []string{"a"}},
	{`^a{1$`, []string{"a{1"}, nil},
	{`^{a}]}$`, []string{"{a}]}"}, nil},
	{`^a{1}{$`, []string{"a{"}, nil},
	{`^(?:a*?)*$`, []string{"", "aaa"}, []string{"ab"}},
	{`^(?:|a){3}$`, []string{"", "aa", "aaa"}, []string{"aaaa"}},
	{`^a{0,99999999999}$`, []string{"", "aaaa"}, nil},
	{`a{2147483647}`, nil, []string{"aaaa"}},
	{`^(?=a)*b`, []string{"b"}, nil},
	{`^(?:(?=(a)))?b`, []string{"b"}, nil},

	// Lookaround.
	{`a(?=b)`, []string{"ab"}, []string{"ac", "a"}},
	{`(?<=a)b`, []string{"ab"}, []string{"b", "cb"}},
	{`(?<!a)b`, []string{"b", "cb"}, []string{"ab"}},
	{`(?<=^(\d+)(\d+))$`, []string{"1053"}, nil},
	{`(?<=a(?=b)b(?!d)\w)$`, []string{"abc"}, []string{"abd"}},

	// Escapes and classes.
	{`^\x41\u0042\cJ\t\v\f\r\n\0$`, []string{"AB\n\t\v\f\r\n\x00"}, nil},
	{`^\x4\u004\c1\A\Z\p\-\/\é$`, []string{"x4u004\\c1AZp-/é"}, nil},
	{`^\u{2}$`, []string{"uu"}, nil},
	{`^[\b\B\c_\cA\c1\x41\x4]+$`, []string{"\bB\x1f\x01\x11Ax4"}, []string{"c"}},
	{`^[\c]+$`, []string{`c\`}, nil},
	{`^[\d-z]+$`, []string{"1-z"}, []string{"a"}},
	{`^[a-\d]+$`, []string{"a-1"}, []string{"b"}},
	{`^[\w-]+$`, []string{"a-b_"}, []string{"a.b"}},
	{`^[a-zbd-e]+$`, []string{"xyz"}, []string{"-"}},
	{`^[-a]+$`, []string{"-a"}, nil},
	{`^[a^\]\12]+$`, []string{"a^]\n"}, nil},
	{`[]`, nil, []string{"", "a"}},
	{`^[^]$`, []string{"a", "\n"}, []string{"", "ab"}},
	{`^[^a-c]$`, []string{"d"}, []string{"b"}},
	{`^\s+$`, []string{" \t\n\v\f\r\u00a0\u1680\u2000\u200a\u2028\u2029\u202f\u205f\u3000\ufeff"},
		[]string{"\u180e", "\u200b", "\u0085"}},
	{`^[\S]$`, []string{"a"}, []string{"\ufeff"}},
	{`^[^\W]$`, []string{"a"}, []string{"é", "-"}},
	{`\Bb`, []string{"ab"}, []string{"b", "-b"}},
	{`é\b`, nil, []string{"é"}},
	{`\b`, []string{"a"}, []string{"é", ""}},

	// Units.
	{`^..$`, []string{"😀", "ab"}, []string{"é"}},
	{`^[😀]$`, nil, []string{"😀"}},
	{`^[😀]{2}$`, []string{"😀"}, nil},
	{`\ud83d`, []string{"😀"}, nil},
	{"^\ufffd$", []string{"\xff"}, nil},
	{`^\ud83d\ude00$`, []string{"😀"}, nil},
	{`^[\ud800-\udfff]{2}$`, []string{"😀", "𝒜"}, []string{"😀😀", "é"}},
	{`^[a-\uffff]+$`, []string{"a😀\uffff"}, []string{"A"}},
	{`^[^\ud83d]+$`, []string{"𝒜", "\uffff"}, []string{"😀"}},
	{`^[😀-\uffff]+$`, []string{"😀", "\ue000"}, []string{"\ud7ff"}},
	{`^\😀$`, []string{"😀"}, nil},
	{`^(?:😀|x)y$`, []string{"😀y", "xy"}, []string{"𝒜y"}},
	{`^(?<=😀)$|(?<=\ude00)a$`, []string{"😀a"}, []string{"a"}},

	// What other engines read in another way.
	{`BASH`, []string{"BASH"}, []string{"Bash", "bash"}},
	{`^[K]$`, []string{"K"}, []string{"k", "\u212a"}},
	{`^\d$`, []string{"7"}, []string{"٣", "７"}},
	{`^\w$`, []string{"s"}, []string{"ſ", "é", "\u212a"}},
	{`a$`, []string{"a"}, []string{"a\n"}},
	{`^b`, []string{"b"}, []string{"a\nb"}},
	{`a.b`, []string{"a\u0085b"}, []string{"a\nb", "a\rb", "a\u2028b", "a\u2029b"}},
	{`^\u{61}$`, []string{strings.Repeat("u", 61)}, []string{"a"}},
	{`^\p{Lu}$`, []string{"p{Lu}"}, []string{"A"}},
	{`^[\s-a]+$`, []string{" -a"}, []string{"b"}},
	{`^[a-\s]+$`, []string{"a- \ufeff"}, []string{"b"}},
	{`^[+--\S]+$`, []string{"+,-x"}, []string{" "}},
	{`^[\S]$`, []string{"\uf6ff"}, []string{"\ufeff", "\u2028"}},
	{`^\s$`, []string{"\ufeff"}, []string{"\uf6ff"}},
	{`\Qa\E`, []string{"QaE"}, []string{"a"}},
	{`\h\R\X\K\G`, []string{"hRXKG"}, nil},
	{`[[:alpha:]]`, []string{"a]"}, []string{"b"}},
	{`^[a&&b]$`, []string{"&"}, nil},
}

func TestMatch(t *testing.T) {
	for _, m := range matches {
		re, err := Compile(m.pattern)
		require.NoError(t, err, m.pattern)
		for i, text := range append(m.yes[:len(m.yes):len(m.yes)], m.no...) {
			got, err := re.Match(text)
			require.NoError(t, err, "%q on %q", m.pattern, text)
			require.Equal(t, i < len(m.yes), got, "%q on %q", m.pattern, text)
		}
	}
}

// invalid are patterns that JavaScript throws a SyntaxError for.
var invalid = []string{
	`a*+`, `a{2}+`, `(?|a)`, `(?'n'a)`, `(?P=n)`, `(?(1)a|b)`, `(?=a`, `(?<=a`, `(?<n>a`,
	`[`, `[a-`, `[\]`, `[^`, `(`, `(?:a`, `)`, `a|b)`, `(?i)bash`, `(?i:bash)`, `(?-i:a)`, `(?>a)`, `(?#a)`,
	`(?P<n>a)`, `(?`, `**`, `*`, `a++`, `a**`, `a???`, `{1}`, `a|{1,}`, `a{1}{2}`, `^*`, `$+`, `\b?`,
	`(?<=a)*`, `(?<!a){2}`, `a\`, `[\`, `a{2,1}`, `{2,1}`, `[z-a]`, `[a--]`, `[😀-a]`, `(?<`, `(?<a`,
}

// doubtful are patterns that the engine would read otherwise than JavaScript, some of which JavaScript refuses.
var doubtful = []string{
	`^(?<x>a|b)\k<x>$`, `^\k<x>(?<x>a)$`, `^\1(a)$`, `^(?:(a)|b)\1$`, `^(?:(?<x>a)|(?<x>b))$`,
	`^(?<\u0061\u{62}𝒜>a)$`, `^(?:(a)|(b)|(c))*\1\2\3$`, `^(z)((a+)?(b+)?(c))*\4$`, `^(?=((?:|a){7,8}))\1$`,
	`(?<=\1(a|b))c`, `(?<a>)(?<a>)`, `(?<>a)`, `(?<1>a)`, `(?<a b>c)`, `(?<\x61>c)`, `(?<😀>c)`, `(?<a>b)\k<c>`,
	`(?<a>b)\k`, `\k<a(?<a>b)`, `(?<a>b)[\k]`,
}

func TestDoubtful(t *testing.T) {
	for _, pattern := range doubtful {
		re, err := Compile(pattern)
		require.NoError(t, err, "%q", pattern)
		_, err = re.Match("a")
		require.ErrorIs(t, err, ErrTooHard, "%q", pattern)
		require.Error(t, re.Doubt(), "%q", pattern)
	}
}

func TestInvalid(t *testing.T) {
	for _, pattern := range invalid {
		_, err := Compile(pattern)
		require.Error(t, err, "%q", pattern)
		require.NotContains(t, err.Error(), "regexp", "%q", pattern)
	}
	for pattern, want := range map[string]string{
		"(?i)bash": "'(?' must be followed by ':', '=', '!', '<=', '<!' or a '<name>'",
		"[":        "unterminated [] set",
		"**":       "missing argument to repetition operator",
		"[z-a]":    "[z-a] range in reverse order",
	} {
		_, err := Compile(pattern)
		require.EqualError(t, err, want)
	}
}

// TestTooHard: what the engine would need long to compile counts as a match with the callers.
func TestTooHard(t *testing.T) {
	nested := func(n int) string { return strings.Repeat("(?:", n) + strings.Repeat(")", n) }
	for pattern, hard := range map[string]bool{
		nested(50): false, nested(51): true,
		strings.Repeat("()", 500): false, strings.Repeat("()", 501): true,
		"[" + strings.Repeat("a", 4095) + "]": false, "[" + strings.Repeat("a", 4096) + "]": true,
		strings.Repeat("a|", 32<<10): false, strings.Repeat("a|", 32<<10) + "a": true,
		strings.Repeat("(", 1000): true, // too hard to say that it is none
	} {
		re, err := Compile(pattern)
		if hard && err == nil {
			_, err = re.Match("a")
			require.ErrorIs(t, err, ErrTooHard, "%.20q", pattern)
			continue
		}
		require.NoError(t, err, "%.20q", pattern)
		_, err = re.Match("a")
		require.NoError(t, err, "%.20q", pattern)
	}
}

// names is a pattern that nests deep and has the same names in two places there.
func names() string {
	one := strings.Repeat("(?:", 990) + "%s" + strings.Repeat(")", 990)
	var groups strings.Builder
	for i := range 3000 {
		fmt.Fprintf(&groups, "(?<a%x>)", i)
	}
	one = fmt.Sprintf(one, groups.String())
	return "(?:" + one + "|" + one + ")"
}

// slow are pieces that, said often, are much work for Compile or for Match.
var slow = []string{
	"", "a", "a*", "(", "[", "[^]", "(?:", "(?=", "(a", "(?:a|", "|", ".*", "(a*)*", "(?:a?){9}", `\S`, `[\S\W]`, `\1`,
	`()\1`, `(?<=a*)`, "{1", `a{1,`, `(?<a`, `\u00`, "(?=a*)", "(?:a|a)*",
}

func slowPatterns(size int) []string {
	patterns := []string{
		names(),
		"[" + strings.Repeat(`\S`, size/2) + "]",
		"[" + strings.Repeat("zyxab", size/5) + "]",
		"(?:" + strings.Repeat("()", 32700) + "){99}",
		"(?:" + strings.Repeat("()", 32700) + "a?)*$^",
		"(?:(?:a*)*)*b", "((a*)*)*b", "(?:(?:(?:a|a)*)*)*b", `(?:(a*)\1*)*b`, `(.*)(.*)(.*)(.*)(.*)\1\2\3\4\5b`,
		`(?=(.*)).*\1b`,
		"(?:a?){99999}a{99999}", "(?:(?:(?:|a){9999}){9999}){9999}b", "(?:(?=(a*))a*)*b", "(?:(?!a*b)a*)*b",
		"(?:(?<=(a*))a?)*b",
		strings.Repeat("(?=", 990) + "a*" + strings.Repeat(")", 990) + "b",
		strings.Repeat("(?:", 990) + "a" + strings.Repeat(")*", 990) + "b",
		strings.Repeat("(", 990) + "a" + strings.Repeat(")*", 990) + "b",
		strings.Repeat("(?:(?=", 490) + "a*" + strings.Repeat(")a)*", 490) + "b",
		strings.Repeat("(?:|", 990) + strings.Repeat("(?<a>)|", size/10) + strings.Repeat(")", 990),
		classes(size) + "*b", "(?:" + classes(size) + "|a)*b",
	}
	for _, piece := range slow {
		if piece == "" {
			continue
		}
		patterns = append(patterns, strings.Repeat(piece, size/len(piece)))
		n := min(990, size/(len(piece)+1))
		patterns = append(patterns, strings.Repeat(piece, n)+strings.Repeat(")", n),
			strings.Repeat(piece, n)+strings.Repeat(")*", n)+"b")
	}
	return patterns
}

// classes is one class of as many spans as it can have.
func classes(size int) string {
	var b strings.Builder
	b.WriteByte('[')
	for r := rune(0x100); b.Len() < size; r += 2 {
		if r < 0xd800 || r > 0xdfff {
			b.WriteRune(r)
		}
	}
	b.WriteString("a]")
	return b.String()
}

// bound is what Compile and Match may take on any machine, ten times what they do take.
const bound = 5 * time.Second * slowdown

// quick returns how long f takes. It fails if that is longer than the bound each of five times: a machine that is busy
// is slow now and then, a pattern always.
func quick(t *testing.T, f func()) time.Duration {
	t.Helper()
	var took time.Duration
	for range 5 {
		began := time.Now()
		f()
		if took = time.Since(began); took < bound {
			return took
		}
	}
	t.Fatalf("takes %s", took)
	return 0
}

// TestTime holds the bounds of time on patterns that are made to break them. The log has the figures.
func TestTime(t *testing.T) {
	texts := []string{"", "mcp__brave-search__q", strings.Repeat("a", 40), strings.Repeat("a", 5000),
		strings.Repeat("a", 300_000)}
	var slowestCompile, slowestMatch time.Duration
	var hard int
	for _, pattern := range slowPatterns(64 << 10) {
		var re *Regexp
		var err error
		took := quick(t, func() { re, err = Compile(pattern) })
		if took > slowestCompile {
			slowestCompile = took
			t.Logf("%s to compile %.60q", took, pattern)
		}
		if err != nil {
			continue
		}
		for _, text := range texts {
			took := quick(t, func() { _, err = re.Match(text) })
			if took > slowestMatch {
				slowestMatch = took
				t.Logf("%s for %.60q on %.60q", took, pattern, text)
			}
			if err != nil {
				require.ErrorIs(t, err, ErrTooHard)
				hard++
			}
		}
	}
	t.Logf("slowest Compile %s, slowest Match %s, too hard %d", slowestCompile, slowestMatch, hard)
	require.NotZero(t, hard)
}
