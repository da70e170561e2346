package shellline

import (
	"path"
	"slices"
	"strings"
)

// findLaunches reads the arguments of find for actions that run a command, in which {} is the file.
func findLaunches(args []Word) (all []launch, opaque Opaque) {
	start := commonStart(args)
	isEnd := func(w Word) bool { return w.Text == ";" || w.Text == "+" }
	end, maybe := len(args), 0
	for end > 0 && !isEnd(args[end-1]) {
		end--
	}
	for i := 0; i < len(args); i++ {
		w := args[i]
		isAction := InList(findActions, w.Text)
		if !isAction { // a computed word may still be an action
			switch {
			case !w.Computed || w.Prefix != "", isGlob(w.Source) && !mayBeAction(w.Source):
				continue
			case w.MaybeMany:
				return nil, mayTake("find", args...)
			case i > 0 && strings.HasPrefix(args[i-1].Text, "-"), // the value of a test
				i >= end:
				continue
			}
			const most = 50 // each may be an action with all following words
			if maybe++; maybe > most {
				return nil, mayTake("find", args...)
			}
		}
		command, several := untilEnd(args[i+1:])
		some, opaque := replaced("find", command, "{}", several)
		if opaque.Why != "" {
			return nil, opaque
		}
		if !strings.HasSuffix(w.Text, "dir") { // with -execdir, some versions of find pass the name without a folder
			beginFiles(some, command, start)
		}
		all = append(all, some...)
		if isAction {
			i += len(command)
		}
	}
	return all, Opaque{}
}

// untilEnd returns the command of an action, which starts at the first argument. several means that the command runs
// for several files at a time.
func untilEnd(args []Word) (command []Word, several bool) {
	for n, w := range args {
		if several = w.Text == "+" && n > 0 && args[n-1].Text == "{}"; several || w.Text == ";" {
			return args[:n], several
		}
	}
	return args, false
}

// beginFiles notes the common start of the file names in the words of a command that have {}.
func beginFiles(some []launch, command []Word, start string) {
	for _, l := range some {
		for n := range l.words {
			w := &l.words[n]
			if w.Computed && w.Prefix == "" && !command[n].Computed && strings.HasPrefix(w.Text, "{}") {
				w.Prefix = start
			}
		}
	}
}

// commonStart returns the common start of all paths printed by find.
func commonStart(args []Word) string {
	for len(args) > 0 && InList("-H -L -P", args[0].Text) {
		args = args[1:]
	}
	end := slices.IndexFunc(args, func(w Word) bool {
		return strings.HasPrefix(w.Text, "-") || w.Text == "(" || w.Text == "!"
	})
	names := func(w Word) bool { return strings.HasPrefix(w.Text, "-f") || w.MaybeMany } // -files0-from
	switch {
	case slices.ContainsFunc(args, names):
	case end == 0:
		return "."
	case end == 1 && !args[0].Computed && !args[0].Home:
		return args[0].Text
	}
	return ""
}

// isGlob reports whether a word is a pattern of file names and nothing else.
func isGlob(source string) bool {
	return strings.ContainsAny(source, "*?") && isPlain(strings.NewReplacer("*", "", "?", "").Replace(source))
}

// mayBeAction reports whether a file that a pattern matches may have the name of an action that runs a command.
func mayBeAction(pattern string) bool {
	return slices.ContainsFunc(strings.Fields(findActions), func(action string) bool {
		ok, err := path.Match(pattern, action)
		return ok || err != nil
	})
}

const findActions = "-exec -execdir -ok -okdir"
