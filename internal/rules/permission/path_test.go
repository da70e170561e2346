package permission

import (
	"bufio"
	"encoding/json"
	"os"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode"

	"github.com/stretchr/testify/require"

	"github.com/hookrun/hookrun/internal/testsupport/testall"
)

// TestMatchPathRecorded holds matchPath against what Claude Code 2.1.329 did.
func TestMatchPathRecorded(t *testing.T) {
	f, err := os.Open("../../../conformance/claude/if-path.jsonl")
	require.NoError(t, err)
	t.Cleanup(func() { f.Close() })
	fill := strings.NewReplacer("<WORKSPACE>", "/ws", "<HOME>", "/home/u")

	pairs := 0
	lines := bufio.NewScanner(f)
	for lines.Scan() {
		var c struct {
			ID    string `json:"id"`
			Stdin struct {
				Cwd       string `json:"cwd"`
				ToolName  string `json:"tool_name"`
				ToolInput struct {
					FilePath string `json:"file_path"`
				} `json:"tool_input"`
			} `json:"stdin"`
			Expect struct {
				Matched    []string `json:"matched"`
				NotMatched []string `json:"not_matched"`
			} `json:"expect"`
		}
		require.NoError(t, json.Unmarshal(lines.Bytes(), &c))
		for _, rule := range slices.Concat(c.Expect.Matched, c.Expect.NotMatched) {
			tool, rest, _ := strings.Cut(rule, "(")
			pattern := strings.TrimSuffix(rest, ")")
			if tool != c.Stdin.ToolName || pattern == "" {
				continue // not a matter of files
			}
			pairs++
			want := slices.Contains(c.Expect.Matched, rule)
			got := matchPath(fill.Replace(pattern), fill.Replace(c.Stdin.ToolInput.FilePath),
				fill.Replace(c.Stdin.Cwd), fill.Replace(c.Stdin.Cwd), "/home/u")
			require.Equal(t, want, got, "%s: %s", c.ID, rule)
		}
	}
	require.NoError(t, lines.Err())
	require.NotZero(t, pairs)
	t.Logf("%d pairs of a pattern and a file", pairs)
}

func TestMatchPathPlaces(t *testing.T) {
	for _, c := range []struct{ files, match, others string }{
		// In the current directory, in folders of it, with another case.
		{"/ws/src/a.ts src/a.ts ./src/a.ts sub/../src/a.ts /tmp/../ws/src//a.ts /ws/SRC/A.TS",
			"src/** /src/** ./src/** **/src/** /**/src/** src src/ /src /src/ *.ts **/*.ts src/*.ts a.ts ./a.ts * ** " +
				"*/ */* */a.ts /** //** ./** //ws/src/** ///ws/src/** //ws //WS/** //ws/src/a.ts //**/a.ts S?C /*/A.ts",
			"/a.ts ../** sub/** src/a.ts/** //src/** //a.ts //ws/a.ts /ws/src/** ~/** ~/src/** .* *.js src/{a,b}.ts " +
				"!src/** !a.ts #src file_path:src/** $HOME/** /*.ts src/./a.ts src/../src/a.ts . .. / // ~/ ./"},
		{"/ws/lib/src/a.ts",
			"src src/ **/src/** *.ts a.ts **/a.ts lib lib/** lib/src/* lib/**/a.ts **/lib/**/src/**/a.ts",
			"src/** /src ./src/** src/* src/a.ts"},
		{"/ws/.env",
			".env *.env .* **/.env /.env ./.env .e* ?env **/.*",
			"env .env/ **/.env/** src/** .env.*"},
		{"/ws/..a/b", "..a/** ..* b", "../** a/**"},
		// Outside: only with `//`, `~/`, or a star at the start.
		{"/tmp/out/src/a.ts ../tmp/out/src/a.ts",
			"*.ts * ** */** **/a.ts **/src/** *out *.TS //tmp/** //tmp //**/src/** //**/*.ts //tmp/*/src",
			"a.ts src src/ src/** /src/** ./src/** ./** ./*.ts /** ?.ts [a].ts out tmp ../** ../tmp/** /tmp/** ~/** " +
				"*.js //*.ts"},
		{"/home/u/x.ts ~/x.ts  ~/x.ts ~/y/../x.ts",
			"~/** ~/x.ts ~/*.ts *.ts **/x.ts //home/u/** //home/**",
			"x.ts /home/u/** ~/a.ts ~/x.ts/** /** ~x.ts ~"},
		{"/home/u/.ssh/config ~/.ssh/config",
			"~/.ssh/** ~/.ssh **/.ssh/** ~/**/config ~/.SSH/",
			".ssh/** .ssh ~/config ~/x.ts"},
		{"/wsx/a.ts", "*.ts", "a.ts ./** /**"},
		{"/WS/src/a.ts", "*.ts //ws/**", "src/** /**"},
		// The directories themselves and the root.
		{"/ws . /ws/ ws/../../ws", "* ** *s //ws //**", "./** /** ws"},
		{"/ ../..", "* **", "//** // / ./** *.ts"},
		{"~", "** *u //home/u //home/*", "~/** ~/../** ~"},
	} {
		for _, file := range strings.Fields(c.files) {
			if strings.HasPrefix(file, "/WS/") && folded("WS") == "ws" {
				continue // it is /ws on this system
			}
			for _, pattern := range strings.Fields(c.match) {
				require.True(t, matchPath(pattern, file, "/ws", "/ws", "/home/u"), "%s on %s", pattern, file)
			}
			for _, pattern := range strings.Fields(c.others) {
				require.False(t, matchPath(pattern, file, "/ws", "/ws", "/home/u"), "%s on %s", pattern, file)
			}
		}
	}
}

