package yaml

// corpus is what was ever read in two ways, and what the rules of YAML are made of.
var corpus = []string{
	"hooks:\n  PreToolUse:\n  - handler: m.f\n    fail_closed: true # Deny\n", "a: &x {b: [c, 'd', \"e\"]}\nf: {<<: *x, b: 1}\n", "a: |\n  x\n\n   y\nb: >-\n z\n", "? a\n: b\n",
	"--- # x\na: !!str 1\n...\n", "- - a\n  - {b: c}\n-\n  d: e\n", "a: &x [1]\nb: [*x, *x]\n", "<<: [{a: 1}, {a: 2, b: 3}]\n", "1: a\n\"1\": b\n", "a: 1\n---\nb: 2\n",
	"agents:\n- id: a\n  backend: {hooks: {PostToolUse: {override: true, hooks: [handler: m.f]}}}\n", "&x a: b\n*x : c\n", "a: &x {b: &x 1}\nc: *x\n",
	// lists and mappings
	"- - - x\n", "- - - x\n    - y\n  - z\n- w\n", "a: - b\n", "a:\n- b\n- c\nd: e\n", "a:\n  b:\n  - c\n  -\n  - d: e\n    f: g\n", "- a: b\n  c: d\n-   e: f\n    g: h\n", "- a: b\n c: d\n",
	"a: b: c\n", "a:\n    b: c\n  d: e\n", "a:\n  b: c\n d: e\n", "-\n- a\n-\n", "-a\n", "- -a\n", "- -\n  - a\n", "a:\n\n\n  b:\n\n\n    c\n", "  a: b\n  c: d\n", "  a: b\nc: d\n", "a:\nb:\nc: d\n",
	"a: b\n- c\n", "- a\nb: c\n", "a:\n- b\n c: d\n", "a:\n  - b\n  c: d\n", "- a\n - b\n", "a\n b: c\n", "a\nb: c\n", "a :b\n", "a : b\n", "a:b\n", "a:\tb\n", "a: \t b\n", "-\ta\n", "- \ta\n", "\ta: b\n",
	"a: b\n\t\nc: d\n", "a: b\t# c\n", "a: b #c\n", "a: b#c\n", "a: #c\n  b\n", "a: # c\n- b\n", "#a\n #b\na: b\n    #c\n#d\n", "a:\n \tb: c\n",
	// plain texts
	"a: b\n  c\n\n  d\n", "a: b\n  - c\n", "a: b\n  c: d\n", "a: b\n  # c\n  d\n", "a: b # c\n  d\n", "a:\n  b\n  c\n", "a:\n b\nc\n", "- a\n  b\n-   c\n d\n", "a: -b\n", "a: -\n", "a: ?b\n", "a: :b\n", "a: ::\n", "a: ?\n",
	"a: b:\n", "a: http://b.c/?d=e&f#g\n", "a: C:\\b\\c\n", "a: b, c\n", "a: b]}\n", "a: %b\n", "a: @b\n", "a: `b\n", "a: |b\n", "a: !b\n", "a: &b\n", "a: *b\n", "a: \"b\" c\n", "a: 'x' y\n", "a: 😀\n", "a b c: d\n",
	"---a: b\n", "--- a: b\n", "--- a\n", "--- - a\n", "--- |\n x\n", "--- >\n x\n y\n", "--- {a: b}\n", "--- &x\na: b\n", "--- !!map\na: b\n", "---\n---\n", "a: b\n...\n# c\n", "a: b\n... c\n", "...\na: b\n",
	"%YAML 1.1\n---\na: b\n", "%TAG ! x\n---\na: b\n", "a\n---", "a: b\n--- c\n", "a: ---\n", "a:\n  ---\n", "a:\n---\n",
	// quoted texts
	"a: 'it''s'\n", "a: ''''\n", "a: ''\n", "a: \"\"\n", "a: \"b\n  c\"\n", "a: \"b\nc\"\n", "a: 'b\n\n\n  c '\n", "a: \" b \n  c \"\n", "a: \"b\\\n  c\"\n", "a: \"b \\\n\n  c\"\n",
	`a: "b\n\t\x41\u00e9\U0001F600\/\_\N\L\P\0\e\ "`, `a: "\'"`, `a: "\q"`, `a: "\ud83d\ude00"`, `a: "\x4"`, "\"a\": b\n", "\"a\" : b\n", "\"a\":b\n", "'a\n b': c\n", `"a\"": b`, "'a'': b': c\n", "'a: b': c\n",
	"\"a: b\n", "a: 'b\n---\n'\n", "a: \"b\n... \"\n", "a: 'b'#c\n", "a: 'b' #c\n", "a: \"b\t\n\tc\"\n", "- 'a': b\n  \"c\": d\n", "a: '\n\n'\n", "a: \"\\\n\"\n", `a: 'b\'`,
	// texts of lines
	"a: |\n  b\n   c\n  d\n", "a: >\n  b\n   c\n  d\n\n  e\n", "a: >\n\n  b\n\n\n  c\n\n   d\n\n  e\n", "a: >\n  b\n  \tc\n  d\n", "a: |+\n  b\n\n\nc: d\n", "a: |-\n  b\n\n\nc: d\n", "a: >+\n  b\n\n\n",
	"a: |2\n   b\n  c\n", "a: |1-\n  b\n", "a: |-1\n  b\n", "a: |0\n b\n", "a: |10\n b\n", "a: | # c\n  b\n", "a: |# c\n  b\n", "a: |\n\n\n", "a: |+\n\n\n", "a: |\n", "a: |", "a: |\nb: c\n", "a: |\n    \n  b\n",
	"a: |\n   \nb: c\n", "a: |\n  b\n c\n", "a: |\n  b\n # c\nd: e\n", "- |\n a\n- >\n  b\n", "- |\na\n", "a:\n- |\n b\n- c\n", "a: |\n  b\n  ", "a: |\n  b\n   ", "a: |+\n  b\n   ", "a: |\n\tb\n", "a: |\n  b\n\t\n",
	"|\n a\n", ">\n a\n b\n", "|\na\n", "a: &x |\n  b\nc: *x\n", "a: !!str |\n  b\n", "a: >\n  b\r\n  c\r\n", "a: |\r  b\r  c\r", "a: |2\n\n   b\n", "a: |\n  # b\n", "a: |\n  ---\n", "- - |\n   a\n  - b\n",
	// brackets
	"[a, b,]\n", "[a,,b]\n", "[,a]\n", "[]\n", "{}\n", "[[], {}]\n", "{a: b, ? c, d}\n", "{a: b, c, d}\n", "[a, b: c]\n", "[a, b: c, d: [e: f]]\n", "[\"a\":b]\n", "{\"a\":b}\n", "{a:b}\n", "{a:}\n", "{a: }\n", "{a:, b: c}\n",
	"[a:]\n", "[a: ]\n", "[: a]\n", "{: a}\n", "[a]: b\n", "{a: b}: c\n", "[[a]: b]\n", "[a\n b]\n", "[a\n b: c]\n", "{a\n: b}\n", "{a:\n b}\n", "{\"a\"\n:b}\n", "[a #b\n, c]\n", "[a#b\n]\n", "[a, #b\n c]\n", "[a,#b\n c]\n",
	"[ # a\n b # c\n] # d\n", "a: [\nb\n]\n", "a: [b\n---\n]\n", "[---]\n", "[-]\n", "[- a]\n", "[-a]\n", "[a-]\n", "[?a]\n", "[a?b]\n", "[http://a.b/?c]\n", "[http://a.b/c, d]\n", "[a]b\n", "[a] b\n", "[a] # b\n", "[a]# b\n",
	"[a}\n", "{a: [b}\n", "[a\n", "{a: b\n", "[a b]\n", "['a' b]\n", "{a: b: c}\n", "{a: 'b' : c}\n", "[|\n a]\n", "[\ta\t,\tb\t]\n", "[\n\ta]\n", "{a: b,\n c: d,\n}\n", "{<<: {a: 1}, b: 2}\n", "[<<: {a: 1}]\n", "[a: b: c]\n",
	"{a, b}\n", "{'a', \"b\"}\n", "{a: {b: {c: d}}}\n", "[a\n\n b,\n c]\n", "{ a : b , c : d }\n", "[::a]\n", "{a::b}\n",
	// anchors, aliases, tags
	"*a : b\n", "&a : b\n", "&a b: c\n", "- &x a: b\n", "- &x\n  a: b\n- *x\n", "&x - a\n", "&x\n- a\n", "a: &x\n- b\n", "a: &x\nb: *x\n", "a: &x b\nc: *x\nd: [*x, *x ]\n", "a: &x b\n*x : c\n", "a: &x b\n*x: c\n", "[&x a, *x]\n",
	"[&x a,*x]\n", "{&x a: b, c: *x}\n", "{&x a: b, *x : c}\n", "[&x , a]\n", "[&x]\n", "&x\n&y a: b\n", "&x &y a\n", "a: &x *y\n", "a: &x\n  b: *x\n", "!!str : a\n", "!!str a: b\n", "a: !!str\n", "a: !!str\nb: c\n", "a: !!int 5\n",
	"a: !!int '5'\n", "a: !!float 1\n", "a: !!float 017\n", "a: !!null x\n", "a: !!map\n  b: c\n", "a: !!seq\n- b\n", "a: !!seq {}\n", "a: !t {b: c}\n", "a: ! b\n", "a: ! 1\n", "a: ! '1'\n", "a: ! |\n  1\n", "a: !<tag:yaml.org,2002:str> b\n", "a: !e!b c\n",
	"a: !!str &x b\n", "a: &x !!str b\n", "a: !!binary aGk=\n", "a: !!set {b, c}\n", "[!!str, a]\n", "[!!str , a]\n", "<<: {a: 1}\n<<: {a: 2}\n", "a: <<\n", "'<<': {a: 1}\n", "!!str <<: {a: 1}\n", "&x <<: {a: 1}\n", "a: &x <<\n*x : {b: 1}\n",
	// words and line ends
	"[1, -1, +1, 0x1e, 1_000, .5, 1.5e+3, 017, 0b11, 08, 0o17, 1e3, 1., +.5, -0, 0.0, 1__0, _1, 0x, 0b2, 0b-1, 99999999999999999999, 1e999, .e1, -.5e-3]\n", "[.inf, -.INF, .NaN, inf, nan, +.Inf]\n",
	"[true, True, tRue, yes, No, on, OFF, y, n]\n", "[~, null, NULL, nULL, Null]\n", "[1:30, 190:20:30, 2001-01-01, 2001-12-14 21:59:43.10 -5]\n", "\ufeffa: b\n", "\ufeff\n  a: b\n", "a: b\r\nc: d\r\n", "a: b\rc: d\r",
	"a: b\n\rc: d", "a: \"b\r\n\r\n c\"\r\n", "a: b\r\n  c\r\n\r\n  d\r\n", "# a\r\nb: c", "a: b\u0085c: d\n", "a: # \u2028b: c\n", "\u00a0a: b\n", "a:\u00a0b\n", "a: b\u00a0\n", "",
}
