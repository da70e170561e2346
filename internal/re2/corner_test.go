package re2

import (
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// corners are expressions in which engines differ.
var corners = []string{
	"", "a", "^", "$", "^$", "(?m)^$", "a*", "a*?", "(a*)*", "(a*)+", "(|a)*", "(|a)+", "(a|)+", "(|a){2}", "(?:a??)*", "(?:|a)??", "(a|ab)(c|bcd)(d*)", "a|ab", "ab|a", "(?:a*?)+?b",
	"x*", "(?:x*)*?", "(?U)a*", "(?U)a*?", "(?U:a+)a", "a**", "a*+", "a{2}{3}", "a*(?i)*", `a*\Q\E*`, "(?:a*)*", "*", "|*", "(*", "(?i)*", "^*", "$+", `\b*`, "(?:)*", "()*", `\Q\E*`, `\Qab\E*`, `\Qab`, `\Q\`, `ab\Q\E*`, "(?:ab)*", "(?:ab)c*", `(?:ab)\Q\E*`, "ab(?i)*c",
	"a{0}", "a{0,0}b", "a{1}", "a{,2}", "a{2,}", "a{2,1}", "a{01}", "a{1", "a{", "{", "{1}", "a{1001}", "a{1000}", "a{1000,}", "a{0,1001}", "a{99999999999999999999}", "(a{10}){101}", "(a{100}){10}", "((a{10}){0}){1000}", "((a{1000})*){2}", "((a{1000})*){1}", "((a{1000}){0,}){2}", "(a{1000}){1}",
	"[a]", "[]a]", "[]", "[^]", "[^]a]", "[a-]", "[-a]", "[a-b-c]", "[z-a]", "[a", "[", "[^", `[\`, `[\d-z]`, `[a-\d]`, "[[:alpha:]]", "[[:^alpha:]]", "[[:Alpha:]]", "[[:foo:]]", "[[:alpha:]", "[[:a]b:]", "[[:]", "[[:^:]]", "[[::]]", "[:alpha:]", `[\b]`, `[\A]`, `[\Q]`, "[[a]]", `[\pL]`, `[^\PL]`, `[\n]`, `[^\x00-\x{10FFFF}]`, `a|[^\x00-\x{10FFFF}]`, `[^\x00-\x{10FFFF}]*`, `[^\x00-\x{10FFFF}]+|b`,
	`\`, `\1`, `\8`, `\12`, `\0`, `\08`, `\777`, `\400`, `\x`, `\x4`, `\x41`, `\x{}`, `\x{41`, `\x{110000}`, `\x{10FFFF}`, `\x{D800}`, `\x{FFFD}`, `\x{00000000041}`, `\xé1`, `\é`, `\y`, `\_`, `\C`, `\E`, `\Z`, `\z`, `\A`, `\B`, `\pN`, `\p`, `\p{`, `\p{}`, `\p{^}`, `\p^`, `\pé`, `\PN`, `\p{Lu}`, `\p{^Lu}`, `\P{^Lu}`, `\p{lu}`, `\p{Uppercase_Letter}`, `\p{any}`, `\p{Foo}`,
	"(", ")", "(a", "a)", "(?", "(?)", "(?:", "(?:)", "(?i", "(?i)", "(?-i)a", "(?-)", "(?i-)", "(?i-m)a", "(?--i)", "(?i-i)a", "(?x)", "(?=a)", "(?!a)", "(?<=a)", "(?<!a)", "(?P<n>a)", "(?<n>a)", "(?<n>a)(?<n>b)", "(?P<>a)", "(?P<é>a)", "(?P<n", "(?P=n)", "(?P>n)", "(?<1>a)", "(?#a)", "(?>a)", "(?P<n>)", "(?<n",
	"(?i)k", "(?i)[k]", "(?i)[^k]", "(?i)s", "(?i)ß", `(?i)\w`, `(?i)\W`, "(?i)[[:lower:]]", "(?i)[[:^lower:]]", "[Kk]", "[kK\u212a]", `(?i)\p{Lu}`, `(?i)\P{Lu}`, "(?i)a(?-i)b", "(?i:a)b", "((?i)a)b", "a|(?i)b", "a|b|(?i)c|d", "a|b|.", "(?s).", "(?s)a|.|b", "(?:a|b)|c", "é|\xff", "\xff", "[\xff]", `\Q` + "\xff", "\ufffd", ".", "[^a]", `\x{80}-\x{ff}`,
	`\b`, `\B`, `\ba`, `a\b`, `(?m)$.^`, `(?m)^a|b$`, `a$b`, `a^b`, `\Aa`, `(?:\Aa|b)`, `(?:^)*a`, `(?:$|a)+`, `(?:\b|a)+`, "a\nb", "(?s)a.b", "foo|foobar", "foobar|foo", "(foo|foobaz)x?", "((((a))))b", "a.*b|a", "(a+)(b+)?", "(?:a|b)*?c",
}

func TestCorners(t *testing.T) {
	texts := []string{"", "a", "aab", "b", "aaa", "abcd", "kK\u212asSſßẞ", "a\nb\n", "\xff", "\ufffd", "é\xffé", "foobarbaz foobaz", "_a1 b", "{1}a{,2}", strings.Repeat("a", 1001), "\x00\x08\xe9\u0100"}
	for _, expression := range corners {
		compare(t, expression, texts...)
	}
	compare(t, strings.Repeat("(", 998)+"a"+strings.Repeat(")", 998), "a")
	compare(t, strings.Repeat("(", 999)+"a"+strings.Repeat(")", 999), "a")
	compare(t, strings.Repeat("(", 1000)+"a"+strings.Repeat(")", 1000), "a")
	compare(t, strings.Repeat("(?:", 100_000)+"a"+strings.Repeat(")", 100_000), "a")
	compare(t, strings.Repeat("(?:b|", 999)+"a"+strings.Repeat(")", 999), "a")
	compare(t, strings.Repeat("(?:b", 1200)+"a"+strings.Repeat(")", 1200), "a")
	compare(t, strings.Repeat("(?:b*", 998)+"a"+strings.Repeat(")*", 998), "a")
	compare(t, strings.Repeat("(?:b*", 1001)+"a"+strings.Repeat(")*", 1001), "a")
	compare(t, "(?:"+strings.Repeat("(xx?)", 800)+"){1000}", "a")
	compare(t, strings.Repeat(`\pL`, 27_000), "a")
	compare(t, "((a{100}){10}){10}", "a")
}

func TestErrors(t *testing.T) {
	for expression, want := range map[string]struct {
		kind Kind
		text string
	}{
		"a(b":      {Syntax, `a ( that is never closed: "(b" at character 2`},
		"é)":       {Syntax, `a ) without a (: ")" at character 2`},
		"x[a":      {Syntax, `a [ that is never closed: "[a" at character 2`},
		"[b-a]":    {Syntax, `the range is out of order: "b-a" at character 2`},
		"a|*":      {Syntax, `there is nothing to repeat: "*" at character 3`},
		"aa*+":     {Limit, `a repetition of a repetition; put (?:…) around the inner one: "*+" at character 3`},
		"a{2,1}":   {Limit, `the counts are out of order: "{2,1}" at character 2`},
		"a{1001}":  {Limit, `a count is at most 1000: "{1001}" at character 2`},
		`a\y`:      {Escape, `there is no such escape: "\\y" at character 2`},
		`(a)\1`:    {Escape, `there are no references to groups: "\\1" at character 4`},
		`a\`:       {Syntax, `a \ at the end; write \\ for the character itself: "\\" at character 2`},
		"(?=a)":    {Group, `there is no look-around: "(?=" at character 1`},
		"(?<!a)":   {Group, `there is no look-around: "(?<!" at character 1`},
		"(?x) a":   {Group, `there is no such group; there are (?:…), (?<name>…) and the flags i, m, s and U, as (?i): "(?x" at character 1`},
		`\p{Foo}`:  {Limit, `there is no such category of characters, and scripts are known only if they are common: "\\p{Foo}" at character 1`},
		"[[:foo:]": {Syntax, `there is no class of this name: "[:foo:]" at character 2`},
		"a\xff":    {Syntax, `it is not UTF-8: "\xff" at character 2`},
	} {
		_, err := Compile(expression)
		require.EqualError(t, err, want.text, expression)
		require.Equal(t, want.kind, err.(*Error).Kind, expression)
	}
}

func TestRequired(t *testing.T) {
	for expression, want := range map[string]string{
		"abc": "abc", "a.bcd": "bcd", "(foo)+": "foo", "(?i)abc": "", "a*": "", "(ab){2,3}c": "ab", "foobar|foobaz": "fooba", "é|è": "", "a|ab": "a", "x\ufffdyz": "yz", "[a]b": "ab", "(?:abc)?d": "d",
	} {
		re, err := Compile(expression)
		require.NoError(t, err)
		require.Equal(t, want, re.Required(), expression)
	}
}

func TestQuoteMeta(t *testing.T) {
	for _, text := range []string{"", "/a/b.c", `C:\x`, "a+b(c)[d]{e}^$|?*", "é\n"} {
		require.Equal(t, regexp.QuoteMeta(text), QuoteMeta(text))
	}
}

// TestEvil has expressions for which engines that go back take time without end, or memory.
func TestEvil(t *testing.T) {
	text := strings.Repeat("a", 2<<20/slowdown)
	for _, expression := range []string{"(a*)*b", "(x+x+)+y", "(a+a+)+y", ".*.*.*=", "(a|aa)+$b", "(a?){20}a{20}b", "(?:.*a){10}b"} {
		re, err := Compile(expression)
		require.NoError(t, err)
		began := time.Now()
		require.False(t, re.Match(text), expression)
		require.Less(t, time.Since(began), time.Minute, expression)
	}
	for _, expression := range []string{"(a{1000}){1000}", "(?:" + strings.Repeat("a", 100_000) + "){1000}"} {
		_, err := Compile(expression)
		require.Error(t, err)
	}
}
