package launch

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestLineEndsOfScripts(t *testing.T) {
	for _, test := range []struct{ name, text, want string }{
		{"guard.sh", "exit 2\r\n", "has CR LF line ends"},
		{"guard.sh", "exit 2\n", ""},
		{"guard.py", "exit(2)\r\n", ""},
		{"guard.ps1", "exit 2\r\n", ""},
		{"guard.sh", "#!/usr/bin/env python3\r\nexit(2)\r\n", ""},
		{"guard.cmd", "@goto end\n:end\n@exit /b 2\n", "has LF line ends"},
		{"guard.cmd", "@goto end\r\n:end\r\n@exit /b 2\r\n", ""},
		{"guard.bat", "@exit /b 2\n", ""},
	} {
		path := filepath.Join(t.TempDir(), test.name)
		require.NoError(t, os.WriteFile(path, []byte(test.text), 0o600))
		doubt := scriptDoubt(path)
		require.Contains(t, doubt, test.want)
		require.Equal(t, test.want == "", doubt == "", doubt)
	}
	path := filepath.Join(t.TempDir(), "guard")
	require.NoError(t, os.WriteFile(path, []byte("#!/bin/sh -e\r\nexit 2\r\n"), 0o600))
	require.Equal(t, hashBangTakesCRLF, scriptDoubt(path) != "", "elsewhere the #! line is an error")
}
