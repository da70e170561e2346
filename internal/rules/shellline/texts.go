package shellline

import (
	"cmp"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/tidwall/gjson"

	"github.com/hookrun/hookrun/internal/lib/lazy"
	"github.com/hookrun/hookrun/internal/rules/programs"
)

// Texts that are known to be shell lines are read as lines: values of options and settings, input of a program that
// runs lines, and files that the line has written before.

// texts returns the lines that a command runs in a way of its own.
func (r *Unwrapped) texts(c Command, name string) (all []launch) {
	args := c.Words[1:]
	add := func(lines ...string) {
		for _, line := range lines {
			if strings.ContainsAny(line, " \t\n;{<") { // a single word is a hint, or nothing to read
				all = append(all, launch{line: substituted.Get().Replace(line), by: name})
			}
		}
	}
	if !c.Row.Is(programs.Runs) || c.Row.Is(programs.OptionsUnknown) {
		for _, v := range c.Row.Values(c.Row.List("line"), args) {
			add(strings.TrimPrefix(v.Text, "exec="))
		}
	}
	switch cmp.Or(c.Row.Name, name) {
	case "git":
		r.git(c, add)
	case "make":
		r.make(c, add)
	case "cmake":
		if len(args) > 1 && args[0].Text == "-E" {
			all = append(all, launch{words: args[1:], by: name})
		}
	case "sed":
		add(sedLines(c)...)
	case "ex", "view":
		add(exLines(args)...)
	case "env":
		add(splitLines(args)...)
	case "su", "runuser":
		all = append(all, ownShell(name, args)...)
	case "crontab":
		for line := range strings.Lines(r.input(c)) {
			add(cronTime.Get().ReplaceAllString(line, ""))
		}
	case "at", "batch":
		if c.Script == "" {
			add(r.input(c))
		}
	case "parallel":
		if command, rest, _ := parallelArguments(c.Row, args); len(rest) == 0 {
			for line := range strings.Lines(r.input(c)) {
				add(parallelLine(command, Word{Text: strings.TrimSpace(line)}))
			}
		}
	case "npm", "pnpm", "yarn", "bun":
		add(r.packageScripts(args)...)
	}
	return append(all, r.scripts(c, name)...)
}

// exLines returns the lines that ex and vim run because of their options.
func exLines(args []Word) (lines []string) {
	for i, w := range args {
		text, isCommand := strings.CutPrefix(w.Text, "+")
		if isCommand || i > 0 && InList("-c --cmd", args[i-1].Text) {
			if m := exLine.Get().FindStringSubmatch(text); m != nil {
				lines = append(lines, m[1])
			}
		}
	}
	return lines
}

