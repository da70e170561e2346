package trust

import (
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/hookrun/hookrun/internal/core/launch"
)

// shellPath equals no path, because on Windows hookrun looks for the shell of string commands in PATH.
const shellPath = "\x00"

// programEndings returns the extensions that the system adds to the name of a program. Each counts: a new guard.exe
// would run before guard.cmd and, if PATHEXT has .JS, a new guard.js before guard.
func programEndings(env []string) []string {
	endings := []string{".com", ".exe", ".bat", ".cmd"}
	for _, ending := range filepath.SplitList(strings.ToLower(launch.Variable(env, "PATHEXT"))) {
		if ending != "" && !slices.Contains(endings, ending) {
			endings = append(endings, ending)
		}
	}
	return endings
}

// betweenFiles are the separators of files in a variable. A : follows the letter of a drive.
const betweenFiles = " ;="

// native returns a path in the system's form: in /c/x, as written by Git's sh, c is a drive.
func native(path string) string {
	if len(path) > 2 && path[0] == '/' && path[2] == '/' && filepath.VolumeName(path[1:2]+":") != "" {
		return path[1:2] + ":" + path[2:]
	}
	return path
}

// foldName returns the name of a program for comparisons without regard to case.
func foldName(name string) string { return strings.ToLower(name) }

// foldVariable returns the name of a variable for comparisons.
func foldVariable(name string) string { return strings.ToUpper(name) }

// beginsWith reports whether a path begins with the path of a folder, in any case.
func beginsWith(path, folder string) bool {
	return len(path) >= len(folder) && strings.EqualFold(path[:len(folder)], folder)
}

func isProgram(path string) bool {
	_, err := exec.LookPath(path)
	return err == nil
}