func TestMatchPathEdges(t *testing.T) {
	for _, pattern := range []string{"", "*", "**", "//**", "/**", "src"} {
		require.False(t, matchPath(pattern, "", "/ws", "/ws", "/home/u"), "no file: %q", pattern)
		require.False(t, matchPath(pattern, "src/\x00", "/ws", "/ws", "/home/u"), "NUL: %q", pattern)
	}
	require.False(t, matchPath("", "/ws/a", "/ws", "/ws", "/home/u"))

	// The tools trim a path before they open it.
	require.True(t, matchPath("/.env", " .env\n", "/ws", "/ws", "/home/u"))
	require.True(t, matchPath("**", " ", "/ws", "/ws", "/home/u"))

	// Without a home `~` is a name like others.
	require.False(t, matchPath("~/**", "/x", "/ws", "/ws", ""))
	require.False(t, matchPath("~/**", "~/x", "/ws", "/ws", ""))
	require.True(t, matchPath("x", "~/x", "/ws", "/ws", ""))

	// Directories need not be clean.
	require.True(t, matchPath("src/**", "src/a", "/ws/./x/../", "/ws/./x/../", "/home/u/"))
	require.True(t, matchPath("~/src/**", "~/src/a", "/ws", "/ws", "/home/u/"))
	require.True(t, matchPath("src/**", "src/a", "/", "/", "/"))
	require.True(t, matchPath("src/**", "/src/a", "/", "/", "/"))
}

