package owner

import (
	"encoding/binary"
	"os"

	"golang.org/x/sys/unix"
)

// Kinds of entries in the access list of a file, as the kernel's posix_acl_xattr.h has them.
const (
	aclUser  = 0x02
	aclGroup = 0x08
	aclMask  = 0x10
	aclWrite = 0x02
)

// aclWrites reports whether the access list of a file lets a user or a group write to it that the mode does not name.
func aclWrites(path string) bool {
	list := make([]byte, 4096)
	n, err := unix.Getxattr(path, "system.posix_acl_access", list)
	if err == unix.ERANGE {
		return true
	}
	if err != nil || n < 4 {
		return false // the file has none, or the file system knows none
	}
	mask, writes := uint16(0xffff), uint16(0)
	for entry := list[4:n]; len(entry) >= 8; entry = entry[8:] {
		kind, perm := binary.LittleEndian.Uint16(entry), binary.LittleEndian.Uint16(entry[2:])
		id := binary.LittleEndian.Uint32(entry[4:])
		switch {
		case kind == aclMask:
			mask = perm
		case kind == aclGroup, kind == aclUser && id != 0 && id != uint32(os.Geteuid()):
			writes |= perm
		}
	}
	return writes&mask&aclWrite != 0
}
