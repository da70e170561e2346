package owner

import (
	"encoding/binary"
	"os"

	"golang.org/x/sys/unix"
)

// Constants of the kernel's posix_acl_xattr.h: kinds and rights of entries in the access list of a file.
const (
	aclUser  = 0x02
	aclGroup = 0x08
	aclWrite = 0x02
)

// aclNamesWriter reports whether an entry of a file's access list lets a named group, or a named user other than this
// user and root, write to the file. The caller has checked that the mode lets the group write: for a file with an
// access list, these bits are the list's mask.
func aclNamesWriter(path string) bool {
	list := make([]byte, 4096)
	n, err := unix.Getxattr(path, "system.posix_acl_access", list)
	if err == unix.ERANGE {
		return true
	}
	if err != nil || n < 4 {
		return false // no list, or a file system without lists
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
