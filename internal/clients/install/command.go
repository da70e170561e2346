package install

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/hookrun/hookrun/internal/clients/client"
	"github.com/hookrun/hookrun/internal/lib/lazy"
	"github.com/hookrun/hookrun/internal/lib/shellword"
	"github.com/hookrun/hookrun/protocol"
)

// handler is the entry in the form that its client reads.
type handler struct {
	binary  string
	key     string                    // of the member with the command
	command func(event string) string // at an event
	timeout int64                     // in the client's unit; 0: no timeout
	extra   string                    // members of the entry, as JSON
	flat    func(event string) bool   // the entry is in the event's list, without a group
	added   []string                  // items of the footnote for settings that were added beside the entry

	keepsLongerTimeout bool // an entry that differs only by a longer timeout stays
}

// MaxTimeout is the longest timeout that Install writes. A JavaScript timer of more than 2^31 ms fires at once, and the
// call would fail open.
const MaxTimeout = 24 * 24 * time.Hour

func (c *Client) handler(e Entry) (h *handler, err error) {
	h = &handler{binary: e.Binary, keepsLongerTimeout: c.TrustAnew() != "", flat: c.Flat}
	h.key, h.extra = c.EntryMembers(c.shell())
	if len(e.Events) == 0 {
		return nil, errors.New("no event to install the hook at")
	}
	if e.Timeout < 0 {
		return nil, fmt.Errorf("a timeout of %s is no time for a hook", e.Timeout)
	}
	longest := MaxTimeout
	if c.Timeout.Longest() > 0 {
		longest = c.Timeout.Longest()
	}
	h.timeout = c.Timeout.Write(min(e.Timeout, longest))
	blocks, err := c.Command(e.Binary, e.Args, true)
	if err != nil {
		return nil, err
	}
	passes, err := c.Command(e.Binary, e.Args, false)
	if e.ByName && HasShell {
		blocks, passes = c.commandByName(e.Args, true), c.commandByName(e.Args, false)
	}
	h.command = func(event string) string {
		if c.failsClosed(event) {
			return blocks
		}
		return passes
	}
	return h, err
}

// failsClosed reports whether an entry without an answer blocks at an event. At the end of a turn it does not: the
// block would start the next turn, forever.
func (c *Client) failsClosed(event string) bool {
	return slices.Contains(c.Events, event) || c.CannotBlock == nil || !c.CannotBlock(protocol.Event(event))
}

// fireCommand returns the command line for `hookrun fire`. program is already quoted.
func fireCommand(program string, args []string, entry string) string {
	words := []string{program, "fire"}
	for _, a := range args {
		words = append(words, shellword.POSIX(a))
	}
	return strings.Join(append(words, "--entry", entry), " ")
}

// AnswerMark is the prefix that `fire --entry mark` prints, by which an entry tells an answer from other output.
const AnswerMark = "hookrun:"

// An entry accepts only an answer of fire: with `--entry mark` fire prints a mark before the answer, and the entry
// removes the mark. The script runs in /bin/sh instead of the client's shell, because a user's login shell may be fish.
// It uses no $NAME that could be a variable of a client, see dialect.Expander.
const (
	shLine   = "exec /bin/sh -c "
	shStart  = "hr_a=$("
	shAnswer = `); hr_s=$?; case $hr_s:$hr_a in [025]:` + AnswerMark + `*) printf %s "${hr_a#` + AnswerMark +
		`}" && exit $((hr_s==5?1:hr_s));; esac; `
	psStart  = `$hr_a = (& `
	psAnswer = ") -join \"`n\"; $hr_s = $LASTEXITCODE; if ($hr_a -clike '" + AnswerMark + "*' -and " +
		`0,2,5 -contains $hr_s) { [Console]::Out.Write($hr_a.Substring(8)); if ($hr_s -eq 5) { exit 1 }; ` +
		`exit $hr_s }; `
	lookUp    = `command -v hookrun >/dev/null || echo "` + client.InstallHookrun + `" >&2; `
	entryMark = " --entry mark"
	// cmd.exe cannot read a program's output, so fire exits with 6 instead of 0 here.
	entryStatus = " --entry status"
	cmdBlocks   = ` & if errorlevel 7 (exit 2) else if errorlevel 6 (exit 0) else if errorlevel 5 (exit 1) else exit 2`
	cmdPasses   = ` & if errorlevel 7 (exit 1) else if errorlevel 6 (exit 0) else exit 1`
)

