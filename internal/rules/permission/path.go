package permission

import (
	"path"
	"strings"
)

// matchPath reports whether a pattern of a file rule matches a file. file may be relative to dir or contain "..";
// matchPath resolves it first. dir is the session's current directory, root the start folder of patterns, home the
// user's home directory ("" if unknown). All are absolute.
//
// It follows Claude Code 2.1.329. The pattern is a line of a .gitignore, read case-insensitively as the npm package
// "ignore" does. The .gitignore is at the root of the file system (`//etc/**`), in home (`~/.ssh/**`) or else in root,
// which is dir in the client (`/src/**`, `./src/**`, `src/**`, `*.ts`). A .gitignore ignores only files in its folder,
// with one exception: if the file is outside of root, a pattern that starts with a star is matched from the root of the
// file system. So `*.ts` and `**/.ssh/**` match anywhere, `x.ts` and `.ssh/**` only in root.
//
// An empty file name matches nothing, and neither does a name with a NUL, because no tool can open such a file.
func matchPath(pattern, file, dir, root, home string) bool {
	file = resolve(file, dir, home)
	if file == "" {
		return false
	}
	pattern, file, root, home = folded(pattern), folded(file), folded(root), folded(home)
	switch {
	case pattern == "*", pattern == "**":
		return true // also for the root itself, which has no path below the root
	case strings.HasPrefix(pattern, "//"):
		// Any number of slashes: in `//<dir>/**`, dir starts with a slash of its own.
		pattern = fromDrive(strings.TrimLeft(pattern, "/"))
		return gitignored("/"+strings.TrimLeft(pattern, "/"), below("/", file))
	case strings.HasPrefix(pattern, "~/"):
		return home != "" && gitignored(pattern[1:], below(home, file))
	}
	inside := below(root, file)
	if inside == "" && strings.HasPrefix(pattern, "*") {
		return gitignored(pattern, below("/", file))
	}
	// `./` only names the folder: `./a.ts` is `a.ts`, which matches at any depth, unlike `/a.ts`.
	return gitignored(strings.TrimPrefix(pattern, "./"), inside)
}

// resolve returns the absolute path, without "." and "..", that a tool of Claude Code opens for file, or "". The tools
// trim the path and expand `~/`, so the rules must too, or an agent could bypass them.
func resolve(file, dir, home string) string {
	if file = absolute(file, dir, home); file == "" {
		return ""
	}
	return path.Clean(file)
}

// absolute is resolve, but keeps "." and "..", which may lead elsewhere after a symbolic link.
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

// below returns the path of file relative to root, or "" if file is root or not in it.
func below(root, file string) string {
	root = strings.TrimSuffix(path.Clean(root), "/")
	rest, ok := strings.CutPrefix(file, root+"/")
	if !ok {
		return ""
	}
	return rest
}
