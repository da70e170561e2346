package install

import (
	"path/filepath"
	"strings"

	"github.com/tailscale/hujson"

	"github.com/hookrun/hookrun/internal/clients/client"
	"github.com/hookrun/hookrun/internal/lib/lazy"
	"github.com/hookrun/hookrun/internal/lib/shellword"
)

// shell returns the shell for which Install writes commands.
func (c *Client) shell() client.Shell {
	if c.system == "windows" {
		return c.WindowsShell
	}
	return client.POSIX
}

// programWord returns the word by which a shell starts the program at a path.
func programWord(shell client.Shell, path string) (string, error) {
	switch shell {
	case client.Cmd:
		return shellword.Cmd(path)
	case client.PowerShell:
		return "& " + shellword.PowerShell(path), nil
	}
	return shellword.POSIX(filepath.ToSlash(path)), nil
}

var inCmd = lazy.Regexp{Text: `^"((?:[A-Za-z]:)?\\[^"%]+)"`}

// windowsProgram reads the program at the start of a command for PowerShell or cmd.exe, also outside Windows: the file
// may come from another system.
func windowsProgram(command string) (path, behind string, found bool) {
	if word, is := strings.CutPrefix(command, "& "); is {
		return shellword.FromPowerShell(word)
	}
	if m := inCmd.Get().FindStringSubmatch(command); m != nil {
		return m[1], command[len(m[0]):], true
	}
	return "", "", false
}

var windowsRoot = lazy.Regexp{Text: `^(?:[A-Za-z]:[\\/]|\\\\)`}

// isAbs reports whether a path is absolute, on some system.
func isAbs(path string) bool {
	return strings.HasPrefix(path, "/") || windowsRoot.Get().MatchString(path)
}

// base returns the last part of a path of this system or of Windows.
func base(path string) string { return path[strings.LastIndexAny(path, `/\`)+1:] }

// commandKeys returns the keys of an entry's command, of which the last are those of clients with a key for each shell.
func commandKeys() []string { return []string{client.CommandKey, "powershell", "bash"} }

// commandOf returns the member with the command of an entry.
func commandOf(entry *hujson.Value) *hujson.Value {
	for _, key := range commandKeys() {
		if command := get(entry, key); command != nil {
			return command
		}
	}
	return nil
}
