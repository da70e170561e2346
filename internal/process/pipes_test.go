//go:build linux

package process_test

import (
	"flag"
	"os"
	"os/exec"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestCopiedPipes runs all tests of hooks again with the pipes of macOS and Windows, which nobody else runs. Persistent
// hooks and watchdogs have none of them.
func TestCopiedPipes(t *testing.T) {
	if testing.Short() {
		t.Skip("it takes as long as all the tests of hooks")
	}
	const others = "^Test(CopiedPipes|HTTP|Idle|Persistent|Watchdog)"
	again := exec.Command(os.Args[0], "-copied-pipes", "-test.count=1", "-test.skip="+others,
		"-test.timeout="+flag.Lookup("test.timeout").Value.String())
	out, err := again.CombinedOutput()
	require.NoError(t, err, string(out))
}
