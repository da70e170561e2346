package permission

import "strings"

// slashed returns a path in the form of patterns, as Claude Code has it: C:\x is /c/x.
func slashed(file string) string {
	file = strings.ReplaceAll(file, `\`, "/")
	return fromDrive(strings.TrimPrefix(file, "//?/"))
}

// fromDrive writes a drive as a folder: C:/x is /c/x.
func fromDrive(path string) string {
	if len(path) > 1 && path[1] == ':' {
		path = "/" + strings.ToLower(path[:1]) + path[2:]
	}
	return path
}

// native is the path that slashed has made of it: /c/x is C:\x.
func native(file string) string {
	if len(file) > 1 && file[0] == '/' && (len(file) == 2 || file[2] == '/') {
		file = file[1:2] + ":/" + strings.TrimPrefix(file[2:], "/")
	}
	return strings.ReplaceAll(file, "/", `\`)
}

// folded makes paths equal that differ by case alone: they lead to the same file.
func folded(path string) string { return strings.ToLower(path) }
