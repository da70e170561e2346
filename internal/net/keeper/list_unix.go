//go:build unix

package keeper

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/hookrun/hookrun/internal/lib/files/lock"
	"github.com/hookrun/hookrun/internal/lib/peer"
)

const (
	// folderName is the folder of the sockets in the state folder.
	folderName = "keepers"
	// maxKeepers is how many keepers a hook has in a workspace, for instance for several environments.
	maxKeepers = 8
	// answerTime is how long a keeper may take to send an Info, and endTime how long to end.
	answerTime = time.Second
	endTime    = 5 * time.Second
)

// info returns the Info of the keeper.
func (k *keeper) info() Info {
	k.mu.Lock()
	defer k.mu.Unlock()
	i := Info{Hook: k.hook, Workspace: k.workspace, PID: os.Getpid(), Since: k.began, Calls: k.calls.Load(),
		Keep: k.order.Keep, Processes: k.pool.PIDs(), Busy: k.open}
	if k.open == 0 {
		i.Idle = time.Since(k.lastUse)
	}
	return i
}

// shown is an Info as sent by a keeper.
type shown struct {
	Info
	Idle, Keep time.Duration
	Numbers    string // see numbers
}

// filesIn returns the paths of the files in a folder with a suffix. A glob would read a bracket in the folder's name.
func filesIn(folder, suffix string) (paths []string) {
	entries, _ := os.ReadDir(folder)
	for _, e := range entries {
		if strings.HasSuffix(e.Name(), suffix) {
			paths = append(paths, filepath.Join(folder, e.Name()))
		}
	}
	return paths
}

// List returns the keepers in a state folder, sorted by workspace and hook. A keeper that does not answer is left out.
func List(state string) (all []Info) {
	for _, path := range filesIn(filepath.Join(state, folderName), ".sock") {
		if i, err := look(path); err == nil {
			all = append(all, i)
		}
	}
	slices.SortFunc(all, Info.compare)
	return all
}

// dial connects to the keeper of a socket, if it is of this user.
func dial(path string, patience time.Duration) (*conn, error) {
	d := net.Dialer{Timeout: patience}
	c, err := d.Dial("unix", path)
	if err != nil {
		return nil, err
	}
	of := c.(*net.UnixConn)
	if uid, err := peer.User(of); err != nil || uid != os.Getuid() {
		c.Close()
		return nil, errors.Join(errors.New("the socket of another user"), err)
	}
	return newConn(of), nil
}

// look asks a keeper for the Info.
func look(path string) (i Info, err error) {
	c, err := dial(path, answerTime)
	if err != nil {
		return i, err
	}
	defer c.Close()
	if err = c.send(looks); err != nil {
		return i, err
	}
	text, err := c.expect(shows, time.Now().Add(answerTime))
	if err != nil {
		return i, err
	}
	var s shown
	err = json.Unmarshal(text, &s)
	i = s.Info
	i.socket, i.Idle, i.Keep = path, s.Idle, s.Keep
	if i.Elsewhere = s.Numbers != numbers(); !i.Elsewhere {
		i.Memory = memory(append(i.Processes, i.PID))
	}
	return i, err
}

// End ends a keeper with all processes, and returns when they are gone. A keeper that hangs is killed.
func (i *Info) End() error { return i.end(ends) }

func (i *Info) end(how kind) error {
	c, err := dial(i.socket, answerTime)
	if err != nil {
		return nil // the keeper has ended
	}
	defer c.Close()
	if err = c.send(how); err != nil {
		return err
	}
	_ = c.SetReadDeadline(time.Now().Add(endTime))
	switch _, _, err = c.receive(); {
	case !errors.Is(err, os.ErrDeadlineExceeded):
	case i.Elsewhere:
		return fmt.Errorf("the process that keeps hook %q hangs in another container; end it there", i.Hook)
	default:
		return syscall.Kill(i.PID, syscall.SIGKILL) // the connection is open, so the pid is still the keeper's
	}
	return nil
}

// tidy ends the keepers of the same hook idle for longest, if the hook has too many, and removes the files of killed
// keepers.
func (k *keeper) tidy() {
	others := slices.DeleteFunc(List(filepath.Dir(filepath.Dir(k.socket))), func(i Info) bool {
		return i.Hook != k.hook || i.Workspace != k.workspace || i.socket == k.socket
	})
	settings := k.socket[:len(k.socket)-len(".sock")-(nameSize-settingsSize)]
	others = slices.DeleteFunc(others, func(i Info) bool { // of files that have changed since
		return strings.HasPrefix(i.socket, settings) && i.end(yields) == nil
	})
	slices.SortFunc(others, func(a, b Info) int { return cmp.Compare(b.Idle, a.Idle) }) // busy keepers last
	for n := range max(0, len(others)+1-maxKeepers) {
		_ = others[n].end(yields)
	}
	for _, path := range filesIn(filepath.Dir(k.socket), ".lock") {
		file, err := os.OpenFile(path, os.O_RDWR, 0)
		if err != nil {
			continue
		}
		if free, err := lock.Try(file); free && err == nil {
			os.Remove(strings.TrimSuffix(path, ".lock") + ".sock")
			os.Remove(path)
		}
		file.Close()
	}
}
