package queue

import (
	"fmt"
	"os"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// What tests of the package itself and those from outside share.
var (
	Escape   = escape
	Unescape = unescape
	Folder   = folder
)

// SetNow moves the clock until restore.
func SetNow(clock func() time.Time) (restore func()) {
	before := now
	now = clock
	return func() { now = before }
}

// LongestName is the longest name that a file gets.
const LongestName = maxFile

// FileName is the name of an entry's file, and what can be read from it.
func FileName(e Entry) (file string, agents []string, matcher string, said bool) {
	n, ok := parseName(newName(newID(1, 2), e).file)
	if !ok {
		panic("no name of an entry: " + n.file)
	}
	if n.agents == inFile {
		return n.file, nil, "", false
	}
	matcher, _ = unescape(n.matcher)
	return n.file, n.targets(), matcher, true
}

// OnStep calls f once, at the first step of that name, until restore.
func OnStep(name string, f func()) (restore func()) {
	before := reached
	reached = func(step string) {
		if step == name && f != nil {
			call := f
			f = nil
			call()
		}
	}
	return func() { reached = before }
}

// DieAtStep kills the process at its step of that number, and says so first. steps is how many there were.
func DieAtStep(number int) (steps func() int) {
	count := 0
	reached = func(step string) {
		if count++; count == number {
			fmt.Println("died at " + strconv.Quote(step))
			p, _ := os.FindProcess(os.Getpid())
			p.Kill()
			select {}
		}
	}
	return func() int { return count }
}

// Removable says whether the folder of a session that is done goes.
const Removable = canMoveOpen

// SetPatience changes how long the lock is waited for, until the test ends.
func SetPatience(t *testing.T, d time.Duration) {
	before := patience
	patience = d
	t.Cleanup(func() { patience = before })
}

// LockSession takes the lock of a session as a process does that is then stopped.
func LockSession(t *testing.T, q Queue, name string) (unlock func()) {
	s, err := q.open(t.Context(), name)
	require.NoError(t, err)
	return s.unlock
}
