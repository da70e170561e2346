package trust

import (
	"cmp"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/hookrun/hookrun/internal/core/dialect"
	"github.com/hookrun/hookrun/internal/core/hookfile"
	"github.com/hookrun/hookrun/internal/core/launch"
	"github.com/hookrun/hookrun/internal/lib/lazy"
	"github.com/hookrun/hookrun/internal/lib/spelling"
	"github.com/hookrun/hookrun/internal/rules/shellline"
)

// line adds the files in a shell's command line. A line that cannot be parsed is split at blanks.
func (c *commandLine) line(text string) {
	line := shellline.Split(text)
	if line.Unreadable != "" || c.hook.Process().PowerShell {
		if c.words(text); line.Unreadable != "" {
			c.doubt("the line cannot be read: %s", line.Unreadable)
		} else {
			c.doubt("it is a line of PowerShell")
		}
		return
	}
	for _, construct := range line.Unusual {
		c.doubt("it has %s", construct)
	}
	if shellline.OverLimit(line.Opaque.Why) {
		c.doubt("%s", line.Opaque.Why)
	}
	outer, steps := c.unknown, stepsOf(&line, nil)
	c.unknown = maps.Clone(outer)
	c.variablesOf(steps)
	c.setsGlobs = c.setsGlobs || strings.Contains(text, "shopt") || strings.Contains(text, "setopt")
	c.run(steps)
	c.unknown = outer
}

// step is a command of a line, assignments alone, or the begin of a loop.
type step struct {
	at      int
	command *shellline.Command
	loop    *shellline.Block
	marks   mark // of the blocks around
}

// mark says how a command stands in a text.
type mark uint8

const (
	within  mark = 1 << iota // a block, perhaps without one of the other marks
	maybe                    // runs only in some cases
	decides                  // the text uses the output or the exit code
	stops                    // the text ends if the command fails
	tried                    // another program can take its place, or it takes another's
	marks   = iota
)

// stepsOf returns the steps of a line in the order of the text. marked has further marks of the blocks, or is nil.
func stepsOf(line *shellline.Line, marked []mark) (steps []step) {
	for _, list := range [][]shellline.Command{line.Commands, line.Alone} {
		for i := range list {
			steps = append(steps, step{at: list[i].At, command: &list[i]})
		}
	}
	for i := range line.Blocks {
		if b := &line.Blocks[i]; b.Kind == shellline.Loop {
			steps = append(steps, step{at: b.At, loop: b})
		}
	}
	slices.SortStableFunc(steps, func(a, b step) int { return cmp.Compare(a.at, b.at) })
	order := make([]int, len(line.Blocks))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int { return cmp.Compare(line.Blocks[a].At, line.Blocks[b].At) })
	var ends [marks]int // of the blocks so far, by mark
	for i := range steps {
		s := &steps[i]
		for len(order) > 0 && line.Blocks[order[0]].At <= s.at {
			has := within
			if marked != nil {
				has |= marked[order[0]]
			}
			for bit := range ends {
				if has&(1<<bit) != 0 {
					ends[bit] = max(ends[bit], line.Blocks[order[0]].End)
				}
			}
			order = order[1:]
		}
		for bit, end := range ends {
			if s.at < end {
				s.marks |= 1 << bit
			}
		}
	}
	return steps
}

func (c *commandLine) run(steps []step) {
	for len(steps) > 0 {
		s, body := steps[0], 0
		if steps = steps[1:]; s.loop == nil {
			c.step(s.command)
			continue
		}
		for body < len(steps) && steps[body].at < s.loop.End {
			body++
		}
		c.loop(s.loop, steps[:body])
		steps = steps[body:]
	}
}

// step adds the files of one command of the line.
func (c *commandLine) step(command *shellline.Command) {
	c.redirects(command)
	words, sets := wordsOf(command)
	for _, w := range sets {
		if name, value := c.assignment(w); name != "" {
			c.assign(name, value)
		}
	}
	switch {
	case len(words) == 0:
	case words[0].Text == "[[":
		for i := 1; i+2 < len(words); i++ {
			if strings.HasPrefix(words[i].Text, "-") {
				if why := c.unclearTest([]word{words[i], c.word(words[i+1])}); why != "" {
					c.doubt("%s", why)
				}
			}
		}
	default:
		c.addCommand(c.matched(words), "")
	}
}

// wordsOf returns the words of a command and the assignments before them or by export and the like. A command of these
// and of the grammar, such as time, has no words.
func wordsOf(command *shellline.Command) (words, sets []word) {
	if command.ProjectOnly {
		return nil, nil
	}
	words, sets = command.Words, command.Env
	for len(words) > 0 && words[0].Source == "" { // behind time, an assignment is a word
		for words = words[1:]; len(words) > 0 && isAssignment(words[0]); words = words[1:] {
			sets = append(slices.Clip(sets), words[0])
		}
	}
	if len(words) > 0 && shellline.InList("declare export local nameref readonly typeset", words[0].Text) {
		words, sets = nil, words[1:]
	}
	return words, sets
}

