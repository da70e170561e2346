// Package manpage makes man pages of the texts of `hookrun help`.
package manpage

import (
	"bytes"
	"errors"
	"fmt"
	"regexp"
	"strings"

	"github.com/hookrun/hookrun/internal/doors/cli"
)

// All returns the man pages by file name: hookrun.1, and a page for each command in the overview.
func All() (map[string]string, error) {
	overview, err := help()
	if err != nil {
		return nil, err
	}
	about, commands, _ := strings.Cut(overview, "\n\nUsage: hookrun COMMAND [FLAGS]\n\n")
	pages, see := map[string]string{}, []string{}
	for line := range strings.Lines(commands) {
		name, summary, _ := strings.Cut(strings.TrimSpace(line), " ")
		if !strings.HasPrefix(line, "  ") || strings.Trim(name, "0123456789") == "" { // a heading, or an exit code
			continue
		}
		text, err := help(name)
		if err != nil {
			return nil, err
		}
		see = append(see, "hookrun-"+name+"(1)")
		pages["hookrun-"+name+".1"] = ofCommand(name, strings.TrimSpace(summary), text)
	}
	p := newPage("hookrun", "run a project's hooks for an agent loop")
	p.section("SYNOPSIS", "hookrun COMMAND [FLAGS]")
	p.section("DESCRIPTION", about+"\n\n"+commands)
	p.section("SEE ALSO", strings.Join(see, ", "))
	pages["hookrun.1"] = p.String()
	return pages, nil
}

// help returns the text of hookrun help.
func help(command ...string) (string, error) {
	var text, fault bytes.Buffer
	if cli.Run(append([]string{"help"}, command...), cli.Streams{Out: &text, Err: &fault}) != 0 {
		return "", errors.New(fault.String())
	}
	return text.String(), nil
}

// firstFlags is the first heading with flags below.
var firstFlags = regexp.MustCompile(`\n\n[A-Z][^\n]*:\n +-`)

// ofCommand returns the page of a command with a text of --help.
func ofCommand(name, summary, help string) string {
	text, example, _ := strings.Cut(help, "\nExample:\n")
	usage, text, _ := strings.Cut(strings.TrimPrefix(text, "Usage: "), "\n\n")
	text, exits, _ := strings.Cut(text, "\nExit codes:\n")
	p := newPage("hookrun-"+name, summary)
	p.section("SYNOPSIS", usage)
	about, options := text, ""
	if at := firstFlags.FindStringIndex(text); at != nil {
		about, options = text[:at[0]], text[at[0]:]
	}
	p.section("DESCRIPTION", about)
	p.options(options)
	if exits != "" {
		p.section("EXIT STATUS", exits)
	}
	p.section("EXAMPLES", example)
	p.section("SEE ALSO", "hookrun(1)")
	return p.String()
}

// manPage is a man page in the macros of man(7).
type manPage struct{ strings.Builder }

func newPage(name, summary string) *manPage {
	p := &manPage{}
	fmt.Fprintf(p, ".TH %s 1\n.SH NAME\n%s \\- %s\n", strings.ToUpper(roff(name)), roff(name), roff(summary))
	return p
}

// section writes a text. Indented lines keep their layout.
func (p *manPage) section(title, text string) {
	fmt.Fprintf(p, ".SH %s\n", title)
	kept := false // lines keep their layout
	for line := range strings.Lines(strings.TrimRight(text, "\n")) {
		line = strings.TrimRight(line, "\n")
		if keep := strings.HasPrefix(line, " "); line != "" && keep != kept {
			p.WriteString(map[bool]string{true: ".PP\n.nf\n", false: ".fi\n.PP\n"}[keep])
			kept = keep
		}
		switch {
		case line != "":
			p.WriteString(roff(line) + "\n")
		case !kept:
			p.WriteString(".PP\n")
		default:
			p.WriteString("\n")
		}
	}
	if kept {
		p.WriteString(".fi\n")
	}
}

// options writes the flags in their groups.
func (p *manPage) options(text string) {
	if text != "" {
		p.WriteString(".SH OPTIONS\n")
	}
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		flag, usage, _ := strings.Cut(line, "   ")
		switch {
		case strings.HasPrefix(line, "-"):
			fmt.Fprintf(p, ".TP\n\\fB%s\\fR\n%s\n", roff(flag), roff(strings.TrimSpace(usage)))
		case line != "":
			fmt.Fprintf(p, ".SS %s\n", strings.TrimSuffix(line, ":"))
		}
	}
}

var roffText = strings.NewReplacer(`\`, `\e`, "-", `\-`, "…", `\[u2026]`)

// roff escapes a line, so no part is read as a macro or an escape.
func roff(line string) string {
	line = roffText.Replace(line)
	if strings.HasPrefix(line, ".") || strings.HasPrefix(line, "'") {
		line = `\&` + line
	}
	return line
}