// splitLines returns the line of which env makes words, if the words have quotes.
func splitLines(args []Word) (lines []string) {
	for i, w := range args {
		if v, ok := optionValue(args, i, "-S", "--split-string"); ok && strings.ContainsAny(v, `'"\`) {
			rest := args[i+1:]
			if InList("-S --split-string", w.Text) {
				rest = rest[1:]
			}
			lines = append(lines, v+" "+joinSources(rest))
		}
	}
	return lines
}

// ownShell returns the command of a program that takes a shell from an option and the shell's arguments behind --.
func ownShell(name string, args []Word) (all []launch) {
	end := slices.IndexFunc(args, func(w Word) bool { return w.Text == "--" })
	for i := range max(end, 0) {
		if shell, ok := optionValue(args, i, "-s", "--shell"); ok {
			all = append(all, launch{words: append([]Word{{Text: shell}}, args[end+1:]...), by: name})
		}
	}
	return all
}

// packageScripts returns the scripts of a package that the line writes.
func (f *files) packageScripts(args []Word) (lines []string) {
	gjson.Get(f.written["package.json"], "scripts").ForEach(func(_, script gjson.Result) bool {
		lines = append(lines, script.Str)
		return true
	})
	for _, w := range args {
		if _, script, ok := strings.Cut(w.Text, "="); ok && strings.HasPrefix(w.Text, "scripts.") {
			lines = append(lines, script)
		}
	}
	return lines
}

// joinSources returns words as they are written.
func joinSources(words []Word) string {
	sources := make([]string, len(words))
	for i, w := range words {
		if sources[i] = w.Source; w.Source == "" {
			sources[i] = quoted(w.Text)
		}
	}
	return strings.Join(sources, " ")
}

// optionValue returns the value of an option in the i-th argument.
func optionValue(args []Word, i int, short, long string) (value string, ok bool) {
	text := args[i].Text
	if (text == short || text == long) && i+1 < len(args) {
		return args[i+1].Text, true
	}
	if value, ok = strings.CutPrefix(text, long+"="); ok {
		return value, true
	}
	value, ok = strings.CutPrefix(text, short)
	return value, ok && value != ""
}

var (
	// exLine matches a command of ex that runs a line.
	exLine = lazy.Regexp{Text: `^[:\s]*(?:sil(?:ent)?!?\s+|exe(?:cute)?\s+["'])?[:\s]*` +
		`(?:[%.$0-9,]*|r|read|w|write|te(?:rm(?:inal)?)?)\s*!\s*((?:.|\n)*)`}
	// cronTime matches the time before a line of crontab.
	cronTime = lazy.Regexp{Text: `^\s*(?:@\w+|(?:\S+\s+){4}\S+)\s`}
	// sedLine matches the command e of sed with a line, sedReplaced the command s with the flag e.
	sedLine     = lazy.Regexp{Text: `(?m)(?:^|[;{}])\s*(?:[0-9$,!~ ]*|/[^/\n]*/[ !]*)e\s*([^;}\s][^\n]*)$`}
	sedReplaced = lazy.Regexp{Text: `s([/|,#@!:%])[^\n]*?[^\\\n]?([/|,#@!:%])([^\n]*)([/|,#@!:%])[gpiImM0-9]*e`}
)

// sedLines returns the lines that the script of sed runs.
func sedLines(c Command) (lines []string) {
	for _, w := range c.Words[1:] {
		for _, m := range sedLine.Get().FindAllStringSubmatch(w.Text, -1) {
			lines = append(lines, m[1])
		}
		for _, m := range sedReplaced.Get().FindAllStringSubmatch(w.Text, -1) {
			lines = append(lines, m[3])
		}
	}
	return lines
}

// git adds the lines that git runs: of its settings, of aliases and of options and operands of its commands.
func (r *Unwrapped) git(c Command, add func(...string)) {
	args := c.Words[1:]
	for len(args) > 0 && isFlag(args[0]) {
		options, rest, ok := c.Row.Options(args)
		if !ok || len(rest) == 0 {
			return
		}
		for _, o := range options {
			if o.Name == "c" {
				name, value, _ := strings.Cut(o.Value.Text, "=")
				r.gitSetting(name, value, add)
			}
		}
		args = rest
	}
	if len(args) == 0 {
		return
	}
	sub, rest := args[0].Text, args[1:]
	if line := r.aliases[sub]; line != "" {
		add(line + " " + joinSources(rest))
	}
	row, _ := programs.Find("git " + sub)
	for _, v := range row.Values(row.List("line"), rest) {
		add(v.Text)
	}
	switch operands := row.Operands(rest); {
	case sub == "config":
		for i, w := range operands {
			if i+1 < len(operands) && strings.Contains(w.Text, ".") {
				r.gitSetting(w.Text, operands[i+1].Text, add)
				break
			}
		}
	case sub == "bisect" && len(rest) > 1 && rest[0].Text == "run":
		add(joinSources(rest[1:]))
	case sub == "submodule":
		i := slices.IndexFunc(rest, func(w Word) bool { return w.Text == "foreach" }) + 1
		for i > 0 && i < len(rest) && isFlag(rest[i]) {
			i++
		}
		if i > 0 {
			add(JoinWords(rest[i:]))
		}
	}
}

// gitSetting adds the line in the value of a setting, and remembers an alias.
func (r *Unwrapped) gitSetting(name, value string, add func(...string)) {
	name = strings.ToLower(name)
	line, isLine := strings.CutPrefix(value, "!")
	last := name[strings.LastIndexByte(name, '.')+1:]
	switch alias, isAlias := strings.CutPrefix(name, "alias."); {
	case isAlias:
		if !isLine {
			line = "git " + value
		}
		if r.aliases == nil {
			r.aliases = map[string]string{}
		}
		r.aliases[alias] = line
		add(line)
	case isLine, strings.HasPrefix(name, "pager."), InList(gitLines, last):
		add(line)
	}
}

const gitLines = "pager sshcommand editor external textconv command fsmonitor clean smudge process driver cmd " +
	"program " +
	"difffilter askpass packobjectshook"

// make adds the lines of make's rules, and of values of variables, which name programs.
func (r *Unwrapped) make(c Command, add func(...string)) {
	args := c.Words[1:]
	isNamed := false
	for i, w := range args {
		name, value, isSet := strings.Cut(w.Text, "=")
		eval, isEval := optionValue(args, i, "--eval", "--eval")
		file, isFile := optionValue(args, i, "-f", "--file")
		switch {
		case isEval:
			add(makeLines(eval)...)
		case isFile:
			isNamed = true
			if file == "-" || IsStdin(file) {
				add(makeLines(r.input(c))...)
				add(makeLines(r.substituted(c))...)
			}
			add(makeLines(r.written[path.Base(file)])...)
		case isSet && IsName(name) && !strings.HasPrefix(value, "$"):
			add(value)
		}
	}
	if !isNamed {
		for _, file := range []string{"GNUmakefile", "makefile", "Makefile"} {
			add(makeLines(r.written[file])...)
		}
	}
}

// makeLines returns the lines of the recipes in a makefile, and of the function shell.
func makeLines(text string) (lines []string) {
	for line := range strings.SplitSeq(strings.ReplaceAll(text, "\\\n", " "), "\n") {
		for _, part := range strings.Split(line, "$(shell ")[1:] {
			lines = append(lines, strings.TrimSuffix(part, ")"))
		}
		recipe, isRecipe := strings.CutPrefix(line, "\t")
		if !isRecipe {
			_, recipe, _ = strings.Cut(line, ":")
			_, recipe, isRecipe = strings.Cut(recipe, ";")
		}
		if isRecipe {
			recipe = strings.TrimLeft(recipe, "@-+ \t")
			lines = append(lines, makeText.Get().Replace(recipe))
		}
	}
	return lines
}

// makeText makes variables of make variables of the shell.
var makeText = lazy.Value[*strings.Replacer]{Make: func() *strings.Replacer {
	return strings.NewReplacer("$$", "$", "$(", "${", "$@", "${_}", "$<", "${_}", "$^", "${_}", "$*", "${_}")
}}

// parallelArguments splits the arguments of parallel to a command and what follows from a ::: on. ok means that all
// options are known.
func parallelArguments(row programs.Program, args []Word) (command, rest []Word, ok bool) {
	ok = true
	for len(args) > 0 && isFlag(args[0]) && args[0].Text != "--" {
		_, next, isKnown := row.Options(args)
		if !isKnown {
			ok, next = false, args[1:]
		}
		args = next
	}
	end := slices.IndexFunc(args, isParallelMark)
	if end < 0 {
		end = len(args)
	}
	return args[:end], args[end:], ok
}

func isParallelMark(w Word) bool { return strings.HasPrefix(w.Text, ":::") || w.Text == "--" }

// parallelLaunches reads the arguments of parallel: a command, and behind ::: its arguments or else lines. The
// contents of files are not known.
func parallelLaunches(row programs.Program, args []Word) (l launches) {
	command, rest, ok := parallelArguments(row, args)
	l.wholeLine, l.shell = !ok, len(command)+len(rest) == 0
	unknown := Word{Text: "$_", Computed: true}
	if len(rest) == 0 && len(command) > 0 {
		rest = []Word{unknown}
	}
	const most = 64
	all := [][]Word{nil} // the arguments of each line: one of each list behind a mark
	for len(rest) > 0 {
		isNamed := strings.HasPrefix(rest[0].Text, "::::")
		if isParallelMark(rest[0]) {
			rest = rest[1:]
		}
		end := slices.IndexFunc(rest, isParallelMark)
		if end < 0 {
			end = len(rest)
		}
		list := rest[:end]
		if rest = rest[end:]; isNamed {
			list = []Word{unknown}
		}
		var longer [][]Word
		for _, w := range list {
			for _, words := range all {
				longer = append(longer, append(slices.Clip(words), w))
			}
			if len(longer) > most {
				l.wholeLine = true
				break
			}
		}
		all = longer
	}
	for _, words := range all {
		if len(words) > 0 {
			l.list = append(l.list, launch{line: parallelLine(command, words...), by: row.Name})
		}
	}
	return l
}

// parallelLine returns the line that parallel runs for its arguments.
func parallelLine(command []Word, args ...Word) string {
	text := substituted.Get().Replace(JoinWords(command))
	values := make([]string, len(args))
	for i, w := range args {
		if values[i] = quoted(w.Text); w.Computed || text == "" {
			values[i] = substituted.Get().Replace(w.Text)
		}
	}
	line := text
	for i, v := range values {
		line = strings.ReplaceAll(line, "{"+strconv.Itoa(i+1)+"}", v)
	}
	line = strings.ReplaceAll(line, "{}", strings.Join(values, " "))
	if line == text {
		line = strings.TrimSpace(text + " " + strings.Join(values, " "))
	}
	return line
}
