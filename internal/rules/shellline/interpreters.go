package shellline

import (
	"slices"
	"strings"
)

// interpreters run a program in another language, from an argument or from stdin. Rules do not see through scripts in
// files. The table is sorted by name. After an option missing here, a rule is in doubt if its words follow.
var interpreters = []program{
	{name: "R", short: "e:f:gq", texts: "e", idle: "f file", long: "args file: no-echo no-restore no-save quiet " +
		"silent slave vanilla"},
	{name: "Rscript", short: "e:", texts: "e", long: "default-packages: no-echo no-restore no-save vanilla verbose"},
	{name: "awk", inline: true, short: "f:F:v:", idle: "f"},
	{name: "bun", group: true, short: "e:p:b", texts: "e eval p print", long: "bun cwd: eval: hot print: silent watch"},
	{name: "bun run", texts: "-"},
	{name: "deno", group: true, short: "hqV", texts: "-"},
	{name: "deno eval", short: "pq", inline: true, long: "print quiet"},
	{name: "deno run", short: "AqW", texts: "-"},
	{name: "elixir", short: "e:r:S:", texts: "e eval rpc-eval", long: "eval: rpc-eval:"},
	{name: "emacs", short: "Qqnl:", texts: "eval", long: "batch eval: load: no-init-file script:"},
	{name: "ex", short: "c:esnSR", texts: "c cmd", long: "cmd:"},
	{name: "expect", short: "c:dinNvb", texts: "c"},
	{name: "gawk", as: "awk"},
	{name: "groovy", short: "e:", texts: "e"},
	{name: "guile", short: "c:l:s:", texts: "c"},
	{name: "ipython", as: "python"},
	{name: "irb", short: "r:I:", texts: "-"},
	{name: "julia", short: "e:E:p:t:L:J:Oiq", texts: "e E eval print", long: "banner: color: eval: print: " +
		"procs: project quiet startup-file: threads:"},
	{name: "lua", short: "e:l:ivEW", texts: "e"},
	{name: "luajit", short: "e:l:ivEj:O:b", texts: "e"},
	{name: "mawk", as: "awk"},
	{name: "nawk", as: "awk"},
	{name: "node", short: "e:p:r:ciC:v", texts: "e eval p print pe", idle: "v version", long: "conditions: " +
		"enable-source-maps env-file: eval: experimental-strip-types experimental-vm-modules import: inspect " +
		"loader: max-old-space-size: no-deprecation no-warnings print: require: test trace-warnings version watch"},
	{name: "nodejs", as: "node"},
	{name: "nvim", as: "ex"},
	{name: "osascript", short: "e:l:is:", texts: "e"},
	{name: "perl", short: "0123456789aC::cd::D::e:E:F::fghi::I:lm::M::npsStTuUvV::wWXx::", texts: "e E", idle: "v"},
	{name: "php", short: "c:d:f:r:B:R:E:F:S:t:z:aehilmnqsvw", texts: "r B R E", idle: "v i m l S f",
		long: "ini rf: rc: version"},
	{name: "pypy", as: "python"},
	{name: "python", short: "bBc:dEhiIm:OPqRsSuvVW:xX:?", texts: "c m", idle: "h V version help",
		long: "check-hash-based-pycs: help version"},
	{name: "pythonw", as: "python"},
	{name: "racket", short: "e:f:l:r:t:iInv", texts: "e eval", long: "eval: require: version"},
	{name: "ruby", short: "0123456789aC:cde:E:F::hi::I:K::lnpr:sST::UvwW::xyX:", texts: "e", idle: "v version",
		long: "disable: enable: encoding: version"},
	{name: "sbcl", texts: "eval", long: "eval: load: no-sysinit no-userinit non-interactive noinform script:"},
	{name: "tclsh", texts: "-"},
	{name: "ts-node", short: "e:p:r:P:T", texts: "e eval p print pe", long: "eval: print: project: require: " +
		"transpile-only"},
	{name: "tsx", as: "node"},
	{name: "vi", as: "ex"},
	{name: "vim", as: "ex"},
}

// interprets finds the program text in the arguments of an interpreter. The arguments after the text count too, because
// the program may run them.
func (p *program) interprets(args []Word) (l launches) {
	for len(args) > 0 {
		text := args[0].Text
		switch {
		case text == "-", IsStdin(text), text == "--" && len(args) == 1:
			return launches{wholeLine: true}
		case args[0].unsure() && !p.inline: // may be an option
			return launches{wholeLine: true}
		case len(text) > 1 && (text[0] == '-' || text[0] == '+') && text != "--":
		case p.group:
			return p.subprogram(args)
		case p.inline:
			return p.text(args)
		default:
			return launches{risks: risks{script: true}}
		}
		options, rest, ok := p.options(args)
		if !ok || slices.ContainsFunc(options, func(o option) bool { return InList(p.texts, o.name) }) {
			l = p.text(args)
			l.wholeLine = l.wholeLine || !ok // may read the program from stdin
			return l
		}
		for _, o := range options {
			switch {
			case o.value.Text == "-", IsStdin(o.value.Text):
				return launches{wholeLine: true}
			case InList(p.idle, o.name):
				return launches{}
			}
		}
		args = rest
	}
	return launches{wholeLine: true}
}

// text returns the words, which include a program text, as a hint. If the shell computes a part of the text, that part
// may be anywhere in the line.
func (p *program) text(words []Word) (l launches) {
	joined := JoinWords(words)
	if p.inline && p.name == "awk" && !strings.Contains(joined, "system") && !strings.Contains(joined, "|") {
		return launches{wholeLine: slices.ContainsFunc(words, IsComputed)}
	}
	return launches{
		hints:     []Hint{{Text: joined, Name: "the program text of " + p.name}},
		wholeLine: slices.ContainsFunc(words, IsComputed),
	}
}

// subprogram reads a subcommand of an interpreter. The subcommand may be a launcher.
func (p *program) subprogram(args []Word) launches {
	name := p.name + " " + args[0].Text
	sub, ok := lookUp(interpreters, name)
	if !ok {
		sub, ok = lookUp(launchers, name)
	}
	if !ok {
		return launches{}
	}
	return sub.runs(args[1:])
}