func isAssignment(w word) bool {
	name, _ := assigned(w)
	return name != ""
}

// assigned returns the variable that a word sets, or "", and the source of the value.
func assigned(w word) (name, value string) {
	name, value, is := strings.Cut(w.Source, "=")
	if !is || !shellline.IsName(strings.TrimSuffix(name, "+")) {
		return "", ""
	}
	return name, value
}

// variablesOf marks a variable as unknown unless the line sets it once and in any case, at the start or after other
// commands. For other variables only the shell knows the value.
func (c *commandLine) variablesOf(steps []step) {
	times := map[string]int{} // assignments, twice for those that may not run
	for _, s := range steps {
		if s.loop != nil {
			times[s.loop.Text] += 2
			continue
		}
		words, sets := wordsOf(s.command)
		for _, w := range words[min(1, len(words)):] { // read, printf -v, getopts
			if shellline.IsName(w.Source) {
				times[w.Source] += 2
			}
		}
		for _, w := range sets {
			name, _ := assigned(w)
			name = strings.TrimSuffix(name, "+")
			if times[name]++; len(sets) > 1 || len(words) > 0 || s.marks != 0 {
				times[name]++
			}
		}
	}
	for name, n := range times {
		if n != 1 {
			if c.unknown == nil {
				c.unknown = map[string]bool{}
			}
			c.unknown[name] = true
		}
	}
}

// assignment returns a variable that the line sets, or "".
func (c *commandLine) assignment(w word) (name string, value word) {
	name, source := assigned(w)
	if source != "" {
		value = c.word(word{Source: source})
	}
	name, isMore := strings.CutSuffix(name, "+")
	value.Computed = value.Computed || isMore
	return name, value
}

// redirects notes the stdin of a command, and adds the files on stdin.
func (c *commandLine) redirects(command *shellline.Command) {
	c.input, c.inputFile = nil, false
	for _, f := range command.Files {
		if f.Writes && !f.Both {
			continue
		}
		w := c.word(f.File)
		if hasGlob(shellline.Parts(f.File.Source)) || f.Number != "" && f.Number != "0" {
			c.doubt("the file %s is known only when it runs", written(w))
		}
		c.file(w.Text)
		c.inputFile = c.inputFile || !f.Around && !w.Computed
	}
	if command.Input != nil {
		w := c.word(*command.Input)
		c.input = &w
	}
}

// loop adds the files in the body of a loop, for each word of the loop.
func (c *commandLine) loop(loop *shellline.Block, body []step) {
	const most = 64
	items, name := c.matched(loop.Words), loop.Text
	c.loops++
	defer func() { c.loops-- }()
	switch {
	case name == "": // while, or a loop that is not known
		c.run(body)
		return
	case c.loops > 1 || len(items) == 0 || len(items) > most || slices.ContainsFunc(items, shellline.IsComputed):
		for _, item := range items {
			c.file(item.Text)
		}
		c.set[name] = word{Computed: true}
		c.run(body)
		return
	}
	wasUnknown, value := c.unknown[name], launch.Variable(c.env, name)
	delete(c.unknown, name)
	for _, item := range items {
		outer := c.env
		c.env = append(slices.Clip(c.env), name+"="+item.Text)
		c.set[name] = item
		c.run(body)
		c.env = outer
	}
	if wasUnknown {
		c.unknown[name] = true
	}
	c.set[name] = word{Text: value, Computed: true}
}

