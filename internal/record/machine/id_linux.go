package machine

import "github.com/hookrun/hookrun/internal/lib/files/regular"

func systemID() string {
	text, _, _ := regular.Read("/etc/machine-id", 128)
	return string(text)
}
