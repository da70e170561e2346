package process

import (
	"errors"
	"net"
	"strings"
	"syscall"
)

// Shortage returns what the system lacked to start a program or to connect, and how to mend it; "" for other errors.
func Shortage(err error) string {
	code, _ := errors.AsType[syscall.Errno](err)
	if dns, ok := errors.AsType[*net.DNSError](err); ok { // it has the text of the system's error alone
		for _, c := range []syscall.Errno{syscall.EMFILE, syscall.ENFILE, syscall.ENOMEM} {
			if strings.HasSuffix(dns.Err, c.Error()) {
				code = c
			}
		}
	}
	if mend := mendOf(code); mend != "" {
		return code.Error() + "; " + mend
	}
	return ""
}
