package hookfile

import (
	"path"
	"slices"
	"strings"

	"github.com/tidwall/gjson"

	"github.com/hookrun/hookrun/internal/hook"
)

// files reads globs of the files that a command runs but does not name. An empty list means that no such files exist.
func (r *reader) files(h *hook.Hook) {
	h.Files = []string{}
	if !r.value.IsArray() {
		r.wrongType(r.who+`"files"`, `an array of globs such as "gates/**"`, r.value)
		return
	}
	r.value.ForEach(func(_, v gjson.Result) bool {
		glob, ok := r.text(v, `a glob in "files"`)
		if !ok {
			return true
		}
		names := strings.Split(glob, "/")
		_, err := path.Match(glob, "")
		switch {
		case glob == "" || strings.HasPrefix(glob, "/") || strings.Contains(glob, `\`) ||
			slices.Contains(names, "..") || len(glob) > 1 && glob[1] == ':':
			r.problem(v.Index, `%sa glob in "files" is a path below the workspace, such as "gates/**", not %s`, r.who,
				quote(glob))
		case err != nil:
			r.problem(v.Index, `%sthe glob %s in "files" has a [ without a ]`, r.who, quote(glob))
		case slices.ContainsFunc(names, func(n string) bool { return strings.Contains(n, "**") && n != "**" }):
			const text = `%sin the glob %s of "files" a ** must stand alone between slashes, as in "gates/**/*.sh"`
			r.problem(v.Index, text, r.who, quote(glob))
		default:
			h.Files = append(h.Files, path.Clean(glob))
		}
		return true
	})
}