// The ends of such scripts, with the message of any version. A command added by a user does not match: it would be lost
// with the entry.
var (
	shEnd = lazy.Regexp{Text: `^(?:command -v hookrun >/dev/null \|\| echo "[^"$` + "`" + `\\]*" >&2; )?` +
		`echo (?:"[^"$` + "`" + `\\]*" >&2|'[^']*'); exit [0-9]$`}
	psEnd = lazy.Regexp{Text: `^(?:\[Console\]::Error\.WriteLine\('[^']*'\)|'[^']*'); exit [0-9]$`}
)

// scriptEnd returns the end of a script: the output if hookrun gave no answer, and the exit status.
func (c *Client) scriptEnd(shell client.Shell, blocks bool) string {
	json, exit := c.SilentBlock()
	if !blocks {
		json, exit = "", 1
	}
	say := `echo "` + client.SilentReason + `" >&2`
	switch isPowerShell := shell == client.PowerShell; {
	case json == "" && isPowerShell:
		say = "[Console]::Error.WriteLine('" + client.SilentReason + "')"
	case isPowerShell:
		say = "'" + json + "'"
	case json != "":
		say = "echo '" + json + "'"
	}
	return fmt.Sprintf("%s; exit %d", say, exit)
}

// commandByName returns the command of an entry that looks hookrun up in PATH. blocks is as for Command.
func (c *Client) commandByName(args []string, blocks bool) string {
	script := shStart + fireCommand("hookrun", args, "mark") + shAnswer + c.FitHint(lookUp) +
		c.scriptEnd(client.POSIX, blocks)
	return c.shLine() + shellword.POSIX(script)
}

// shLine returns the start of the command, up to the script.
func (c *Client) shLine() string {
	var emptied strings.Builder
	for _, name := range c.EmptiedVariables() {
		emptied.WriteString(name + "= ")
	}
	return emptied.String() + shLine
}

// Command returns the shell command by which a client calls hookrun. If hookrun gives no answer, because it is missing
// or was killed, the command blocks the call, because every client would fail open. blocks is false for an event that
// cannot block.
func (c *Client) Command(binary string, args []string, blocks bool) (string, error) {
	return c.write(c.shell(), binary, args, blocks)
}

// write returns the command for a shell.
func (c *Client) write(shell client.Shell, binary string, args []string, blocks bool) (string, error) {
	switch {
	case !isAbs(binary):
		return "", fmt.Errorf("the path of hookrun must be absolute, since a hook can run in any folder, and %q is "+
			"not", binary)
	case !utf8.ValidString(binary) || strings.ContainsFunc(binary, unicode.IsControl):
		return "", fmt.Errorf("the path %q cannot be written to a settings file; move hookrun", binary)
	case c.Expands() && strings.Contains(binary, "$"): // quotes do not help
		return "", fmt.Errorf("%s would take the $ in %q for a variable; move hookrun", c.Name, binary)
	}
	program, err := programWord(shell, binary)
	if err != nil {
		return "", fmt.Errorf("%w; move hookrun", err)
	}
	var command string
	switch shell {
	case client.Cmd:
		behind := cmdBlocks
		if !blocks {
			behind = cmdPasses
		}
		command = fireCommand(program, args, "status") + behind
	case client.PowerShell:
		line := fireCommand(strings.TrimPrefix(program, "& "), args, "mark")
		command = psStart + line + psAnswer + c.scriptEnd(shell, blocks)
	default:
		script := shStart + fireCommand(program, args, "mark") + shAnswer + c.scriptEnd(shell, blocks)
		command = c.shLine() + shellword.POSIX(script)
	}
	if !ours(command, binary) {
		return "", fmt.Errorf("an entry with the arguments %q could not be told from a hook that somebody wrote; use "+
			"--output or --dialect", args)
	}
	return command, nil
}

