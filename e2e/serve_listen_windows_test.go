package e2e

import (
	"crypto/rand"
	"io"
	"os"
	"testing"
)

func newSocket(*testing.T) string { return `\\.\pipe\hookrun-e2e-` + rand.Text() }

func connect(pipe string) (io.ReadWriteCloser, error) { return os.OpenFile(pipe, os.O_RDWR, 0) }
