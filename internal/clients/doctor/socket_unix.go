//go:build unix

package doctor

import (
	"net"
	"time"
)

const socketsAreFiles = true

// dial connects to hookrun serve, and closes the connection.
func dial(socket string) error {
	conn, err := net.DialTimeout("unix", socket, time.Second)
	if err == nil {
		conn.Close()
	}
	return err
}
