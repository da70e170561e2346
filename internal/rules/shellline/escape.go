package shellline

import (
	"strconv"
	"strings"
)

// dollarText returns the text of $'…', or false if bash and zsh differ in an escape, or an escape is no character of
// ASCII. Dash takes all of it as text, with a $ in front.
func dollarText(raw string) (text string, ok bool) {
	if raw == `\0` { // ends the text in bash, and an argument of a program in zsh
		return "", true
	}
	const letters, controls = "abeEfnrtv\\\"", "\a\b\x1b\x1b\f\n\r\t\v\\\""
	var all strings.Builder
	for i := 0; i < len(raw); i++ {
		if raw[i] != '\\' {
			all.WriteByte(raw[i])
			continue
		}
		if i++; i == len(raw) {
			return raw, false
		}
		if at := strings.IndexByte(letters, raw[i]); at >= 0 {
			all.WriteByte(controls[at])
			continue
		}
		begin, most, base := i, 3, 8
		if raw[i] == 'x' {
			begin, most, base = i+1, 2, 16
		}
		end := begin
		for end < len(raw) && end-begin < most && isDigit(raw[end], base) {
			end++
		}
		value, err := strconv.ParseUint(raw[begin:end], base, 16)
		if err != nil || value == 0 || value >= 0x80 {
			return raw, false
		}
		all.WriteByte(byte(value))
		i = end - 1
	}
	return all.String(), true
}

func isDigit(c byte, base int) bool {
	_, err := strconv.ParseUint(string(c), base, 8)
	return err == nil
}
