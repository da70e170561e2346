package runlog

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hookrun/hookrun/internal/core/dialect"
)

// role is what the test binary does in place of the tests when a test starts it again.
type role struct {
	Name    string // of an entry of roles
	Path    string
	MaxSize int64
	Who     string
	From    int // the number of its first entry
	To      int
	Room    uint64 // how much larger the log may become
}

var roles = map[string]func(role) error{"writer": writeAll}

func TestMain(m *testing.M) {
	text := os.Getenv("HOOKRUN_RUNLOG_ROLE")
	if text == "" {
		os.Exit(m.Run())
	}
	var r role
	if err := json.Unmarshal([]byte(text), &r); err != nil {
		panic(err)
	}
	if err := roles[r.Name](r); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// command starts the test binary in a role.
func (r role) command(t *testing.T) *exec.Cmd {
	t.Helper()
	text, err := json.Marshal(r)
	require.NoError(t, err)
	self, err := os.Executable()
	require.NoError(t, err)
	cmd := exec.Command(self)
	cmd.Env = append(os.Environ(), "HOOKRUN_RUNLOG_ROLE="+string(text))
	cmd.Stderr = os.Stderr
	return cmd
}

// payload is the result that a writer's entry of a number has. Some are long, and a process that is killed writes a
// part of them.
func payload(who string, i int) string {
	piece := fmt.Sprintf("%s/%d/é😀\n\"", who, i)
	return strings.Repeat(piece, 1+(i*7919+len(who))%200)
}

// writeAll appends entries and reports each.
func writeAll(r role) error {
	l, err := New(Options{Path: r.Path, MaxSize: r.MaxSize})
	if err != nil {
		return err
	}
	for i := r.From; i < r.To; i++ {
		e := Entry{Time: begun, Command: "serve",
			Call: &dialect.Call{Event: "post-tool", SessionID: r.Who, ToolUseID: fmt.Sprint(i),
				Result: payload(r.Who, i)}}
		if err := l.Append(&e); err != nil {
			fmt.Println("not", i, err)
		} else {
			fmt.Println("put", i)
		}
	}
	return nil
}
