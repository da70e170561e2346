//go:build unix

package e2e

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/hookrun/hookrun/e2e/binary"
	"github.com/hookrun/hookrun/internal/testsupport/testall"
)

// opaVersion is what is built where there is none. It stands outside of go.mod: only this test needs it.
const opaVersion = "v1.22.0"

// findOPA returns the Open Policy Agent of PATH, or builds one where programs may be installed.
func findOPA(t *testing.T) string {
	asked := os.Getenv("HOOKRUN_TEST_CLIENTS") != ""
	path, err := exec.LookPath("opa")
	switch {
	case err == nil && (asked || testall.On()):
		return path
	case !asked:
		t.Skip("it runs opa: HOOKRUN_TEST_CLIENTS=1 does, and takes minutes to build it where it is not on PATH")
	}
	dir := t.TempDir()
	binary.Fetch(t, dir, []string{"GOBIN=" + dir, "GOFLAGS=", "CGO_ENABLED=0"},
		"go", "install", "github.com/open-policy-agent/opa@"+opaVersion)
	return filepath.Join(dir, "opa")
}

// opaPage returns the policy and the hooks file of docs/scale/http.md.
func opaPage(t *testing.T) (policy, hooks string) {
	text, err := os.ReadFile("../docs/scale/http.md")
	require.NoError(t, err)
	_, section, ok := strings.Cut(string(text), "\n## Open Policy Agent\n")
	require.True(t, ok)
	section, _, _ = strings.Cut(section, "\n## ")
	blocks := regexp.MustCompile("(?s)```(rego|json)\n(.*?)```").FindAllStringSubmatch(section, -1)
	require.Len(t, blocks, 2)
	return blocks[0][2], blocks[1][2]
}

// opa is a server of policies.
type opa struct {
	*testing.T
	cmd  *exec.Cmd
	addr string
}

func startOPA(t *testing.T, path, policy string) *opa {
	free, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	addr := free.Addr().String()
	require.NoError(t, free.Close())
	file := filepath.Join(t.TempDir(), "policy.rego")
	require.NoError(t, os.WriteFile(file, []byte(policy), 0o600))
	var log bytes.Buffer
	cmd := exec.Command(path, "run", "--server", "--addr", addr, "--disable-telemetry", "--log-level", "error", file)
	cmd.Stdout, cmd.Stderr = &log, &log
	require.NoError(t, cmd.Start())
	o := &opa{t, cmd, addr}
	ended := make(chan struct{})
	go func() {
		_ = cmd.Wait()
		close(ended)
	}()
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		<-ended
	})
	for until := time.Now().Add(time.Minute); ; {
		answer, err := http.Get("http://" + addr + "/health")
		if err == nil {
			answer.Body.Close()
			if answer.StatusCode == 200 {
				return o
			}
		}
		select {
		case <-ended:
			t.Fatalf("opa ended:\n%s", log.String())
		default:
			require.True(t, time.Now().Before(until), "opa does not answer: %v", err) // it still writes to log
		}
	}
}

// replace puts another policy in the place of the one that was loaded from the file.
func (o *opa) replace(policy string) {
	o.Helper()
	var list struct{ Result []struct{ ID string } }
	answer, err := http.Get("http://" + o.addr + "/v1/policies")
	require.NoError(o, err)
	require.NoError(o, json.NewDecoder(answer.Body).Decode(&list))
	answer.Body.Close()
	require.Len(o, list.Result, 1)
	put, err := http.NewRequest(http.MethodPut, "http://"+o.addr+"/v1/policies/"+list.Result[0].ID,
		strings.NewReader(policy))
	require.NoError(o, err)
	answer, err = http.DefaultClient.Do(put)
	require.NoError(o, err)
	answer.Body.Close()
	require.Equal(o, 200, answer.StatusCode)
}

