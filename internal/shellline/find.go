package shellline

import (
	"slices"
	"strings"
)

// found reads the arguments of find: the actions that run a command, in which {} is the file.
func found(args []Word) (all []launch, opaque string) {
	start := startOf(args)
	isEnd := func(w Word) bool { return w.Text == ";" || w.Text == "+" }
	end, maybe := len(args), 0
	for end > 0 && !isEnd(args[end-1]) {
		end--
	}
	for i := 0; i < len(args); i++ {
		w := args[i]
		isAction := slices.Contains([]string{"-exec", "-execdir", "-ok", "-okdir"}, w.Text)
		if !isAction { // unless a computed word may be one
			switch {
			case !w.Computed || w.Prefix != "":
				continue
			case w.Several:
				return nil, computed("find")
			case i > 0 && strings.HasPrefix(args[i-1].Text, "-"), // the value of a test
				i >= end:
				continue
			}
			const most = 50 // each may be an action with all that follows
			if maybe++; maybe > most {
				return nil, computed("find")
			}
		}
		command, several := untilEnd(args[i+1:])
		some, opaque := replaced("find", command, "{}", several)
		if opaque != "" {
			return nil, opaque
		}
		if !strings.HasSuffix(w.Text, "dir") { // some versions give the name without a folder
			beginFiles(some, command, start)
		}
		all = append(all, some...)
		if isAction {
			i += len(command)
		}
	}
	return all, ""
}

// untilEnd returns the command of an action, which its arguments begin with. several means that it is run for several
// files at a time.
func untilEnd(args []Word) (command []Word, several bool) {
	for n, w := range args {
		if several = w.Text == "+" && n > 0 && args[n-1].Text == "{}"; several || w.Text == ";" {
			return args[:n], several
		}
	}
	return args, false
}

// beginFiles notes how the files begin that a command is run for, in the words where it has {}.
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

// startOf returns how all paths begin that find names.
func startOf(args []Word) string {
	for len(args) > 0 && slices.Contains([]string{"-H", "-L", "-P"}, args[0].Text) {
		args = args[1:]
	}
	end := slices.IndexFunc(args, func(w Word) bool {
		return strings.HasPrefix(w.Text, "-") || w.Text == "(" || w.Text == "!"
	})
	names := func(w Word) bool { return strings.HasPrefix(w.Text, "-f") || w.Several } // options that name others
	switch {
	case slices.ContainsFunc(args, names):
	case end == 0:
		return "."
	case end == 1 && !args[0].Computed && !args[0].Home:
		return args[0].Text
	}
	return ""
}
