package e2e

import (
	"encoding/binary"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	binaries "github.com/hookrun/hookrun/e2e/binary"
)

// While files are hashed a signal ends hookrun, which has no hook to kill yet.
func TestSignalWhileHashing(t *testing.T) {
	p := newProject(t)
	p.write(".tenex-hooks.json",
		`{"hooks": [{"name": "guard", "command": ["cat", "policy.txt"], "events": ["pre-tool"]}]}`)
	p.write("policy.txt", "x\n")
	policy := filepath.Join(p.dir, "policy.txt")
	require.NoError(t, os.Truncate(policy, 255<<20))
	cmd := exec.Command(binaries.Path, "pre-tool", "--tool", "t", "--session-id", "s", "--pin")
	cmd.Dir, cmd.Env = p.dir, append(binaries.Environment(p.dir), p.env...)
	require.NoError(t, cmd.Start())
	for !reads(cmd.Process.Pid, policy) {
		runtime.Gosched()
	}
	require.NoError(t, cmd.Process.Signal(syscall.SIGTERM))
	_ = cmd.Wait()
	// Signals are registered meanwhile: before that, one kills hookrun, and the caller has no verdict either.
	require.Contains(t, []int{1, -1}, cmd.ProcessState.ExitCode())
}

// reads reports whether a process has read some of a file, or has ended.
func reads(pid int, path string) bool {
	folder := fmt.Sprintf("/proc/%d/fd", pid)
	entries, err := os.ReadDir(folder)
	if err != nil || len(entries) == 0 {
		return true
	}
	for _, entry := range entries {
		if to, err := os.Readlink(filepath.Join(folder, entry.Name())); err == nil && to == path {
			info, err := os.ReadFile(filepath.Join(folder+"info", entry.Name()))
			var at int
			_, _ = fmt.Sscanf(string(info), "pos: %d", &at)
			return err == nil && at > 4<<20
		}
	}
	return false
}

// Who has mapped a script changes its content without a new time of change, once the page is dirty. The hook itself is
// the attacker here: what it ran is no longer what was hashed.
func TestMappedScript(t *testing.T) {
	requireRow(t, "script mapped into memory and changed while it runs", "this call")
	p := newProject(t)
	p.write(".tenex-hooks.json",
		`{"hooks": [{"name": "guard", "command": ["sh", "guard.sh"], "events": ["pre-tool"]}]}`)
	script, pipe := filepath.Join(p.dir, "guard.sh"), filepath.Join(p.dir, "go")
	p.write("guard.sh", "echo ready > ready; read x < go; exit 0\n")
	require.NoError(t, unix.Mkfifo(pipe, 0o600))
	require.NoError(t, unix.Mkfifo(filepath.Join(p.dir, "ready"), 0o600))
	file, err := os.OpenFile(script, os.O_RDWR, 0)
	require.NoError(t, err)
	defer file.Close()
	info, err := file.Stat()
	require.NoError(t, err)
	mapped, err := unix.Mmap(int(file.Fd()), 0, int(info.Size()), unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED)
	require.NoError(t, err)
	defer unix.Munmap(mapped)
	copy(mapped, "x") // the page is dirty from here on
	copy(mapped, "e")
	p.allow()
	call := exec.Command(binaries.Path, "pre-tool", "--tool", "t", "--trust", "required")
	call.Dir, call.Env = p.dir, append(binaries.Environment(p.dir), p.env...)
	require.NoError(t, call.Start())
	ready, err := os.ReadFile(filepath.Join(p.dir, "ready")) // the hook runs
	require.NoError(t, err)
	require.Equal(t, "ready\n", string(ready))
	copy(mapped, "evil")
	require.NoError(t, os.WriteFile(pipe, []byte("x\n"), 0))
	_ = call.Wait()
	require.Equal(t, 2, call.ProcessState.ExitCode())
}

// An access list gives another user what the mode does not show.
func TestAccessListOfHooksFile(t *testing.T) {
	p := newProject(t)
	path := filepath.Join(p.dir, ".tenex-hooks.json")
	require.NoError(t, os.Chmod(path, 0o644))
	list := binary.LittleEndian.AppendUint32(nil, 2)
	const none = ^uint32(0)
	for _, entry := range [][3]uint32{ // user::rw, user:65534:rw, group::r, mask::rw, other::r
		{0x01, 6, none}, {0x02, 6, 65534}, {0x04, 4, none}, {0x10, 6, none}, {0x20, 4, none},
	} {
		list = binary.LittleEndian.AppendUint16(list, uint16(entry[0]))
		list = binary.LittleEndian.AppendUint16(list, uint16(entry[1]))
		list = binary.LittleEndian.AppendUint32(list, entry[2])
	}
	if err := unix.Setxattr(path, "system.posix_acl_access", list, 0); err != nil {
		t.Skipf("the file system has no access lists: %v", err)
	}
	p.blocks("untrusted", "another user can change the hooks file "+path, p.dir, "--trust", "required")

	config := filepath.Join(p.home, "config", "hookrun", "hooks.json")
	require.NoError(t, os.MkdirAll(filepath.Dir(config), 0o700))
	require.NoError(t, os.WriteFile(config, []byte(`{"hooks": []}`), 0o600))
	require.NoError(t, unix.Setxattr(config, "system.posix_acl_access", list, 0))
	got := p.run(p.dir, "pre-tool", "--tool", "t")
	require.Equal(t, 1, got.Code)
	require.Contains(t, got.Stderr, "can be written to by other users; fix it with: chmod go-w "+config)
	require.NoError(t, os.Chmod(config, 0o600)) // which takes the mask's right away
	require.NotEqual(t, 1, p.run(p.dir, "pre-tool", "--tool", "t").Code)
}
