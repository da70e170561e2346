package queue_test

import (
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/windows"
)

var processHandleCount = windows.NewLazySystemDLL("kernel32.dll").NewProc("GetProcessHandleCount")

// openFiles is the number of handles of this process, those of its threads included.
func openFiles(t *testing.T) int {
	var n uint32
	ok, _, err := processHandleCount.Call(uintptr(windows.CurrentProcess()), uintptr(unsafe.Pointer(&n)))
	require.NotZero(t, ok, err)
	return int(n)
}

// moreByThreads is how many handles of threads Go's runtime may have added meanwhile.
const moreByThreads = 15
