package install

import (
	"fmt"
	"os"
	"os/exec"

	"github.com/hookrun/hookrun/internal/clients/client"
	"github.com/hookrun/hookrun/internal/core/hook"
)

// Here returns where the files of this user and of a project are.
func Here(workspace string) client.Where {
	home, _ := os.UserHomeDir() // without a home, no files of the user
	return client.Where{Workspace: workspace, Home: home, Getenv: os.Getenv}
}

// MissingHere compares the events of hooks with the entries for this hookrun.
func MissingHere(hooks []hook.Hook, workspace string) []Missing {
	binary, err := OwnPath()
	if err != nil {
		return nil
	}
	return FindMissing(Here(workspace), hooks, binary)
}

// OwnPath returns the path of this program, through PATH if hookrun is there: the target of a link may have a version
// in the name, and disappear after an upgrade.
func OwnPath() (string, error) {
	binary, err := os.Executable()
	if err != nil {
		return "", fmt.Errorf("finding hookrun itself: %w", err)
	}
	if found, err := exec.LookPath("hookrun"); err == nil {
		mine, err1 := os.Stat(binary)
		named, err2 := os.Stat(found)
		if err1 == nil && err2 == nil && os.SameFile(mine, named) {
			return found, nil
		}
	}
	return binary, nil
}
