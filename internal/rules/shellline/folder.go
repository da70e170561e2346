package shellline

import (
	"slices"
)

// maxFolders limits the number of folder changes that are followed in a shell.
const maxFolders = 32

// changesFolder notes that a command changes the folder.
func (r *reader) changesFolder(words []Word) {
	for len(words) > 1 && InList("command builtin", words[0].Text) {
		words = words[1:]
	}
	if len(words) == 0 || !InList("cd chdir pushd popd", words[0].Text) {
		return
	}
	to := Word{Computed: true} // unknown, as after popd
	switch n := len(r.folders); {
	case n >= maxFolders:
		r.folders = nil
	case words[0].Text == "popd":
	case len(words) == 1 && words[0].Text != "pushd":
		to = Word{Text: "~", Home: true}
	case len(words) == 2 && words[1].Text == "-" && n > 0: // cd - goes back
		r.folders = r.folders[:n-1]
		return
	default:
		i := slices.IndexFunc(words[1:], func(w Word) bool { return w.Computed || !isFlag(w) })
		if i >= 0 && words[1+i].Text != "-" {
			to = words[1+i]
		}
	}
	r.folders = append(slices.Clip(r.folders), to)
}

// StartFolder returns the folder in which env or sudo start their command: env -C DIR. words precede the command.
func StartFolder(words []Word) (to Word, ok bool) {
	if len(words) == 0 || !InList("env sudo", words[0].Text) {
		return to, false
	}
	list := "C,chdir"
	if words[0].Text == "sudo" {
		list = "D,chdir"
	}
	if all := rowOf(words).Values(list, words[1:]); len(all) > 0 {
		return all[0], true
	}
	return to, false
}