func TestGitignored(t *testing.T) {
	for _, c := range []struct {
		pattern       string
		match, others []string
	}{
		// A pattern that matches a folder matches all in it.
		{"a", []string{"a", "A", "a/b", "x/a", "x/a/y"}, []string{"ab", "x/ab"}},
		{"a/", []string{"a/b", "x/a/y"}, []string{"a", "x/a"}},
		{"/a", []string{"a", "a/b"}, []string{"x/a"}},
		{"a/b", []string{"a/b", "a/b/c"}, []string{"x/a/b", "a/x/b"}},
		{"a/b/", []string{"a/b/c"}, []string{"a/b", "x/a/b/c"}},

		{"*", []string{"a", "a/b"}, nil},
		{"*/", []string{"a/b"}, []string{"a"}},
		{"a*", []string{"a", "ab", "x/ab/c"}, []string{"ba"}},
		{"*a*b*", []string{"ab", "xaxbx", "x/aab"}, []string{"ba", "a/b"}},
		{"a*a", []string{"aa", "aba"}, []string{"a"}},
		{"a/*", []string{"a/b", "a/b/c"}, []string{"a", "x/a/b"}},
		{"a/*/c", []string{"a/b/c"}, []string{"a/c", "a/b/b/c"}},
		{"?", []string{"a", "é", "bb/c"}, []string{"bb", "bb/cc", "😀"}},
		{"??", []string{"😀"}, nil},

		{"**", []string{"a", "a/b"}, nil},
		{"**/", []string{"a/b"}, []string{"a"}},
		{"**/a", []string{"a", "x/y/a/b"}, []string{"xa"}},
		{"/**/a", []string{"a", "x/y/a/b"}, []string{"xa"}},
		{"a/**", []string{"a/b", "a/b/c"}, []string{"a", "x/a/b"}},
		{"a/**/", []string{"a/b/c"}, []string{"a", "a/b"}},
		{"a/**/b", []string{"a/b", "a/x/y/b/c"}, []string{"b", "a/xb", "x/a/b"}},
		{"**/a/**/b/**", []string{"a/b/c", "x/a/x/b/x"}, []string{"a/b", "b/a/c"}},
		{"**/a/b/c", []string{"a/a/b/a/b/c"}, []string{"a/b/b/c"}},
		{"a/***/b", []string{"a/b", "a/x/y/b"}, nil},
		{"a**/b", []string{"a/b", "ax/b"}, []string{"a/x/b"}},
		{`\**/b`, []string{"*/b", "*x/b"}, []string{"b", "x/b"}},
		{"a//b", nil, []string{"a/b"}},
		{"a//", nil, []string{"a", "a/b"}},
		{"**//a", nil, []string{"a", "b/a"}},

		{"[ab]c", []string{"ac", "BC"}, []string{"cc", "c"}},
		{"[!ab]", []string{"c"}, []string{"a", "B"}},
		{"[^ab]", []string{"c"}, []string{"a", "B"}},
		{"[a-c]", []string{"b", "B"}, []string{"d", "-"}},
		{"[c-a]", []string{"c"}, []string{"a", "b", "-"}},
		{"[a-]", []string{"a", "-"}, []string{"b"}},
		{"[a-c-e]", []string{"a", "b", "-", "e"}, []string{"d"}},
		{"[]a]", []string{"]", "a"}, []string{"b", "[]a]"}},
		{"[!]a]", []string{"b"}, []string{"]", "a"}},
		{`[\]a]`, []string{"]", "a"}, []string{`\`}},
		{`[a\-c]`, []string{"a", "-", "c"}, []string{"b"}},
		{`[\a-\c]`, []string{"b"}, []string{`\`, "-"}},
		{"[[:digit:]x]", []string{"1", "x"}, []string{"a", ":"}},
		{"[[:upper:]]", []string{"a", "A"}, []string{"1"}},
		{"[[:d]", []string{"[", ":", "d"}, []string{"1"}},
		{"[*?]", []string{"*", "?"}, []string{"a"}},
		{"a[/]b", nil, []string{"a/b", "ab"}},
		{"[", nil, []string{"[", "a"}},
		{"[]", nil, []string{"[]", "a"}},
		{"a/[b", nil, []string{"a/b", "a/[b"}},
		{"[[:nope:]]", nil, []string{"n", ":"}},
		{`[a\`, nil, []string{"a", `\`}},
		{`[a-\`, nil, []string{"a"}},

		{`\*`, []string{"*"}, []string{"a"}},
		{`\?`, []string{"?"}, []string{"a"}},
		{`\[a]`, []string{"[a]"}, []string{"a"}},
		{`a\\b`, []string{`a\b`}, []string{"ab"}},
		{`\d`, []string{"d"}, []string{"1", `\d`}},
		{`a\/b`, []string{"a/b"}, []string{"x/a/b"}},
		{`a\`, nil, []string{"a", `a\`}},
		{`a\\`, []string{`a\`}, nil},
		{`a\/`, nil, []string{"a", "a/b"}},

		{"a  ", []string{"a"}, []string{"a  "}},
		{"a\t\r\n", []string{"a"}, nil},
		{`a\ `, []string{"a "}, []string{"a"}},
		{`a\  `, []string{"a "}, []string{"a"}},
		{`a\\ `, []string{`a\`}, nil},
		{"a b", []string{"a b"}, nil},
		{" a", []string{" a"}, []string{"a"}},
		{"  ", nil, []string{"a", "  "}},

		{"#a", nil, []string{"a", "#a"}},
		{`\#a`, []string{"#a"}, nil},
		{"!a", nil, []string{"a", "!a", "b"}},
		{`\!a`, []string{"!a"}, nil},

		{"a.b", []string{"a.b"}, []string{"axb"}},
		{"{a,b}", []string{"{a,b}"}, []string{"a"}},
		{"a+(b)|$^", []string{"a+(b)|$^"}, nil},

		{"ÄÖ", []string{"äö"}, []string{"ao"}},
		{"Σ", []string{"σ", "ς"}, nil},
		{"[α-ω]", []string{"Σ"}, nil},
		{"k", []string{"K"}, []string{"\u212a"}}, // the Kelvin sign
		{"[k]", []string{"K"}, []string{"\u212a"}},
	} {
		for _, file := range c.match {
			require.True(t, gitignored(c.pattern, file), "%q on %q", c.pattern, file)
		}
		for _, file := range append(c.others, "") {
			require.False(t, gitignored(c.pattern, file), "%q on %q", c.pattern, file)
		}
	}
}

// TestCase holds each unit of UTF-16 against those that differ from it by case alone, as JavaScript's regular
// expressions have it: they compare upper case, but no character of ASCII equals one that is not.
func TestCase(t *testing.T) {
	upper := func(c rune) rune {
		if u := unicode.ToUpper(c); c < 0x80 || u >= 0x80 && u <= 0xffff {
			return u
		}
		return c
	}
	compared := 0
	for c := range rune(0x10000) {
		for d := unicode.SimpleFold(c); d != c; d = unicode.SimpleFold(d) {
			if d > 0xffff {
				continue
			}
			compared++
			same := upper(c) == upper(d)
			require.Equal(t, same, gitignored(string(c), string(d)), "%q on %q", c, d)
			require.Equal(t, same, gitignored("["+string(c)+"]", string(d)), "[%q] on %q", c, d)
		}
	}
	require.Greater(t, compared, 2000)
}

// hostile are patterns and files that are slow for a matcher that goes back, nearly as long as are matched at all.
func hostile() map[string][2]string {
	const most = 4000
	fill := func(s string) string { return strings.Repeat(s, most/len(s)) }
	half := func(s string) string { return strings.Repeat(s, most/2/len(s)) }
	var chars strings.Builder // as many different ones as fit
	for c := rune(0x4e00); chars.Len()+3 <= most; c++ {
		chars.WriteRune(c)
	}
	return map[string][2]string{
		"any depth":           {fill("**/"), fill("a/")},
		"any depth, name":     {fill("**/a/") + "b", fill("a/")},
		"any depth, star":     {fill("**/*a/") + "b", fill("a/")},
		"stars":               {fill("*a"), fill("a")},
		"stars, end":          {fill("*a") + "b", fill("a")},
		"stars, few":          {fill("a*a*a*a*a*a*a*b"), fill("a")},
		"stars only":          {fill("*") + "b", fill("a")},
		"long name":           {"*" + half("a") + "b", fill("a")},
		"long name, any":      {"*?" + half("a") + "b*", fill("a")},
		"long name, many any": {"*" + half("a?") + "b*", fill("a")},
		"long name, classes":  {"*" + half("[a]") + "b*", fill("a")},
		"long name, middle":   {"*?" + half("a")[:most/4] + "b" + half("a")[:most/4] + "*", fill("a")},
		"long name, blocks":   {fill("*" + strings.Repeat("a", 200) + "b"), fill(strings.Repeat("a", 201) + "b")},
		"long run":            {"**/" + half("a/") + "b", fill("a/")},
		"long run, stars":     {"**/" + half("*a*/") + "b", fill("a/")},
		"long run, any":       {"**/" + half("?/") + "b", fill("a/")},
		"wide class":          {"*[" + chars.String() + "]b*", fill("a")},
		"wide class, chars":   {"*[" + chars.String() + "]b*", chars.String()},
		"many chars":          {"*" + chars.String()[:most/3*3/2/3*3] + "b*", chars.String()},
		"slashes":             {fill("/"), fill("/")},
		"backslashes":         {fill(`\`), fill("a")},
		"brackets":            {fill("["), fill("[")},
		"open classes":        {fill("[[:"), fill("a")},
		"dots":                {"**/a", fill("../")},
	}
}

func TestMatchPathHostile(t *testing.T) {
	testall.Only(t, "each pattern is as long as one may be, and is tried at four places")
	for name, c := range hostile() {
		t.Run(name, func(t *testing.T) {
			start := time.Now()
			for _, place := range []string{"", "/", "//", "**/"} {
				matchPath(place+c[0], c[1], "/ws", "/ws", "/home/u")
			}
			took := time.Since(start) / 4
			t.Log(took)
			require.Less(t, took, slowdown*time.Second) // a few milliseconds, but for a busy machine
		})
	}
}

func FuzzPath(f *testing.F) {
	for _, pattern := range []string{"src/**", "//etc/**", "~/.ssh/**", "*.ts", "**/a/**/b", "[!a-c]?", `\*a\ `,
		"a*b*c/", "!x", "[[:alpha:]"} {
		for _, file := range []string{"/ws/src/a.ts", "a/b", "../x", "~/.ssh/id", "a//./b/", "é", ""} {
			f.Add(pattern, file)
		}
	}
	f.Fuzz(func(t *testing.T, pattern, file string) {
		if len(pattern) > 64<<10 || len(file) > 64<<10 {
			return
		}
		start := time.Now()
		got := matchPath(pattern, file, "/ws", "/ws", "/home/u")
		require.Less(t, time.Since(start), 30*time.Second)

		if file == "" || strings.ContainsRune(file, 0) {
			require.False(t, got)
			return
		}
		require.True(t, matchPath("**", file, "/ws", "/ws", "/home/u"))
	})
}
