package process

import (
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/windows"
)

func TestCommandLine(t *testing.T) {
	for line, args := range map[string][]string{
		`sh -c "exit 2"`: {"sh", "-c", "exit 2"},
		`sh "C:/O'Brien/guard.sh" "*.go" "@list"`: {"sh", "C:/O'Brien/guard.sh", "*.go", "@list"},
		`sh "it's\\\\" "~" "{a,b}" "\"[x]\"" ""`:  {"sh", `it's\\`, "~", "{a,b}", `"[x]"`, ""},
		`sh C:\dir\ "C:\a b\\" x=y`:               {"sh", `C:\dir\`, `C:\a b\`, "x=y"},
	} {
		require.Equal(t, line, commandLine(Program{Path: `C:\Git\bin\sh.exe`, Args: args}))
		read, err := windows.DecomposeCommandLine(line)
		require.NoError(t, err)
		require.Equal(t, args, read)
	}
	batch := Program{Path: `C:\Windows\system32\cmd.exe`, Args: []string{"cmd.exe", "/c", "call", "x.cmd", "*.go"}}
	require.Equal(t, "cmd.exe /c call x.cmd *.go", commandLine(batch))
	command := Program{Path: `C:\Windows\System32\cmd.exe`, Args: []string{"cmd.exe", "/d", "/S", "/C",
		`"C:\a b\x.exe" c || exit 2`}}
	require.Equal(t, `cmd.exe /d /S /C ""C:\a b\x.exe" c || exit 2"`, commandLine(command))
}
