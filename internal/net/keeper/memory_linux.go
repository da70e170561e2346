package keeper

import (
	"fmt"
	"os"
)

// memory returns the bytes that processes have in memory.
func memory(pids []int) (sum int64) {
	for _, pid := range pids {
		var all, resident int64
		if text, err := os.ReadFile(fmt.Sprintf("/proc/%d/statm", pid)); err == nil {
			_, _ = fmt.Sscan(string(text), &all, &resident)
		}
		sum += resident * int64(os.Getpagesize())
	}
	return sum
}
