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

// A file system may have room for no more than 143 bytes in a name (eCryptfs).
const (
	maxFile   = 140
	maxFolder = 100 // ID=FOLDER is a name as well
)

const (
	empty     = "%"  // "", which cannot be a name; an escape has two digits behind it
	hashed    = "%%" // then a hash of what was too long
	broadcast = "@"
	unsaid    = "+"
)

// isDevice reports whether a text cannot be the name of a file on Windows.
func isDevice(text string) bool {
	if len(text) == 4 && '0' <= text[3] && text[3] <= '9' {
		return text[:3] == "com" || text[:3] == "lpt"
	}
	return slices.Contains([]string{"con", "prn", "aux", "nul"}, text)
}

// escape makes a name for files of any text: a different one for each, also where A and a are the same.
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

// unescape reports false for what escape would not have written: one text, one name.
func unescape(name string) (text string, ok bool) {
	if name == empty {
		return "", true
	}
	text, err := url.PathUnescape(name)
	return text, err == nil && escape(text) == name
}

// folder is the name of a session's or an agent's folder.
func folder(text string) string {
	if name := escape(text); len(name) <= maxFolder {
		return name
	}
	sum := fnv.New128a() // nobody gains by two sessions of one name
	sum.Write([]byte(text))
	return hashed + hex.EncodeToString(sum.Sum(nil))
}

// name is what the name of an entry's file says.
type name struct {
	file    string
	id      string
	expires int64  // in nanoseconds; 0: never
	agents  string // escaped, with commas; broadcast; or unsaid: the file must be opened
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
		n.file = start + unsaid
	}
	return n
}

// with is the name with all that the entry says, also if the file's has no room for it.
func (n name) with(e Entry) name {
	full := newName(n.id, e)
	full.file, full.expires = n.file, n.expires
	return full
}

// nanoseconds is the time since 1970, or the last that there is for a time beyond the year 2261.
func nanoseconds(t time.Time) int64 {
	if t.Year() > 2261 {
		return math.MaxInt64
	}
	return t.UnixNano()
}

// unique is a name that nobody else has.
func unique() string { return fmt.Sprintf("%016x%010x", rand.Uint64(), rand.Uint64()>>24) }

// newID puts the order first, in a width that sorts. What follows keeps the ids of two sessions apart.
func newID(order int64, random uint32) string { return fmt.Sprintf("%016x-%08x", order, random) }

const idLength = 16 + 1 + 8

// parseName reports false for the name of anything but an entry.
func parseName(file string) (n name, ok bool) {
	n.file = file
	parts := append(strings.SplitN(file, ".", 4), "", "", "")
	n.id, n.agents, n.matcher = parts[0], parts[2], parts[3]
	expires, err := strconv.ParseInt(parts[1], 16, 64)
	n.expires = expires
	ok = len(n.id) == idLength && len(parts[1]) == 16 && err == nil && n.agents != ""
	return n, ok && (n.matcher != "" || n.agents == unsaid)
}

func (n name) expired(now time.Time) bool { return n.expires != 0 && nanoseconds(now) > n.expires }

// shared: there are or may be marks about it, of those of its agents that were given it.
func (n name) shared() bool {
	return n.agents == broadcast || n.agents == unsaid || strings.Contains(n.agents, ",")
}

// reaches reports whether it reaches an agent, whose name is escaped.
func (n name) reaches(agent string) bool {
	return n.agents == broadcast || slices.Contains(strings.Split(n.agents, ","), agent)
}

// targets is the agents by name; nil for a broadcast.
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
