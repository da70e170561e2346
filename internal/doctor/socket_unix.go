//go:build unix

package doctor

import (
	"io"
	"net"
	"time"
)

const socketsAreFiles = true

// dial connects to hookrun serve.
func dial(socket string) (io.Closer, error) { return net.DialTimeout("unix", socket, time.Second) }
