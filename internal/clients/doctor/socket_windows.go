package doctor

import (
	"errors"
	"path/filepath"
	"strings"

	"golang.org/x/sys/windows"
)

// socketsAreFiles is false because named pipes have no folder.
const socketsAreFiles = false

// dial connects to hookrun serve, and closes the connection. The connection is anonymous: any user may have made the
// pipe, and its server must not learn about or act as this user.
func dial(pipe string) error {
	if !strings.HasPrefix(strings.ToLower(filepath.FromSlash(pipe)), `\\.\pipe\`) { // a share may block
		return errors.New(`it is no named pipe; write \\.\pipe\ and a name`)
	}
	name, err := windows.UTF16PtrFromString(pipe)
	if err != nil {
		return err
	}
	const anonymous = windows.SECURITY_SQOS_PRESENT | windows.SECURITY_ANONYMOUS
	h, err := windows.CreateFile(name, windows.GENERIC_READ|windows.GENERIC_WRITE, 0, nil, windows.OPEN_EXISTING,
		anonymous, 0)
	if err == windows.ERROR_PIPE_BUSY { // serve runs: another client is connecting right now
		return nil
	}
	if err == nil {
		windows.CloseHandle(h)
	}
	return err
}
