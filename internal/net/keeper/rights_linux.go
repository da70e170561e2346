package keeper

import (
	"os"
	"strings"

	"golang.org/x/sys/unix"
)

// rights returns the limits, user, groups, capabilities, filters and namespaces of this process. A process started with
// other rights returns other texts.
func rights() (all []string) {
	const kinds = 16 // of limits
	var limits []byte
	for i := range kinds {
		var of unix.Rlimit
		_ = unix.Getrlimit(i, &of)
		limits = append(append(limits, bytesOf(int64(of.Cur))...), bytesOf(int64(of.Max))...) //nolint:gosec // bits
	}
	all = append(all, string(limits))
	for line := range strings.Lines(status()) {
		switch name, _, _ := strings.Cut(line, ":"); name {
		case "Umask", "Uid", "Gid", "Groups", "CapEff", "NoNewPrivs", "Seccomp":
			all = append(all, line)
		}
	}
	for _, name := range [...]string{"mnt", "net", "pid", "user"} {
		of, _ := os.Readlink("/proc/self/ns/" + name)
		all = append(all, of)
	}
	return all
}

// status returns what the system says of this process. The system makes the text anew for each read.
func status() string {
	fd, err := unix.Open("/proc/self/status", unix.O_RDONLY|unix.O_CLOEXEC, 0)
	if err != nil {
		return ""
	}
	defer unix.Close(fd)
	text := make([]byte, 16<<10) // a user may be in many groups
	n, _ := unix.Read(fd, text)
	return string(text[:max(n, 0)])
}

// numbers names the namespace of process ids: a container that shares the state folder has others.
func numbers() string {
	of, _ := os.Readlink("/proc/self/ns/pid")
	return of
}
