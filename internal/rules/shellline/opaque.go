package shellline

import (
	"slices"
	"strings"
	"unicode"

	"github.com/hookrun/hookrun/internal/lib/lazy"
	"github.com/hookrun/hookrun/internal/rules/programs"
)

// Opaque says through which part of a line a rule cannot see. The zero value: through all of the line.
type Opaque struct {
	Why string // names the part
	// Computed: the part may run any command. Otherwise the words of each command that the part may run stand in the
	// text of the line, or come from outside of the line.
	Computed bool
}

// add keeps the first reason, but any computed part rather than a part that is only unread.
func (o *Opaque) add(more Opaque) {
	if o.Why == "" || more.Computed && !o.Computed {
		*o = more
	}
}

// unread returns the reason for a part whose commands stand in the text.
func unread(why string) Opaque { return Opaque{Why: why} }

// computedBy returns the reason for a program whose command the shell computes.
func computedBy(name string) Opaque {
	return Opaque{"what " + name + knownOnlyThen, true}
}

// mayTake returns the reason for a program that may take some computed words for a command or for options with one.
func mayTake(name string, words ...Word) Opaque {
	return Opaque{"what " + name + knownOnlyThen, slices.ContainsFunc(words, isInsideList)}
}

// isInside reports whether the line itself computes a part of a word.
func isInside(w Word) bool { return w.Computed && !w.Outside }

// isInsideList is isInside for a word that may become several words.
func isInsideList(w Word) bool { return isInside(w) && w.MaybeMany }

// unparsed returns the reason for a line without a tree.
func unparsed(why string) Opaque { return Opaque{why, OverLimit(why)} }

// hasInsideVariable reports whether a word has a value of a variable that the line sets.
func hasInsideVariable(w Word) bool {
	isVariable := func(p Part) bool { return p.Kind != Literal && p.Kind != Substitution }
	return isInside(w) && !strings.HasPrefix(w.Source, "<(") && slices.ContainsFunc(Parts(w.Source), isVariable)
}

// isScript reports whether a program takes its commands only from outside of the line: from the output of other
// commands, which is like a script.
func isScript(c Command) bool {
	fed := c.stdin == fed && c.Script == ""
	readsStdin := func(w Word) bool { return IsStdin(w.Text) && !strings.HasPrefix(w.Source, "<(") }
	if !fed && (c.MoreArgs || slices.ContainsFunc(c.Words, readsStdin)) {
		return false
	}
	return (!fed || fromOutside(c.PipedFrom)) &&
		(len(c.Substitutions) == 0 || fromOutside(c.Substitutions)) && !slices.ContainsFunc(c.Words, hasInsideVariable)
}

// fedBy returns the reason for a program that takes commands from the commands before it in a pipe.
func fedBy(name string, c Command) Opaque {
	if c.stdin == inherited && !c.MoreArgs || fromOutside(c.PipedFrom) {
		return mayTake(name)
	}
	return computedBy(name)
}

// sets reports whether a line may set a variable: the name stands in the line other than as a use of the value. The
// parameters of a shell are set by what gives a shell or a function arguments.
func (o *outerLine) sets(name string) bool {
	switch {
	case name != "" && strings.Contains("?#$!-", name): // numbers and letters of the shell's own
		return false
	case o.names == nil:
		o.names = setNames(o.text)
	}
	if !IsName(name) {
		name = "@"
	}
	return o.names[name]
}

// setNames returns the names in a line that the line may set, and "@" if it may set parameters.
func setNames(text string) map[string]bool {
	names := map[string]bool{"@": parameters.Get().MatchString(text)}
	var alone []string // set only if something in the line sets variables by their names
	setter := strings.Contains(text, "((")
	plain := quotes.Get().Replace(text)
	for at := 0; at < len(plain); at++ {
		start := at
		for at < len(plain) && isNameByte(plain[at]) {
			at++
		}
		name := plain[start:at]
		if name == "" || !IsName(name) {
			continue
		}
		before, behind := plain[:start], plain[at:]
		setter = setter || InList(setters, name)
		if InList("cd chdir pushd popd", name) {
			names["PWD"], names["OLDPWD"] = true, true
		}
		switch isBraced := strings.HasSuffix(before, "${"); {
		// a use
		case isBraced && !strings.HasPrefix(strings.TrimPrefix(behind, ":"), "="), strings.HasSuffix(before, "$"):
		case isBraced, behind != "" && strings.IndexByte("=+-[:", behind[0]) >= 0:
			names[name] = true
		default:
			alone = append(alone, name)
		}
	}
	for _, name := range alone {
		names[name] = names[name] || setter
	}
	return names
}

