package clientfile

import (
	"cmp"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/hookrun/hookrun/internal/dialect"
	"github.com/hookrun/hookrun/internal/lazyregexp"
	"github.com/hookrun/hookrun/internal/shellword"
)

// handler is the entry as its client reads it.
type handler struct {
	binary  string
	key     string // of the member with the command
	command string
	timeout int64 // in the client's unit; 0 is none
	name    string
	extra   string // members of the entry, as JSON
	flat    bool   // it stands in the list of its event

	keepsLongerTimeout bool // an entry that differs only by a longer timeout is not replaced
}

// MaxTimeout is the longest timeout that is written: a timer of JavaScript with more than 2^31 ms fires at once, which
// lets the call pass.
const MaxTimeout = 24 * 24 * time.Hour

func (c *Client) handler(e Entry) (h *handler, err error) {
	h = &handler{binary: e.Binary, keepsLongerTimeout: c.Trusts, flat: c.Flat}
	h.key, h.extra = cmp.Or(c.form().Key, commandKey), cmp.Or(c.form().Extra, c.Extra)
	if len(e.Events) == 0 {
		return nil, errors.New("no event to install the hook at")
	}
	if e.Timeout < 0 {
		return nil, fmt.Errorf("a timeout of %s is no time for a hook", e.Timeout)
	}
	longest := MaxTimeout
	if c.Timeout.Longest > 0 {
		longest = c.Timeout.Longest
	}
	h.timeout = c.Timeout.Write(min(e.Timeout, longest))
	if c.Named {
		h.name = "hookrun"
	}
	h.command, err = c.Command(e.Binary, e.Args)
	if e.ByName && HasShell && err == nil {
		h.command = c.commandByName(e.Args)
	}
	return h, err
}

// lookUp begins the script of an entry that looks hookrun up in PATH: where it is not there, a message says what to do.
const lookUp = `command -v hookrun >/dev/null || { echo "` + dialect.InstallHookrun + `" >&2; exit 1; }; exec `

// lookUpScript is how the script of such an entry begins, with the message of whatever version. A command of somebody's
// own in it would be lost with the entry.
var lookUpScript = lazyregexp.New(`^command -v hookrun >/dev/null \|\| \{ echo "[^"$` + "`" +
	`\\]*" >&2; exit 1; \}; exec hookrun `)

// commandByName is the command of an entry that looks hookrun up in PATH.
func (c *Client) commandByName(args []string) string {
	script := lookUp
	if c.NoURLs {
		script = strings.Replace(script, "https://", "", 1)
	}
	return inShell(script+call("hookrun", args)) + c.OrBlock
}

// inShell has a shell of its own run a script. The login shell of a user may be fish, which ends with 127 at an unknown
// command, whatever stands behind a ||.
func inShell(script string) string { return "/bin/sh -c " + shellword.POSIX(script) }

func call(program string, args []string) string {
	words := []string{program, "fire"}
	for _, a := range args {
		words = append(words, shellword.POSIX(a))
	}
	return strings.Join(words, " ")
}

// Command is the shell command with which a client calls hookrun. A call is blocked if hookrun is not there or was
// killed: every client takes that for a pass.
func (c *Client) Command(binary string, args []string) (string, error) {
	return c.write(c.form(), binary, args)
}

// write writes the command in some form.
func (c *Client) write(form dialect.CommandForm, binary string, args []string) (string, error) {
	switch {
	case !isAbs(binary):
		return "", fmt.Errorf("the path of hookrun must be absolute, since a hook can run in any folder, and %q is "+
			"not", binary)
	case !utf8.ValidString(binary) || strings.ContainsFunc(binary, unicode.IsControl):
		return "", fmt.Errorf("the path %q cannot be written to a settings file; move hookrun", binary)
	case c.Expand && strings.Contains(binary, "$"): // whatever quotes are around it
		return "", fmt.Errorf("%s would take the $ in %q for a variable; move hookrun", c.Name, binary)
	}
	program, err := programWord(form.Shell, binary)
	if err != nil {
		return "", fmt.Errorf("%w; move hookrun", err)
	}
	command := call(program, args)
	if c.LoginShell && HasShell && form.Shell == dialect.POSIX {
		command = inShell("exec " + command)
	}
	command += form.OrBlock
	if !ours(command, binary) {
		return "", fmt.Errorf("an entry with the arguments %q could not be told from a hook that somebody wrote; use "+
			"--output or --dialect", args)
	}
	return command, nil
}

// ours reports whether a command is one that Install writes, now or in another version: hookrun by an absolute path, or
// the program at the path binary, or a script that looks hookrun up in PATH. A bare `hookrun fire` is somebody's own
// entry, and so is one with --config or a policy: to replace it could switch off a gate.
func ours(command, binary string) bool {
	words, rest, byName := hookrunWords(command)
	ends := func(mark string) bool { return strings.HasPrefix(rest, mark) }
	if len(words) < 2 || words[1] != "fire" || rest != "" && !ends("||") && !ends("# ") && !ends("; if (-not $?) {") {
		return false
	}
	if script, _ := shellWords(command); byName && !lookUpScript().MatchString(script[2]) {
		return false
	}
	path := filepath.Clean(words[0])
	named := path == binary || strings.TrimSuffix(base(path), ".exe") == "hookrun"
	if !byName && !(isAbs(path) && named) {
		return false
	}
	values := map[string][]string{
		"-o": Names(), "--output": Names(), "--dialect": Names(), "--trust": {"off", "required"},
	}
	for args := words[2:]; len(args) > 0; {
		flag, value, joined := strings.Cut(args[0], "=")
		args = args[1:]
		if flag == "--pin" && !joined {
			continue
		}
		if !joined && len(args) > 0 {
			value, args = args[0], args[1:]
		}
		if flag == "--log" && value != "" {
			continue
		}
		if !slices.Contains(values[flag], value) {
			return false
		}
	}
	return true
}

// hookrunWords returns the words that a command begins with, or the script in it that a shell runs, and what follows
// them. byName: the script looks hookrun up in PATH, whatever message another version of it has.
func hookrunWords(command string) (words []string, rest string, byName bool) {
	if program, behind, found := windowsProgram(command); found {
		words, rest = shellWords(behind)
		return append([]string{program}, words...), rest, false
	}
	words, rest = shellWords(command)
	if len(words) != 3 || words[0] != "/bin/sh" || words[1] != "-c" {
		return words, rest, false
	}
	script, plain := strings.CutPrefix(words[2], "exec ")
	if !plain {
		before, behind, _ := strings.Cut(script, "; exec hookrun ")
		byName = strings.HasPrefix(before, "command -v hookrun ")
		script = "hookrun " + behind
	}
	inside, behind := shellWords(script)
	if behind != "" || !plain && !byName { // somebody wrote it, or has edited it
		return nil, "", false
	}
	return inside, rest, byName
}

// RunsHookrun reports whether a command runs hookrun for the project's own hooks file, whoever wrote it. In that file
// it would run itself without end.
func RunsHookrun(command string) bool {
	words, _, _ := hookrunWords(command)
	if len(words) < 2 || strings.TrimSuffix(base(words[0]), ".exe") != "hookrun" || words[1] != "fire" {
		return false
	}
	return !slices.ContainsFunc(words[2:], func(w string) bool {
		return strings.HasPrefix(w, "-c") || strings.HasPrefix(w, "--config")
	})
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
