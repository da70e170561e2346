package process

import (
	"syscall"

	"golang.org/x/sys/windows"
)

// mendOf says how to mend a shortage. A command line that is too long is one too, because a call can be that long.
func mendOf(code syscall.Errno) string {
	switch code {
	case windows.ERROR_TOO_MANY_OPEN_FILES, windows.ERROR_NOT_ENOUGH_MEMORY, windows.ERROR_OUTOFMEMORY,
		windows.ERROR_NO_PROC_SLOTS, windows.ERROR_MAX_THRDS_REACHED, windows.ERROR_NO_SYSTEM_RESOURCES,
		windows.ERROR_NONPAGED_SYSTEM_RESOURCES, windows.ERROR_PAGED_SYSTEM_RESOURCES,
		windows.ERROR_WORKING_SET_QUOTA, windows.ERROR_PAGEFILE_QUOTA, windows.ERROR_COMMITMENT_LIMIT,
		windows.ERROR_NOT_ENOUGH_QUOTA, windows.WSAEMFILE, windows.WSAENOBUFS:
		return "end some programs, or raise the limit of the job or container"
	case windows.ERROR_FILENAME_EXCED_RANGE:
		return "the hook's arguments do not fit into a command line; let the hook read its stdin"
	}
	return ""
}