// setters set variables by their names alone.
const setters = "read mapfile readarray for foreach select let getopts printf print declare typeset local " +
	"export readonly " +
	"integer float vared getln zparseopts zstat zformat strftime sysread sysopen syswrite wait coproc set private"

// quotes removes the quotes of a text.
var quotes = lazy.Value[*strings.Replacer]{Make: func() *strings.Replacer {
	return strings.NewReplacer("\\\n", "", "'", "", `"`, "", `\`, "")
}}

// parameters matches what may give parameters to a shell or a function.
var parameters = lazy.Regexp{Text: `\bset\b|\bshift\b|\(\s*\)|\bfunction\b|sh\b.*-\w*c`}

// scriptOf returns the reason for a shell that reads a file. A script is not seen, unless the file is stdin or what
// another command of the line writes.
func scriptOf(name string, file Word) Opaque {
	if IsStdin(file.Text) || strings.HasPrefix(file.Source, "<(") {
		return computedBy(name)
	}
	return mayTake(name, file)
}

// fromOutside reports whether commands print only what comes from outside of the line: files, downloads, facts about
// the machine, or code of their own such as `ssh-agent -s`, all of which is like a script.
func fromOutside(commands []Command) bool {
	return len(commands) > 0 && !slices.ContainsFunc(commands, func(c Command) bool {
		name, isFirst := ProgramName(c.Words[0].Text), len(c.PipedFrom) == 0
		switch {
		case c.Words[0].Computed, c.Input != nil, isFirst && c.stdin == fed:
			return true
		case InList(ownOutput, name) && slices.ContainsFunc(c.Words[1:], isFormat):
			return true
		case InList(ownOutput, name), c.Row.Is(programs.Remote) && !c.Row.Is(programs.Runs):
			return false
		case InList("grep egrep fgrep", name):
			return c.Row.Has("-o,--only-matching", c.Words[1:])
		case isFirst && len(c.Words) > 1 && InList(codeCommands, c.Words[1].Text) && !InList(printers, name):
			return c.Row.Is(programs.Language | programs.Decodes | programs.ForeignShell)
		}
		return !isFirst || InList(printers, name) ||
			c.Row.Is(notOutside) || c.Row.Asks(notOutside)
	})
}

const (
	ownOutput = "whoami hostname date id uname nproc pwd which dirname basename readlink realpath git ls find " +
		"ps cat tty tput logname arch getconf stat wc du df sort uniq head tail lsb_release pgrep ssh-agent " +
		"dircolors resize gpg-agent keychain lesspipe xcode-select ping seq true false"
	// codeCommands are arguments with which a program prints code for a shell.
	codeCommands = "completion completions hook shellenv init env activate"
	// printers print or change text of the line.
	printers = "echo printf print expr dc bc tr rev sed awk cut paste jq xxd fold tac column envsubst"
)

// isFormat reports whether an argument may have text that the program prints, as find -printf and date + have.
func isFormat(w Word) bool {
	if format, ok := strings.CutPrefix(w.Text, "+"); ok { // only %s and the like are no text
		for before, behind, ok := strings.Cut(format, "%"); ; before, behind, ok = strings.Cut(behind, "%") {
			if strings.ContainsFunc(before, unicode.IsLetter) {
				return true
			}
			if !ok {
				return false
			}
			behind = strings.TrimLeft(behind, "-_0^:#")
			behind = behind[min(1, len(behind)):]
		}
	}
	for _, option := range []string{"-printf", "-fprintf", "--printf", "--format", "--pretty", "-ls"} {
		if strings.HasPrefix(w.Text, option) {
			return true
		}
	}
	return false
}

// notOutside are the facts of programs that may print a text of the line.
const notOutside = programs.Language | programs.Decodes | programs.Unpacks | programs.Script | programs.Runs |
	programs.Filters |
	programs.ForeignShell

func isNameByte(b byte) bool {
	return b == '_' || '0' <= b && b <= '9' || 'a' <= b && b <= 'z' || 'A' <= b && b <= 'Z'
}
