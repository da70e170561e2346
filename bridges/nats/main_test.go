package main

import (
	"bufio"
	"context"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/stretchr/testify/require"
)

// serverVariable makes the test binary a NATS server in the place of the tests: its port and its folder.
const serverVariable = "HOOKRUN_NATS_TEST_SERVER"

// built is the folder of the programs that tests run.
var built string

func TestMain(m *testing.M) {
	if text := os.Getenv(serverVariable); text != "" {
		serve(text)
	}
	var err error
	if built, err = os.MkdirTemp("", "hookrun-nats"); err != nil {
		panic(err)
	}
	code := m.Run()
	os.RemoveAll(built)
	os.Exit(code)
}

func serve(text string) {
	port, dir, _ := strings.Cut(text, " ")
	number, err := strconv.Atoi(port)
	if err != nil {
		panic(err)
	}
	options := &server.Options{}
	if config := filepath.Join(dir, "nats.conf"); exists(config) {
		if options, err = server.ProcessConfigFile(config); err != nil {
			panic(err)
		}
	}
	options.Host, options.Port, options.JetStream, options.StoreDir = "127.0.0.1", number, true, dir
	options.NoLog, options.NoSigs = true, true
	s, err := server.NewServer(options)
	if err != nil {
		panic(err)
	}
	s.Start()
	if !s.ReadyForConnections(time.Minute) {
		panic("not ready")
	}
	fmt.Println("ready")
	_, _ = bufio.NewReader(os.Stdin).ReadByte() // ends with the test
	os.Exit(0)
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// build builds a program once.
func build(t *testing.T, name, folder string) string {
	t.Helper()
	path := filepath.Join(built, name)
	building.Lock()
	defer building.Unlock()
	if exists(path) {
		return path
	}
	cmd := exec.Command("go", "build", "-buildvcs=false", "-o", path, ".")
	cmd.Dir = folder
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, string(out))
	return path
}

var building sync.Mutex

// process is a program that a test kills and starts again.
type process struct {
	command func() *exec.Cmd
	ready   string // a line on stdout or stderr that says that it runs contains this

	cmd   *exec.Cmd
	stdin *os.File
	lines *lines
}

// lines are what a process has printed.
type lines struct {
	sync.Mutex
	text strings.Builder
	done chan struct{} // closed at the end of the output
	seen chan struct{} // closed when ready was printed
}

func (l *lines) String() string {
	l.Lock()
	defer l.Unlock()
	return l.text.String()
}

func (p *process) start(t *testing.T) {
	p.cmd = p.command()
	read, write, err := os.Pipe()
	require.NoError(t, err)
	stdin, keep, err := os.Pipe()
	require.NoError(t, err)
	p.cmd.Stdout, p.cmd.Stderr, p.cmd.Stdin, p.stdin = write, write, stdin, keep
	require.NoError(t, p.cmd.Start())
	write.Close()
	stdin.Close()
	l := &lines{done: make(chan struct{}), seen: make(chan struct{})}
	p.lines = l
	go func() {
		defer close(l.done)
		ready := false
		for in := bufio.NewScanner(read); in.Scan(); {
			l.Lock()
			fmt.Fprintln(&l.text, in.Text())
			l.Unlock()
			if !ready && strings.Contains(in.Text(), p.ready) {
				ready = true
				close(l.seen)
			}
		}
	}()
}

// wait waits until the process has said that it runs.
func (p *process) wait(t *testing.T) {
	t.Helper()
	select {
	case <-p.lines.seen:
	case <-p.lines.done:
		t.Fatalf("%s ended: %s", p.cmd, p.lines)
	case <-time.After(time.Minute):
		t.Fatalf("%s does not say %q: %s", p.cmd, p.ready, p.lines)
	}
}

func (p *process) kill() {
	_ = p.cmd.Process.Kill()
	_ = p.cmd.Wait()
	p.stdin.Close()
}

// newServer returns a server on a port of its own. The first config is the text of its configuration.
func newServer(t *testing.T, config ...string) (p *process, address string) {
	free, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	port := free.Addr().(*net.TCPAddr).Port
	free.Close()
	dir := t.TempDir()
	for _, text := range config {
		require.NoError(t, os.WriteFile(filepath.Join(dir, "nats.conf"), []byte(text), 0o600))
	}
	p = &process{ready: "ready", command: func() *exec.Cmd {
		cmd := exec.Command(os.Args[0])
		cmd.Env = append(os.Environ(), fmt.Sprintf("%s=%d %s", serverVariable, port, dir))
		return cmd
	}}
	return p, fmt.Sprintf("nats://127.0.0.1:%d", port)
}

// startServer starts a server that ends with the test.
func startServer(t *testing.T, config ...string) (p *process, address string) {
	p, address = newServer(t, config...)
	p.start(t)
	p.wait(t)
	t.Cleanup(func() { p.kill() })
	return p, address
}

// newBridge returns a bridge with a state folder.
func newBridge(t *testing.T, address, state string, args ...string) *process {
	program := build(t, "hookrun-nats", ".")
	return &process{ready: "connected to", command: func() *exec.Cmd {
		cmd := exec.Command(program, args...)
		cmd.Env = append(os.Environ(), "NATS_URL="+address, "HOOKRUN_STATE="+state)
		return cmd
	}}
}

// client is what an orchestrator has.
type client struct {
	conn *nats.Conn
	js   jetstream.JetStream
}

func connect(t *testing.T, address string, options ...nats.Option) client {
	conn, err := nats.Connect(address, append(options, nats.MaxReconnects(-1), nats.ReconnectWait(50*time.Millisecond),
		nats.ReconnectBufSize(-1))...)
	require.NoError(t, err)
	t.Cleanup(conn.Close)
	js, err := jetstream.New(conn)
	require.NoError(t, err)
	return client{conn, js}
}

// publish publishes a text until the server has it.
func (c client) publish(ctx context.Context, agent, text string, headers ...string) error {
	m := nats.NewMsg(textsPrefix + agent)
	m.Data = []byte(text)
	for i := 0; i < len(headers); i += 2 {
		m.Header.Add(headers[i], headers[i+1])
	}
	for {
		try, cancel := context.WithTimeout(ctx, 2*time.Second) // the answer may be lost with the server
		_, err := c.js.PublishMsg(try, m)
		cancel()
		if err == nil || ctx.Err() != nil {
			return err
		}
		wait(ctx, 10*time.Millisecond)
	}
}
