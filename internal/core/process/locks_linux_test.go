package process

// Tests of what goroutines wait for.

import (
	"runtime"
	"sync"
	"syscall"
	"testing"
	"time"
)

// lockTime is how long the test waits before it takes goroutines that wait for each other for a deadlock.
const lockTime = 20 * time.Second

// A start that fails, a start of the watchdog and a goroutine that reaps orphans come together at the worst moment: the
// first is about to free its record, the second holds the lock of the records, and the third waits until nothing is
// being started. Nobody may wait for the others then.
func TestLockOrder(t *testing.T) {
	s := Supervisor{OneShot: true}
	syscall.ForkLock.RLock() // no fork gets further than to this lock
	var all sync.WaitGroup
	all.Go(func() {
		_, err := s.start(Program{Path: "/nowhere/to/be/found", Args: []string{"found"}}, [3]uintptr{0, 1, 2},
			outlivesUs, &s.watchdog)
		if err == nil {
			t.Error("a program was started that is not there")
		}
	})
	spin(func() bool { return held(starting.TryLock, starting.Unlock) })
	all.Go(func() {
		starting.Lock() // as reapOrphans does
		defer starting.Unlock()
	})
	spin(func() bool { return held(starting.TryRLock, starting.RUnlock) })
	all.Go(s.watchdog.begin)
	spin(func() bool { return held(s.watchdog.mu.TryLock, s.watchdog.mu.Unlock) })
	syscall.ForkLock.RUnlock()
	done := make(chan struct{})
	go func() {
		defer close(done)
		all.Wait()
	}()
	if !within(done, lockTime) {
		t.Fatal("deadlock")
	}
	s.Close()
}

// Those who look for descendants while another look goes on share one look, which begins after they asked.
func TestScansAreShared(t *testing.T) {
	const callers = 50
	scans.reading.Lock() // as a look that goes on
	var all sync.WaitGroup
	tables := make([]*table, callers)
	for i := range tables {
		all.Go(func() { tables[i] = processes() })
	}
	spin(func() bool {
		scans.mu.Lock()
		defer scans.mu.Unlock()
		return scans.next != nil && scans.next.sharers == callers
	})
	scans.reading.Unlock()
	all.Wait()
	for _, one := range tables {
		if one != tables[0] || len(one.stats) == 0 {
			t.Fatal("a look of its own")
		}
	}
	if processes() == tables[0] {
		t.Fatal("a look that began before it was asked for")
	}
}

// spin waits for something that another goroutine is about to do.
func spin(done func() bool) {
	for !done() {
		runtime.Gosched()
	}
}

// held reports whether somebody holds a lock.
func held(try func() bool, unlock func()) bool {
	if try() {
		unlock()
		return false
	}
	return true
}
