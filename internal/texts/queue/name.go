package queue

import (
	"encoding/hex"
	"fmt"
	"hash/fnv"
	"math"
	"math/rand/v2"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Some file systems, such as eCryptfs, allow names of 143 bytes only.
const (
	maxFile   = 140
	maxFolder = 100 // ID=FOLDER must fit into maxFile
)

const (
	empty     = "%"  // the name of ""; an escape has two digits
	hashed    = "%%" // precedes the hash of a text that is too long
	broadcast = "@"
	inFile    = "+"
)

// isDevice reports whether Windows reserves a name for a device.
func isDevice(text string) bool {
	if len(text) == 4 && '0' <= text[3] && text[3] <= '9' {
		return text[:3] == "com" || text[:3] == "lpt"
	}
	return slices.Contains([]string{"con", "prn", "aux", "nul"}, text)
}

// escape returns a file name for any text. Different texts get different names, even if the file system ignores case.
func escape(text string) string {
	if text == "" {
		return empty
	}
	var b strings.Builder
	for i := range len(text) {
		c := text[i]
		if 'a' <= c && c <= 'z' || '0' <= c && c <= '9' || c == '_' || c == '-' {
			if i > 0 || !isDevice(text) {
				b.WriteByte(c)
				continue
			}
		}
		fmt.Fprintf(&b, "%%%02X", c)
	}
	return b.String()
}

// unescape returns the text of a file name. It reports false for a name that escape never returns, so each text has one
// name.
func unescape(name string) (text string, ok bool) {
	if name == empty {
		return "", true
	}
	text, err := url.PathUnescape(name)
	return text, err == nil && escape(text) == name
}

// folder returns the name of a session's or an agent's folder.
func folder(text string) string {
	if name := escape(text); len(name) <= maxFolder {
		return name
	}
	sum := fnv.New128a() // not a secure hash: an attacker gains nothing by a collision
	sum.Write([]byte(text))
	return hashed + hex.EncodeToString(sum.Sum(nil))
}

// name is the content of an entry's file name.
type name struct {
	folder  string // of the session
	file    string
	id      string
	expires int64  // in nanoseconds; 0: never
	agents  string // escaped, with commas; or broadcast; or inFile
	matcher string // escaped
}

func newName(id string, e Entry) name {
	n := name{id: id, agents: broadcast, matcher: escape(e.Matcher)}
	if !e.Expires.IsZero() {
		n.expires = nanoseconds(e.Expires)
	}
	if e.Agents != nil {
		escaped := make([]string, len(e.Agents))
		for i, agent := range e.Agents {
			escaped[i] = escape(agent)
		}
		n.agents = strings.Join(escaped, ",")
	}
	start := fmt.Sprintf("%s.%016x.", id, n.expires)
	if n.file = start + n.agents + "." + n.matcher; len(n.file) > maxFile {
		n.file = start + inFile
	}
	return n
}

// with returns the full name, using the entry's fields that did not fit into the file name.
func (n name) with(e Entry) name {
	full := newName(n.id, e)
	full.folder, full.file, full.expires = n.folder, n.file, n.expires
	return full
}

// nanoseconds returns the time since 1970, or the maximum after the year 2261.
func nanoseconds(t time.Time) int64 {
	if t.Year() > 2261 {
		return math.MaxInt64
	}
	return t.UnixNano()
}

// unique returns a random name.
func unique() string { return fmt.Sprintf("%016x%010x", rand.Uint64(), rand.Uint64()>>24) }

// newID returns an id that sorts by order. The random part distinguishes the ids of two sessions.
func newID(order int64, random uint32) string { return fmt.Sprintf("%016x-%08x", order, random) }

const idLength = 16 + 1 + 8

// parseName parses an entry's file name, and reports false for other files.
func parseName(file string) (n name, ok bool) {
	n.file = file
	parts := append(strings.SplitN(file, ".", 4), "", "", "")
	n.id, n.agents, n.matcher = parts[0], parts[2], parts[3]
	expires, err := strconv.ParseInt(parts[1], 16, 64)
	n.expires = expires
	ok = len(n.id) == idLength && len(parts[1]) == 16 && err == nil && n.agents != ""
	return n, ok && (n.matcher != "" || n.agents == inFile)
}

func (n name) expired(now time.Time) bool { return n.expires != 0 && nanoseconds(now) > n.expires }

// shared reports whether the entry is for several agents, whose marks record the delivery.
func (n name) shared() bool {
	return n.agents == broadcast || n.agents == inFile || strings.Contains(n.agents, ",")
}

// reaches reports whether the entry is for the agent; agent is an escaped name.
func (n name) reaches(agent string) bool {
	return n.agents == broadcast || slices.Contains(strings.Split(n.agents, ","), agent)
}

// targets returns the agents named by the entry, or nil for a broadcast.
func (n name) targets() (agents []string) {
	if n.agents == broadcast {
		return nil
	}
	for one := range strings.SplitSeq(n.agents, ",") {
		if agent, ok := unescape(one); ok && !slices.Contains(agents, agent) {
			agents = append(agents, agent)
		}
	}
	return agents
}
