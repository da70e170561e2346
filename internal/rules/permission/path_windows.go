package permission

import (
	"path"
	"strings"

	"golang.org/x/sys/windows"
)

// slashed returns a path in the form used by patterns, as Claude Code does: C:\x is /c/x. Other names of the same file
// must not bypass a rule. So slashed drops device prefixes, names of file streams, and the blanks and dots at the end
// of a name, which the system ignores.
func slashed(file string) string {
	file, _ = withoutDevice(file)
	parts := strings.Split(fromDrive(file), "/")
	for i, part := range parts {
		name, _, _ := strings.Cut(part, ":")
		if parts[i] = strings.TrimRight(name, " "); parts[i] != "." && parts[i] != ".." {
			parts[i] = strings.TrimRight(name, " .")
		}
	}
	return strings.Join(parts, "/")
}

// withoutDevice returns a path with slashes and without a device prefix: //?/UNC/server/x is //server/x.
func withoutDevice(file string) (rest string, device bool) {
	file = strings.ReplaceAll(strings.TrimSpace(file), `\`, "/")
	for _, prefix := range []string{"//?/", "//./", "/??/"} {
		if rest, device = strings.CutPrefix(file, prefix); !device {
			continue
		}
		if len(rest) > 4 && strings.EqualFold(rest[:4], "UNC/") {
			return "//" + rest[4:], false
		}
		return rest, true
	}
	return file, false
}

// isAmbiguous reports whether the text of a path does not tell which folder the path leads to. C:x is in the current
// folder of a drive. A share may be any drive, because the server may be this machine. A device name such as
// //?/Volume{…} may be any drive too. A path in the share of the current directory is not ambiguous, unless the share
// is a whole drive, such as c$.
func isAmbiguous(file, dir string) bool {
	file, device := withoutDevice(file)
	if len(file) > 1 && file[1] == ':' {
		return len(file) > 2 && file[2] != '/'
	}
	parts := strings.SplitN(file, "/", 5)
	if device || len(parts) < 4 || parts[0]+parts[1] != "" {
		return device
	}
	share := folded(strings.Join(parts[:4], "/"))
	return strings.HasSuffix(share, "$") || !strings.HasPrefix(folded(dir)+"/", share+"/")
}

// onDrive adds the drive to a path from the root: in C:\w the path \x is C:\x.
func onDrive(file, dir string) string {
	if !hasDrive(dir) || hasDrive(file) || !strings.HasPrefix(file, "/") || strings.HasPrefix(file, "//") {
		return file
	}
	return dir[:2] + file
}

// hasDrive reports whether a path begins with a drive in the form of slashed.
func hasDrive(file string) bool {
	return len(file) > 1 && file[0] == '/' && file[1] != '/' && (len(file) == 2 || file[2] == '/')
}

// longName returns the path with the full name of the file, which may also have a short name such as SECRET~1.
func longName(file string) string {
	if !strings.Contains(path.Base(file), "~") {
		return file
	}
	short, err := windows.UTF16PtrFromString(native(file))
	if err != nil {
		return file
	}
	long := make([]uint16, windows.MAX_LONG_PATH)
	n, err := windows.GetLongPathName(short, &long[0], uint32(len(long)))
	if err != nil || int(n) > len(long) {
		return file
	}
	return path.Join(path.Dir(file), path.Base(slashed(windows.UTF16ToString(long[:n]))))
}

// fromDrive writes a drive as a folder: C:/x is /c/x.
func fromDrive(path string) string {
	if len(path) > 1 && path[1] == ':' {
		path = "/" + strings.ToLower(path[:1]) + path[2:]
	}
	return path
}

// native reverses slashed: /c/x is C:\x.
func native(file string) string {
	if hasDrive(file) {
		file = file[1:2] + ":/" + strings.TrimPrefix(file[2:], "/")
	}
	return strings.ReplaceAll(file, "/", `\`)
}

// folded returns the same text for paths that differ only in case, because they lead to the same file.
func folded(path string) string { return strings.ToLower(path) }
