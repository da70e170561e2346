//go:build unix

package process

import (
	"errors"
	"fmt"
	"net"
	"os"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestShortage(t *testing.T) {
	for code, lack := range map[syscall.Errno]bool{
		syscall.EMFILE: true, syscall.ENFILE: true, syscall.EAGAIN: true, syscall.ENOMEM: true, syscall.ENOBUFS: true,
		syscall.E2BIG: true, syscall.ENOENT: false, syscall.EACCES: false, syscall.ENOEXEC: false,
		syscall.ETXTBSY: false, syscall.ECONNREFUSED: false, 0: false,
	} {
		for _, err := range []error{
			code, os.NewSyscallError("pipe2", code), &os.PathError{Op: "open", Err: code},
			&StartError{Program{Args: []string{"sh"}}, code}, fmt.Errorf("x: %w", &net.OpError{Op: "dial", Err: code}),
		} {
			got := Shortage(err)
			require.Equal(t, lack, got != "", "%v: %s", err, got)
			require.Equal(t, lack, strings.HasPrefix(got, code.Error()+"; "), got)
		}
	}
	require.Empty(t, Shortage(nil))
	require.Empty(t, Shortage(errors.New("too many open files")), "a text of somebody else")
	require.NotEmpty(t, Shortage(&net.DNSError{Err: "dial udp 127.0.0.1:53: socket: too many open files"}))
	require.Empty(t, Shortage(&net.DNSError{Err: "no such host", Name: "too many open files"}))
}

// TestNoDescriptors starts programs with ever fewer descriptors to spare: each start that fails for them is a shortage.
func TestNoDescriptors(t *testing.T) {
	var was syscall.Rlimit
	require.NoError(t, syscall.Getrlimit(syscall.RLIMIT_NOFILE, &was))
	defer func() { require.NoError(t, syscall.Setrlimit(syscall.RLIMIT_NOFILE, &was)) }()
	free, err := os.Open(os.DevNull)
	require.NoError(t, err)
	lowest := uint64(free.Fd())
	require.NoError(t, free.Close())
	failed := 0
	for spare := range uint64(12) {
		var s Supervisor
		limit := syscall.Rlimit{Cur: lowest + spare, Max: was.Max}
		require.NoError(t, syscall.Setrlimit(syscall.RLIMIT_NOFILE, &limit))
		program := Program{Path: "/bin/sh", Args: []string{"sh", "-c", ":"}, Dir: "/"}
		p, err := s.Start(program, nil, time.Now().Add(time.Minute), nil)
		require.NoError(t, syscall.Setrlimit(syscall.RLIMIT_NOFILE, &was))
		if err != nil {
			failed++
			require.Contains(t, Shortage(err), "ulimit -n")
		} else {
			p.Wait(t.Context())
		}
		s.Close()
	}
	require.Positive(t, failed)
}
