//go:build unix

package process

import "syscall"

// mendOf says how to mend a shortage. E2BIG is one: the model can make a call that is too long for a command line.
func mendOf(code syscall.Errno) string {
	switch code {
	case syscall.EMFILE, syscall.ENFILE:
		return "close files, or raise the limit (ulimit -n, or the system's)"
	case syscall.EAGAIN:
		return "end processes, or raise the limit (ulimit -u, or the container's)"
	case syscall.ENOMEM, syscall.ENOBUFS:
		return "free memory, or raise the limit (ulimit -v, or the container's)"
	case syscall.E2BIG:
		return "let the hook read its stdin instead of arguments and variables"
	}
	return ""
}
