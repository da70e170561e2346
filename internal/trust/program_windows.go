package trust

import (
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/hookrun/hookrun/internal/launch"
)

// shellPath is the shell of string commands: it is looked for in PATH here.
const shellPath = "\x00"

// programEndings are what the system adds to the name of a program. Each counts: a new guard.exe would run before
// guard.cmd, and where PATHEXT has .JS a new guard.js before guard.
func programEndings(env []string) []string {
	endings := []string{".com", ".exe", ".bat", ".cmd"}
	for _, ending := range filepath.SplitList(strings.ToLower(launch.Variable(env, "PATHEXT"))) {
		if ending != "" && !slices.Contains(endings, ending) {
			endings = append(endings, ending)
		}
	}
	return endings
}

// betweenFiles are the characters between the files in a variable. A : stands behind the letter of a drive.
const betweenFiles = " ;="

// native is the path for the system: in /c/x, as the sh of Git writes it, c is a drive.
func native(path string) string {
	if len(path) > 2 && path[0] == '/' && path[2] == '/' && filepath.VolumeName(path[1:2]+":") != "" {
		return path[1:2] + ":" + path[2:]
	}
	return path
}

// foldName makes the names of a program equal that differ by case alone.
func foldName(name string) string { return strings.ToLower(name) }

// beginsWith reports whether a path is a folder's, or begins with it, in whatever case.
func beginsWith(path, folder string) bool {
	return len(path) >= len(folder) && strings.EqualFold(path[:len(folder)], folder)
}

func isProgram(path string) bool {
	_, err := exec.LookPath(path)
	return err == nil
}
