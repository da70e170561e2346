package binary

import (
	"errors"
	"regexp"

	"golang.org/x/sys/windows"
)

// Busy reports whether Wine has started as many processes as it can at once.
func Busy(err error) bool { return errors.Is(err, windows.ERROR_INTERNAL_ERROR) }

// programSuffix ends the name of a program.
const programSuffix = ".exe"

// ownFolders are variables with folders that each script has for itself.
var ownFolders = []string{"APPDATA", "LOCALAPPDATA"}

// goBuild is how Go writes the program of a package to a file.
func goBuild(flags, pkg, to string) []string {
	return []string{"build", flags, "-o", to, pkg}
}

var needed = map[string]*regexp.Regexp{
	"signals":                         regexp.MustCompile(`\b(kill|trap) `),
	"Python, which is python there":   regexp.MustCompile(`\bpython3\b`),
	"named pipes, links and /dev":     regexp.MustCompile(`\bmkfifo\b|(?m)^symlink|/dev/full`),
	"streams that are closed":         regexp.MustCompile(`[<>]&-`),
	"folders that nobody may read in": regexp.MustCompile(`\bmkdir -m`),
}

// cannotRun is why a script cannot run on Windows, as far as its text tells. Other scripts skip themselves.
func cannotRun(script string) string {
	for what, pattern := range needed {
		if pattern.MatchString(script) {
			return "not on Windows: it needs " + what
		}
	}
	return ""
}

// pathWithout returns PATH as it is: links to files need a privilege here.
func pathWithout(_ []string, path, _ string) (string, error) { return path, nil }
