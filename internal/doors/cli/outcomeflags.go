package cli

import (
	"fmt"
	"runtime"
	"slices"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/spf13/pflag"

	"github.com/hookrun/hookrun/internal/clients"
	"github.com/hookrun/hookrun/internal/clients/client"
	"github.com/hookrun/hookrun/internal/clients/install"
	"github.com/hookrun/hookrun/internal/core/form"
)

// outcomeFlags are the flags that say how a command prints the outcome of a call.
type outcomeFlags struct {
	output  string
	client  *client.Client // see reader
	notes   string
	wrap    bool
	entry   string // "": no entry of install
	verbose bool
	debug   bool
	inputs  *debugInputs // with --debug
}

// defineOutcome adds the flags of every outcome.
func (f *outcomeFlags) defineOutcome(flags *pflag.FlagSet, output string, outputs func() []string) {
	defineOutputs(flags, &f.output, output, outputs)
	const verbose = "show on stderr what each hook did; if the call is blocked, after the reason"
	flags.BoolVarP(&f.verbose, "verbose", "v", false, verbose)
}

// defineMessages adds the flag for output forms with messages.
func (f *outcomeFlags) defineMessages(flags *pflag.FlagSet) {
	const usage = "`FORM` that keeps texts from the result, in messages: {LIST}"
	defineChoice(flags, &f.notes, "notes", "", string(form.Separate), usage,
		func() []string { return texts(form.AllNotes()) })
}

// messageForms returns the output forms with messages.
func messageForms() []string { return texts(form.APIs()) }

func texts[T ~string](words []T) (all []string) {
	for _, w := range words {
		all = append(all, string(w))
	}
	return all
}

// hasMessages reports whether the output has messages.
func (f *outcomeFlags) hasMessages() bool {
	return slices.Contains(messageForms(), f.output)
}

// reader returns the client that reads the output, or nil.
func (f *outcomeFlags) reader() *client.Client {
	switch {
	case f.output == "", f.output == "text", f.output == "json":
		return nil
	case f.client == nil || f.client.Name != f.output:
		f.client, _ = clients.All().ClientNamed(f.output)
	}
	return f.client
}

// checkMessages returns an error if the flags do not allow messages, before a hook runs. id is the tool call's.
func (f *outcomeFlags) checkMessages(flags *pflag.FlagSet, id string) error {
	if flags.Lookup("notes") == nil {
		return nil
	}
	if err := checkWord(flags, "notes"); err != nil {
		return err
	}
	switch {
	case flags.Changed("notes") && !f.hasMessages():
		return fmt.Errorf("--notes is for messages; it needs --output %s", strings.Join(messageForms(), "|"))
	case f.hasMessages() && id == "":
		const text = "--tool-use-id is missing; --output %s needs the id that the model gave the tool call"
		return fmt.Errorf(text, f.output)
	}
	return nil
}

// The entry written by install accepts only an answer of fire, see package install.
const (
	entryByMark   = "mark"
	entryByStatus = "status"
	exitAnswered  = 6
)

// defineEntry adds the flags of a client's entry.
func (f *callCommand) defineEntry(flags *pflag.FlagSet) {
	const before = "{WORDS}: with --trust required, what becomes of calls before the hooks are allowed"
	defineWord(flags, &f.beforeAllow, "before-allow", "continue", before, "block", "continue")
	const managed = "for install --managed's entry: answer, also if the client runs another entry for the call"
	flags.BoolVar(&f.managed, "managed", false, managed)
	const entry = "{WORDS}, for install's entry: print a mark before the answer, or exit with 6, not 0"
	defineWord(flags, &f.entry, "entry", "", entry, entryByMark, entryByStatus)
}

// writeAnswer writes the client's answer to stdout.
func (f *outcomeFlags) writeAnswer(std Streams, line string) error {
	mark := ""
	if f.entry == entryByMark {
		if mark = install.AnswerMark; runtime.GOOS == "windows" { // PowerShell reads in the code page of the console
			line = ascii(line)
		}
	}
	if mark == "" && line == "" {
		return nil
	}
	if len(line) < pipeSize {
		return write(std, mark+line+"\n")
	}
	// A write of more bytes is not whole for the reader anyway, and a copy of megabytes takes as long as the write.
	for _, text := range []string{mark, line, "\n"} {
		if err := write(std, text); err != nil {
			return err
		}
	}
	return nil
}

// pipeSize is how many bytes a pipe holds.
const pipeSize = 64 << 10

// status returns the exit status with an answer.
func (f *outcomeFlags) status(exit int) int {
	if exit == exitOK && f.entry == entryByStatus {
		return exitAnswered
	}
	return exit
}

// ascii escapes the non-ASCII characters of JSON.
func ascii(json string) string {
	if len(json) == 0 || json[0] != '{' { // at a few events, the answer is plain text
		return json
	}
	var escaped []byte
	for _, r := range json {
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
	return string(escaped)
}
