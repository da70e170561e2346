package permission

import (
	"path"
	"strings"
)

// matchPath reports whether a pattern of a file rule matches a file. file may be relative (to dir) or contain "..":
// it is resolved first. dir is the session's current directory, root the place of patterns, home the user's home
// directory ("" if unknown); all absolute.
//
// The rule is the one of Claude Code 2.1.329: the pattern is a line of a .gitignore as the npm package "ignore" reads
// it, case-insensitive, that lies at the root of the file system (`//etc/**`), in home (`~/.ssh/**`) or else in root,
// which is dir there (`/src/**`, `./src/**`, `src/**`, `*.ts`). It does not see files outside of its place, except that
// a pattern that starts with a star is tried from the root of the file system for a file outside of root: `*.ts` and
// `**/.ssh/**` match anywhere, `x.ts` and `.ssh/**` only in root.
//
// An empty file matches nothing, nor does one with a NUL: no tool can open it.
func matchPath(pattern, file, dir, root, home string) bool {
	file = resolve(file, dir, home)
	if file == "" {
		return false
	}
	switch {
	case pattern == "*", pattern == "**":
		return true // also for the root itself, which has no path below the root
	case strings.HasPrefix(pattern, "//"):
		// However many slashes there are: `//<dir>/**` is written with a dir that has its own.
		return gitignored("/"+strings.TrimLeft(pattern, "/"), below("/", file))
	case strings.HasPrefix(pattern, "~/"):
		return home != "" && gitignored(pattern[1:], below(home, file))
	}
	inside := below(root, file)
	if inside == "" && strings.HasPrefix(pattern, "*") {
		return gitignored(pattern, below("/", file))
	}
	// `./` names the place and no more: `./a.ts` is `a.ts`, which matches at any depth, unlike `/a.ts`.
	return gitignored(strings.TrimPrefix(pattern, "./"), inside)
}

// resolve returns the absolute path without "." and ".." that a tool of Claude Code opens for file, or "". The tools
// trim the path and know `~/`; a rule that did not would be walked around with it.
func resolve(file, dir, home string) string {
	if file = absolute(file, dir, home); file == "" {
		return ""
	}
	return path.Clean(file)
}

// absolute is resolve with "." and "..", which lead elsewhere behind a symbolic link.
func absolute(file, dir, home string) string {
	if file == "" || strings.ContainsRune(file, 0) {
		return ""
	}
	file = strings.TrimSpace(file)
	switch {
	case home != "" && (file == "~" || strings.HasPrefix(file, "~/")):
		file = home + file[1:]
	case !path.IsAbs(file):
		file = dir + "/" + file
	}
	if !path.IsAbs(file) {
		return ""
	}
	return file
}

// below returns the path of file relative to root, or "" if it is root itself or not in it.
func below(root, file string) string {
	root = strings.TrimSuffix(path.Clean(root), "/")
	rest, ok := strings.CutPrefix(file, root+"/")
	if !ok {
		return ""
	}
	return rest
}
