package pack

import (
	"strings"

	"github.com/hookrun/hookrun/internal/lib/secret"
)

// keyInText finds a key or a token in the arguments of any tool.
func keyInText(c *Call) Found { return Found{Subject: secret.InText(c.Args)} }

// dumpIn returns the word in a program text that prints the whole environment, or "".
func dumpIn(text string) string {
	prints := strings.Contains(text, "print")
	for _, word := range [...]string{"process.env", "os.environ", "environ", "env.to_h", "%env", "getenv()",
		"printenv"} {
		for rest := text; ; {
			before, behind, ok := strings.Cut(rest, word)
			if !ok {
				break
			}
			rest = behind
			next := strings.TrimLeft(behind, " ")
			ends := next == "" || strings.IndexByte(`)'";`, next[0]) >= 0 || strings.HasPrefix(next, ".items") ||
				strings.HasPrefix(next, "\n")
			starts := strings.HasSuffix(before, "(") || strings.HasSuffix(before, "-p ") || word == "env.to_h" ||
				strings.HasSuffix(before, "-p '") || strings.HasSuffix(before, `-p "`) || word == "%env" ||
				word == "getenv()" || word == "printenv" ||
				word == "environ" && strings.Contains(before[max(0, len(before)-12):], "/proc/")
			starts = starts || prints && strings.HasPrefix(next, ".items")
			if ends && starts {
				return word
			}
		}
	}
	return ""
}
