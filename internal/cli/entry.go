package cli

import (
	"fmt"
	"runtime"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/spf13/pflag"

	"github.com/hookrun/hookrun/internal/install"
)

// The entry written by install accepts only an answer of fire, see package install.
const (
	entryByMark   = "mark"
	entryByStatus = "status"
	exitAnswered  = 6
)

// defineEntry adds the flags of a client's entry.
func (f *callFlags) defineEntry(flags *pflag.FlagSet) {
	const before = "{WORDS}: with --trust required, what becomes of calls before the hooks are allowed"
	defineWord(flags, &f.beforeAllow, "before-allow", "continue", before, "block", "continue")
	const managed = "for install --managed's entry: answer, also if the client runs another entry for the call"
	flags.BoolVar(&f.managed, "managed", false, managed)
	const entry = "{WORDS}, for install's entry: print a mark before the answer, or exit with 6, not 0"
	defineWord(flags, &f.entry, "entry", "", entry, entryByMark, entryByStatus)
}

// answer returns the text for stdout with the client's answer.
func (f *callFlags) answer(line []byte) string {
	if f.entry == entryByMark {
		if runtime.GOOS == "windows" { // PowerShell reads the answer in the code page of the console
			line = ascii(line)
		}
		return install.AnswerMark + string(line) + "\n"
	}
	if len(line) == 0 {
		return ""
	}
	return string(line) + "\n"
}

// status returns the exit status with an answer.
func (f *callFlags) status(exit int) int {
	if exit == exitOK && f.entry == entryByStatus {
		return exitAnswered
	}
	return exit
}

// ascii escapes the non-ASCII characters of JSON.
func ascii(json []byte) (escaped []byte) {
	if len(json) == 0 || json[0] != '{' { // at a few events, the answer is plain text
		return json
	}
	for _, r := range string(json) {
		switch {
		case r < utf8.RuneSelf:
			escaped = append(escaped, byte(r))
		case r > 0xffff:
			high, low := utf16.EncodeRune(r)
			escaped = fmt.Appendf(escaped, `\u%04x\u%04x`, high, low)
		default:
			escaped = fmt.Appendf(escaped, `\u%04x`, r)
		}
	}
	return escaped
}
