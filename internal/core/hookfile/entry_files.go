package hookfile

import (
	"path"
	"slices"
	"strings"

	"github.com/hookrun/hookrun/internal/core/hook"
)

// files reads globs of the files that a command runs but does not name. An empty list means that no such files exist.
func (r *reader) files(h *hook.Hook) {
	h.Files = []string{}
	for glob, v := range r.Texts(`an array of globs such as "hooks/**"`, `a glob in "files"`) {
		names := strings.Split(glob, "/")
		_, err := path.Match(glob, "")
		switch {
		case glob == "" || strings.HasPrefix(glob, "/") || strings.Contains(glob, `\`) ||
			slices.Contains(names, "..") || len(glob) > 1 && glob[1] == ':':
			v.Problem(`a glob in "files" is a path below the workspace, such as "hooks/**", not %s`, quote(glob))
		case err != nil:
			v.Problem(`the glob %s in "files" has a [ without a ]`, quote(glob))
		case slices.ContainsFunc(names, func(n string) bool { return strings.Contains(n, "**") && n != "**" }):
			v.Problem(`in the glob %s of "files" a ** must stand alone between slashes, as in "hooks/**/*.sh"`,
				quote(glob))
		default:
			h.Files = append(h.Files, path.Clean(glob))
		}
	}
}