// TestOpenPolicyAgent runs the policy and the hooks file of the page against a real server.
func TestOpenPolicyAgent(t *testing.T) {
	path := findOPA(t)
	policy, hooks := opaPage(t)
	server := startOPA(t, path, policy)
	dir := t.TempDir()
	require.Contains(t, hooks, "127.0.0.1:8181")
	hooks = strings.ReplaceAll(hooks, "127.0.0.1:8181", server.addr)
	require.NoError(t, os.WriteFile(filepath.Join(dir, ".tenex-hooks.json"), []byte(hooks), 0o600))

	once := func(command string) (exit int, stdout, stderr string) {
		args, err := json.Marshal(map[string]string{"command": command})
		require.NoError(t, err)
		var out, errs bytes.Buffer
		cmd := exec.Command(binary.Path, "pre-tool", "-C", dir, "--tool", "shell", "--args", string(args))
		cmd.Stdout, cmd.Stderr = &out, &errs
		_ = cmd.Run()
		return cmd.ProcessState.ExitCode(), out.String(), errs.String()
	}
	exit, stdout, stderr := once("git push --force")
	require.Equal(t, []any{2, "", "No force pushes.\n"}, []any{exit, stdout, stderr})
	exit, stdout, stderr = once("git push")
	require.Equal(t, []any{0, "", ""}, []any{exit, stdout, stderr})

	serve := startLines(t, binary.Path, "serve", "-C", dir)
	outcome := func(reply string) (o struct {
		ID     int
		Result struct{ Decision, Reason, Cause string }
		Error  any
	}) {
		require.NoError(t, json.Unmarshal([]byte(reply), &o), reply)
		require.Nil(t, o.Error)
		return o
	}
	call := func(id int, command string) string {
		return fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"pre-tool","params":{"tool":"shell",`+
			`"args":{"command":%q}}}`, id, command)
	}
	require.Equal(t, "No force pushes.", outcome(serve.ask(call(1, "git push --force"))).Result.Reason)
	require.Equal(t, "continue", outcome(serve.ask(call(2, "rm -rf x"))).Result.Decision)

	server.replace(strings.NewReplacer("No force pushes.", "Nothing is removed.", `\bgit\s+push\b.*--force\b`,
		`\brm\b`).Replace(policy))
	require.Equal(t, "Nothing is removed.", outcome(serve.ask(call(3, "rm -rf x"))).Result.Reason)
	require.Equal(t, "continue", outcome(serve.ask(call(4, "git push --force"))).Result.Decision)

	var all sync.WaitGroup
	for client := range 8 {
		mine := startLines(t, binary.Path, "serve", "-C", dir)
		all.Go(func() {
			for i := range 25 {
				command, want := "ls", "continue"
				if (client+i)%2 == 0 {
					command, want = "rm x", "block"
				}
				reply := mine.ask(call(i, command))
				if !strings.Contains(reply, fmt.Sprintf(`"decision":%q`, want)) {
					t.Errorf("%s: %s", command, reply)
				}
			}
		})
	}
	all.Wait()
	for id := range 8 { // and eight calls at once of one server
		serve.send(call(100+id, map[bool]string{true: "rm x", false: "ls"}[id%2 == 0]))
	}
	for range 8 {
		o := outcome(serve.read())
		require.Equal(t, map[bool]string{true: "block", false: "continue"}[o.ID%2 == 0], o.Result.Decision)
	}

	server.replace(strings.Replace(policy, "default decision := {}\n", "", 1)) // what is not defined approves nothing
	gone := outcome(serve.ask(call(5, "ls"))).Result
	require.Equal(t, []string{"block", "exit"}, []string{gone.Decision, gone.Cause}, gone.Reason)

	require.NoError(t, server.cmd.Process.Kill())
	for gone.Cause == "exit" { // until it is dead
		gone = outcome(serve.ask(call(6, "ls"))).Result
		require.Equal(t, "block", gone.Decision)
	}
	gone = outcome(serve.ask(call(7, "ls"))).Result
	require.Equal(t, []string{"block", "unstarted"}, []string{gone.Decision, gone.Cause}, gone.Reason)
	exit, stdout, stderr = once("ls")
	require.Equal(t, []any{2, ""}, []any{exit, stdout})
	require.Contains(t, stderr, "pre-tool hook 'opa' could not run: http://"+server.addr)
}

// lineServer is a process that answers lines with lines.
type lineServer struct {
	*testing.T
	in  io.Writer
	out *bufio.Reader
}

func startLines(t *testing.T, argv ...string) *lineServer {
	cmd := exec.Command(argv[0], argv[1:]...)
	in, err := cmd.StdinPipe()
	require.NoError(t, err)
	out, err := cmd.StdoutPipe()
	require.NoError(t, err)
	cmd.Stderr = os.Stderr
	require.NoError(t, cmd.Start())
	t.Cleanup(func() {
		in.Close()
		_ = cmd.Wait()
	})
	return &lineServer{t, in, bufio.NewReader(out)}
}

func (s *lineServer) send(line string) {
	if _, err := io.WriteString(s.in, line+"\n"); err != nil {
		s.Error(err)
	}
}

func (s *lineServer) read() string {
	line, err := s.out.ReadString('\n')
	if err != nil {
		s.Error(err)
	}
	return line
}

func (s *lineServer) ask(line string) string {
	s.send(line)
	return s.read()
}
