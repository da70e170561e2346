// Package machine names this machine and this user, for the heartbeats of a run log.
//
//	host, id, user := machine.Host(), machine.ID(), machine.User()
//
// Not guaranteed: that a name is true. The user can set the variables, and clones of a disk may have one ID.
package machine

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"os"
	"strconv"
	"strings"
)

// Host returns the name of the host, or "".
func Host() string {
	name, _ := os.Hostname()
	return name
}

// ID returns an ID that stays the same until the system is installed anew, or "". The ID is a hash, because the
// system's own ID is confidential.
func ID() string {
	id := strings.TrimSpace(systemID())
	if len(id) < 16 { // an image without an ID has the word "uninitialized" at most
		return ""
	}
	sum := sha256.Sum256([]byte("hookrun " + id))
	return hex.EncodeToString(sum[:16])
}

// User returns the name of the user.
func User() string {
	name := cmp.Or(os.Getenv("USER"), os.Getenv("LOGNAME"), os.Getenv("USERNAME"))
	if uid := os.Getuid(); name == "" && uid >= 0 {
		name = "uid " + strconv.Itoa(uid)
	}
	return name
}
