// Package terminal asks a person at the terminal of this process, and sets texts for one: coloured, cut to a width.
//
// Guarantees: a question goes to the terminal itself and not to the standard streams, which may be an agent's. Only
// keys typed after the question are an answer.
package terminal

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
)

// ErrNone means that this process has no terminal: the caller may be an agent.
var ErrNone = errors.New("there is no terminal to ask at; a person must run it at one, or give --yes")

// Is reports whether a file is a terminal.
func Is(file *os.File) bool {
	info, err := file.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0 && !IsNull(file)
}

// TakesEscapes reports whether a file is a terminal that can move its cursor.
func TakesEscapes(file *os.File) bool {
	return os.Getenv("TERM") != "dumb" && Is(file) && takesEscapes(file)
}

// IsThere reports whether this process has a terminal for questions.
func IsThere() bool {
	in, out, err := open()
	if err != nil {
		return false
	}
	in.Close()
	out.Close()
	return true
}

// Confirm asks a yes-no question.
func Confirm(shown, question string) (yes bool, err error) {
	answer, err := Ask(shown, question)
	return answer == "y" || answer == "yes", err
}

// Ask asks a question about a text that was printed on stdout, and returns the answer in lower case.
func Ask(shown, question string) (answer string, err error) {
	in, out, err := open()
	if err != nil {
		return "", ErrNone
	}
	defer in.Close()
	defer out.Close()
	if !Is(os.Stdout) {
		if _, err := io.WriteString(out, shown); err != nil { // the person must see the text first
			return "", err
		}
	}
	// Keys that were typed before the question, as in a pasted block, are no answer.
	if err = discardInput(in); err != nil {
		return "", fmt.Errorf("reading the answer: %w", err)
	}
	if _, err = io.WriteString(out, question); err != nil {
		return "", err
	}
	if answer, err = bufio.NewReader(in).ReadString('\n'); err != nil {
		return "", fmt.Errorf("reading the answer: %w", err)
	}
	return strings.ToLower(strings.TrimSpace(answer)), nil
}
