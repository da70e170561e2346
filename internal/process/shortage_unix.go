//go:build unix

package process

import "syscall"

// mendOf says how to mend a shortage. E2BIG is one too, because a call can be too long for a command line, and the
// model makes the call. ETXTBSY is not: the hook's own file is being written.
func mendOf(code syscall.Errno) string {
	switch code {
	case syscall.EMFILE:
		return "raise the limit of open files (ulimit -n)"
	case syscall.ENFILE:
		return "end some programs, or raise the system's limit of open files and pipes"
	case syscall.EAGAIN:
		return "end some processes, or raise the limit of processes (ulimit -u, or the container's)"
	case syscall.ENOMEM, syscall.ENOBUFS:
		return "end some programs, or raise the limit of memory (ulimit -v, or the container's)"
	case syscall.E2BIG:
		return "the hook's arguments and environment do not fit into a command line; let the hook read its stdin"
	}
	return ""
}
