package process

import (
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/windows"
)

func TestPipesAreForThisUserAlone(t *testing.T) {
	user, err := windows.GetCurrentProcessToken().GetTokenUser()
	require.NoError(t, err)
	for _, weRead := range []bool{false, true} {
		theirs, ours, err := newPipe(weRead)
		require.NoError(t, err)
		defer theirs.Close()
		defer ours.Close()
		list, err := windows.GetSecurityInfo(ours.handle, windows.SE_KERNEL_OBJECT, windows.DACL_SECURITY_INFORMATION)
		require.NoError(t, err)
		require.Regexp(t, `^D:P\(A;;(FA|0x1f01ff);;;`+user.User.Sid.String()+`\)$`, list.String())
	}
}
