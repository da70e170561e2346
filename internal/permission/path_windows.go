package permission

import (
	"path"
	"strings"

	"golang.org/x/sys/windows"
)

// slashed returns a path in the form of patterns, as Claude Code has it: C:\x is /c/x. A rule must not be got round by
// other names of the same file, so what names a device, the stream of a file, and blanks and dots at the end of a name,
// which the system leaves out, are not in it.
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

// withoutDevice returns a path with slashes and without what names a device: //?/UNC/server/x is //server/x.
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

// unplaced reports whether a path may lead to a folder that its text does not tell: to the current one of a drive, as
// C:x, into any drive by a share, whose server may be this machine, or by the name of its device, as //?/Volume{…}. The
// share in which the current directory is has one name for a file, but not the share of a whole drive, as c$.
func unplaced(file, dir string) bool {
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

// hasDrive reports whether a path begins as slashed writes a drive.
func hasDrive(file string) bool {
	return len(file) > 1 && file[0] == '/' && file[1] != '/' && (len(file) == 2 || file[2] == '/')
}

// longName returns the path with the whole name of the file, which may have a short one such as SECRET~1 as well.
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

// native is the path that slashed has made of it: /c/x is C:\x.
func native(file string) string {
	if hasDrive(file) {
		file = file[1:2] + ":/" + strings.TrimPrefix(file[2:], "/")
	}
	return strings.ReplaceAll(file, "/", `\`)
}

// folded makes paths equal that differ by case alone: they lead to the same file.
func folded(path string) string { return strings.ToLower(path) }
