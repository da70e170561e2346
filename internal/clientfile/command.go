package clientfile

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
)

// handler is the entry as its client reads it.
type handler struct {
	binary  string
	command string
	timeout int64 // in the client's unit; 0 is none
	name    string

	keepsLonger bool // an entry that has more time than this one, and is the same else, stays as it is
}

// MaxTimeout is the longest timeout that is written: a timer of JavaScript with more than 2^31 ms fires at once, which
// lets the call pass.
const MaxTimeout = 24 * 24 * time.Hour

func (c *Client) handler(e Entry) (h *handler, err error) {
	h = &handler{binary: e.Binary, keepsLonger: c.Trusts}
	if len(e.Events) == 0 {
		return nil, errors.New("no event to install the hook at")
	}
	if e.Timeout < 0 {
		return nil, fmt.Errorf("a timeout of %s is no time for a hook", e.Timeout)
	}
	h.timeout = int64((min(e.Timeout, MaxTimeout) + c.Timeout.Unit - 1) / c.Timeout.Unit)
	if c.Named {
		h.name = "hookrun"
	}
	h.command, err = c.Command(e.Binary, e.Args)
	return h, err
}

// Command is the shell command with which a client calls hookrun. A call is blocked if hookrun is not there or was
// killed: every client takes that for a pass.
func (c *Client) Command(binary string, args []string) (string, error) {
	switch {
	case !filepath.IsAbs(binary):
		return "", fmt.Errorf("the path of hookrun must be absolute, since a hook can run in any folder, and %q is "+
			"not", binary)
	case !utf8.ValidString(binary) || strings.ContainsFunc(binary, unicode.IsControl):
		return "", fmt.Errorf("the path %q cannot be written to a settings file; move hookrun", binary)
	case c.Expand && strings.Contains(binary, "$"):
		return "", fmt.Errorf("%s would take the $ in %q for a variable; move hookrun", c.Name, binary)
	}
	words := []string{quoteProgram(binary), "fire"}
	for _, a := range args {
		words = append(words, quote(a))
	}
	command := strings.Join(words, " ") + shellEnd(c.OrBlock)
	if !ours(command, binary) {
		return "", fmt.Errorf("an entry with the arguments %q could not be told from a hook that somebody wrote; use "+
			"--output or --dialect", args)
	}
	return command, nil
}

// ours reports whether a command is one that Install writes, or wrote in another version: hookrun by an absolute path,
// or the program at the path binary. A `hookrun fire` with a file or a policy behind it is somebody's own, and so is
// one that is looked up in PATH: to replace it could switch off a gate.
func ours(command, binary string) bool {
	words, rest := shellWords(command)
	if len(words) < 2 || words[1] != "fire" || rest != "" && !strings.HasPrefix(rest, "||") &&
		!strings.HasPrefix(rest, "# ") {
		return false
	}
	path := filepath.Clean(words[0])
	if !filepath.IsAbs(path) || path != binary && strings.TrimSuffix(filepath.Base(path), ".exe") != "hookrun" {
		return false
	}
	for args := words[2:]; len(args) > 0; {
		flag, value, joined := strings.Cut(args[0], "=")
		args = args[1:]
		if !joined && len(args) > 0 {
			value, args = args[0], args[1:]
		}
		if !slices.Contains([]string{"-o", "--output", "--dialect"}, flag) || !slices.Contains(Names(), value) {
			return false
		}
	}
	return true
}

// AsksHookrun reports whether a command asks hookrun about the project's own hooks file, whoever wrote it: in that file
// it would ask for ever.
func AsksHookrun(command string) bool {
	words, _ := shellWords(command)
	if len(words) < 2 || strings.TrimSuffix(filepath.Base(words[0]), ".exe") != "hookrun" || words[1] != "fire" {
		return false
	}
	return !slices.ContainsFunc(words[2:], func(w string) bool {
		return strings.HasPrefix(w, "-c") || strings.HasPrefix(w, "--config")
	})
}

// quote makes a word of a shell's.
func quote(word string) string {
	plain := func(r rune) bool {
		return r >= utf8.RuneSelf || '0' <= r && r <= '9' || 'A' <= r && r <= 'Z' || 'a' <= r && r <= 'z' ||
			strings.ContainsRune("/._-+:@%,=", r)
	}
	if word != "" && !strings.ContainsFunc(word, func(r rune) bool { return !plain(r) }) {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}

// shellWords returns the words that a command begins with, as a shell reads them, and what comes behind them: anything
// that only a shell can make sense of.
func shellWords(command string) (words []string, rest string) {
	for {
		command = strings.TrimLeft(command, " \t")
		word, after, ok := shellWord(command)
		if !ok {
			return words, command
		}
		words, command = append(words, word), after
	}
}

func shellWord(s string) (word, rest string, ok bool) {
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		switch c := s[i]; c {
		case ' ', '\t':
			return b.String(), s[i:], true
		case '\'', '"':
			end := strings.IndexByte(s[i+1:], c)
			if end < 0 {
				return "", s, false
			}
			inside := s[i+1 : i+1+end]
			if c == '"' && strings.ContainsAny(inside, "$`\\") {
				return "", s, false
			}
			b.WriteString(inside)
			i += end + 1
		case '\\':
			if i++; i == len(s) || s[i] == '\n' {
				return "", s, false
			}
			b.WriteByte(s[i])
		case '|', '&', ';', '<', '>', '(', ')', '$', '`', '*', '?', '[', '{', '~', '#', '\n', '\r':
			return "", s, false
		default:
			b.WriteByte(c)
		}
	}
	return b.String(), "", s != ""
}
