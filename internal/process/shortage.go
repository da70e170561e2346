package process

import (
	"errors"
	"net"
	"strings"
	"syscall"
)

// Shortage describes what the system lacked when this process tried to start a program or to connect, and says how to
// mend it. "" means that the error has another reason. A shortage is no failure of the program, which did not run.
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