// ours reports whether Install wrote a command, in this version or another: hookrun by an absolute path, the program at
// the path binary, or a script that looks hookrun up in PATH. A bare `hookrun fire` is a user's own entry, and so is an
// entry with --config or a policy: replacing it could switch off a gate.
func ours(command, binary string) bool {
	w := wordsOf(command)
	ends := func(mark string) bool { return strings.HasPrefix(w.rest, mark) }
	if len(w.words) < 2 || w.words[1] != "fire" || !w.whole && w.rest != "" && !ends("||") && !ends("# ") &&
		!ends("; if (-not $?) {") {
		return false
	}
	if script, _ := shellWords(command); !w.whole && w.byName && !olderLookUp.Get().MatchString(script[2]) {
		return false
	}
	path := filepath.Clean(w.words[0])
	named := path == binary || strings.TrimSuffix(base(path), ".exe") == "hookrun"
	if !w.byName && !(isAbs(w.words[0]) && named) {
		return false
	}
	values := map[string][]string{
		"-o": Names(), "--output": Names(), "--dialect": Names(), "--trust": {"off", "required"},
		"--before-allow": {"block", "continue"},
	}
	for args := w.words[2:]; len(args) > 0; {
		flag, value, joined := strings.Cut(args[0], "=")
		args = args[1:]
		if (flag == "--pin" || flag == "--managed") && !joined {
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

// entryWords are the words by which a command calls hookrun, without --entry.
type entryWords struct {
	words  []string
	rest   string // the text after them
	byName bool   // the command looks hookrun up in PATH
	whole  bool   // the entry reads the answer; a footnote may follow
}

// wordsOf reads the words at the start of a command, or of the script that the command runs in a shell.
func wordsOf(command string) (w entryWords) {
	footnote := footnoteOf(command)
	bare := strings.TrimSuffix(command, footnote)
	if before, end, found := strings.Cut(bare, entryMark+psAnswer); found && psEnd.Get().MatchString(end) {
		program, args, found := shellword.FromPowerShell(strings.TrimPrefix(before, psStart))
		words, rest := shellWords(args)
		if w.words = append([]string{program}, words...); found && rest == "" && strings.HasPrefix(before, psStart) {
			w.whole = true
			return w
		}
	}
	if before, end, found := strings.Cut(bare, entryStatus); found && (end == cmdBlocks || end == cmdPasses) {
		program, args, found := windowsProgram(before)
		words, rest := shellWords(args)
		if w.words = append([]string{program}, words...); found && rest == "" {
			w.whole = true
			return w
		}
	}
	if script, found := scriptOf(bare); found {
		before, end, found := strings.Cut(script, entryMark+shAnswer)
		words, rest := shellWords(strings.TrimPrefix(before, shStart))
		if found && rest == "" && strings.HasPrefix(before, shStart) && shEnd.Get().MatchString(end) && len(words) > 0 {
			return entryWords{words: words, byName: words[0] == "hookrun", whole: true}
		}
		return entryWords{} // written or edited by a user
	}
	w = entryWords{}
	w.words, w.rest, w.byName = olderWords(command)
	return w
}

// scriptOf returns the script that a command runs in a shell.
func scriptOf(command string) (script string, found bool) {
	words, rest := shellWords(command)
	for len(words) > 4 && strings.Trim(words[0], "ABCDEFGHIJKLMNOPQRSTUVWXYZ_") == "=" { // emptied variables
		words = words[1:]
	}
	if len(words) != 4 || rest != "" || strings.Join(words[:3], " ")+" " != shLine {
		return "", false
	}
	return words[3], true
}

// RunsHookrun reports whether a command runs hookrun for the project's own hooks file, no matter who wrote the command.
// In that file, hookrun would run itself without end.
func RunsHookrun(command string) bool {
	words := wordsOf(command).words
	if len(words) < 2 || strings.TrimSuffix(base(words[0]), ".exe") != "hookrun" || words[1] != "fire" {
		return false
	}
	return !slices.ContainsFunc(words[2:], func(w string) bool {
		return strings.HasPrefix(w, "-c") || strings.HasPrefix(w, "--config")
	})
}

// shellWords returns the words at the start of a command, as a shell reads them, and the rest, for a shell only.
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
