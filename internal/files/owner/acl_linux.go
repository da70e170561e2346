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
	aclWrite = 0x02
)

// aclNamesWriter reports whether the access list of a file lets a user or a group write to it that the mode does not
// name, if the mode's bits for the group allow that: of a file with an access list these are the list's mask.
func aclNamesWriter(path string) bool {
	list := make([]byte, 4096)
	n, err := unix.Getxattr(path, "system.posix_acl_access", list)
	if err == unix.ERANGE {
		return true
	}
	if err != nil || n < 4 {
		return false // the file has none, or the file system knows none
	}
	for entry := list[4:n]; len(entry) >= 8; entry = entry[8:] {
		kind, perm := binary.LittleEndian.Uint16(entry), binary.LittleEndian.Uint16(entry[2:])
		id := binary.LittleEndian.Uint32(entry[4:])
		isOther := kind == aclGroup || kind == aclUser && id != 0 && id != uint32(os.Geteuid())
		if isOther && perm&aclWrite != 0 {
			return true
		}
	}
	return false
}