// matched returns the words of a command as the shell expands them. Files that match replace a glob.
func (c *commandLine) matched(args []word) (words []word) {
	for _, arg := range args {
		w, parts := c.word(arg), shellline.Parts(arg.Source)
		if w.Computed || !hasGlob(parts) {
			words = append(words, w)
			continue
		}
		if text := w.Text; strings.ContainsAny(text, `[\`) || strings.ContainsAny(filepath.Dir(text), "*?") ||
			c.setsGlobs || strings.HasSuffix(text, "/") || hasUnquoted(parts, `\`) {
			c.doubt("the glob %s is not known", spelling.Quote(text))
		}
		matched := false
		for _, dir := range c.folders {
			found, _ := filepath.Glob(c.in(dir, w.Text))
			if c.globbed += len(found); c.globbed > maxListed {
				c.doubt("its globs match more than %d files", maxListed)
				return words
			}
			for _, file := range found {
				if strings.HasPrefix(filepath.Base(file), ".") && !strings.HasPrefix(filepath.Base(w.Text), ".") {
					continue
				}
				words, matched = append(words, word{Text: file}), true
			}
		}
		if !matched {
			words = append(words, w)
		}
	}
	return words
}

// word returns a word of the line as the shell expands it.
func (c *commandLine) word(w word) word {
	if w.Source == "" {
		return w
	}
	parts := shellline.Parts(w.Source)
	text, known := c.value(parts)
	if known {
		return word{Text: text, Computed: c.splits(parts)}
	}
	return word{Text: text, Computed: true, Source: w.Source}
}

// value returns the text of a word with variables expanded. A command substitution at the start counts as the
// workspace, as with $(git rev-parse --show-toplevel).
func (c *commandLine) value(parts []shellline.Part) (text string, known bool) {
	var b strings.Builder
	known = len(parts) > 0
	for _, p := range parts {
		more, isKnown := p.Text, true
		switch p.Kind {
		case shellline.Variable:
			more, isKnown = c.expansion(p)
		case shellline.Substitution:
			if isKnown = b.Len() == 0; isKnown {
				more, isKnown = c.printed(p.Text)
				b.WriteString(more)
				known = known && isKnown
				continue
			}
			more = ""
		case shellline.Unclear:
			more, isKnown = "", false
		}
		if b.WriteString(more); !isKnown {
			known = false
			break
		}
	}
	return c.home(parts, b.String(), known)
}

// hasGlob reports whether a word has a pattern for names of files.
func hasGlob(parts []shellline.Part) bool {
	return hasUnquoted(parts, "*?[") && !(len(parts) == 1 && parts[0].Source == "[")
}

func hasUnquoted(parts []shellline.Part, characters string) bool {
	return slices.ContainsFunc(parts, func(p shellline.Part) bool {
		return p.Kind == shellline.Literal && !p.Quoted && strings.ContainsAny(p.Source, characters)
	})
}

// splits reports whether an unquoted variable of the word has a blank, at which a shell splits the word, or a pattern.
func (c *commandLine) splits(parts []shellline.Part) bool {
	return slices.ContainsFunc(parts, func(p shellline.Part) bool {
		if p.Kind != shellline.Variable || p.Quoted {
			return false
		}
		_, is := c.set["IFS"]
		return is || strings.ContainsAny(launch.Variable(c.env, p.Text), " \t\n*?[")
	})
}

// home expands a ~ at the start of a word.
func (c *commandLine) home(parts []shellline.Part, text string, known bool) (string, bool) {
	if len(parts) == 0 || parts[0].Quoted || !strings.HasPrefix(parts[0].Source, "~") {
		return text, known
	}
	rest := strings.TrimPrefix(text, "~")
	if rest != "" && rest[0] != '/' {
		return text, false
	}
	return launch.Variable(c.env, "HOME") + rest, known
}

// perCall are variables of hookrun that differ from call to call.
var perCall = []string{"HOOKRUN_EVENT", "HOOKRUN_TOOL"}

// expansion returns the value of a variable, or the word after :- if the variable has no value. Variables that depend
// on the call are unknown.
func (c *commandLine) expansion(p shellline.Part) (text string, known bool) {
	name := p.Text
	if !shellline.IsName(name) || slices.Contains(perCall, name) || c.varies(name) {
		return "", false
	}
	value := launch.Variable(c.env, name)
	set, inLine := c.set[name]
	isFolder := (name == "PWD" || name == "OLDPWD") && len(c.folders) > 1
	if inLine && set.Computed || c.unknown[name] || isFolder {
		return value, false
	}
	switch p.Operator {
	case "":
		return value, value != "" || inLine
	case "-", ":-", "=", ":=":
		if value == "" {
			return c.value(p.Word)
		}
		return value, true
	case "?", ":?":
		return value, value != ""
	}
	return value, false
}

// varies reports whether a client sets a variable to a value of the call.
func (c *commandLine) varies(name string) bool {
	call := dialect.NewCall(dialect.Call{Workspace: c.Options.Workspace})
	return slices.Contains(c.hook.Dialect.Hooks.Environment(call), name+"=")
}

// printed returns the output of a command substitution that is known to print the project's or the hook's folder. For
// any other command, printed returns the workspace as a guess.
func (c *commandLine) printed(commands string) (text string, known bool) {
	switch m := printsFolder.Get().FindStringSubmatch(commands); {
	case m == nil:
	case strings.HasPrefix(m[1], "pwd"):
		return c.folders[0], len(c.folders) == 1
	default:
		if root := hookfile.Repository(c.folders[0], ""); root != "" && len(c.folders) == 1 {
			return root, true
		}
	}
	return c.Options.Workspace, false
}

// printsFolder matches commands that print a folder, perhaps with another that prints the current one if the first
// fails.
var printsFolder = lazy.Regexp{Text: `^\s*(pwd(?: +-P)?|git +rev-parse +--show-toplevel)` + quietly +
	`(?:\s*\|\|\s*(?:pwd|echo +(?:\.|\$PWD|"\$PWD"))` + quietly + `)*\s*$`}

const quietly = `(?:\s+2>\s*(?:/dev/null|&1))?`
