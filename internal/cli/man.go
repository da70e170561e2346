package cli

import (
	"fmt"
	"strings"

	"github.com/spf13/pflag"

	"github.com/hookrun/hookrun/internal/lazy"
)

// ManPages returns the man pages by file name: hookrun.1, and a page for each command with the text of --help. `make
// man` writes the pages; the binary has no command for that.
func ManPages() map[string]string {
	pages, see := map[string]string{}, []string{}
	for _, c := range commands() {
		if c.hidden {
			continue
		}
		see = append(see, "hookrun-"+c.name)
		flags := pflag.NewFlagSet(c.name, pflag.ContinueOnError)
		flags.SortFlags = false
		c.setup(flags)
		p := newPage("hookrun-"+c.name, c.summary)
		p.section("SYNOPSIS", "hookrun "+strings.TrimSpace(c.name+" "+c.args))
		p.section("DESCRIPTION", expand(c.about))
		p.options(flags)
		p.section("EXAMPLES", c.example)
		p.section("SEE ALSO", "hookrun(1)")
		pages["hookrun-"+c.name+".1"] = p.String()
	}
	text := overview()
	about, rest, _ := strings.Cut(text, "\n\n")
	p := newPage("hookrun", "run a project's hooks for an agent loop")
	p.section("SYNOPSIS", "hookrun COMMAND [FLAGS]")
	p.section("DESCRIPTION", about+"\n\n"+rest[strings.Index(rest, groups()[0].title+":"):])
	p.section("SEE ALSO", strings.Join(see, "(1), ")+"(1)")
	pages["hookrun.1"] = p.String()
	return pages
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
func (p *manPage) options(flags *pflag.FlagSet) {
	if !flags.HasFlags() {
		return
	}
	p.WriteString(".SH OPTIONS\n")
	for _, g := range groupsOf(flags) {
		fmt.Fprintf(p, ".SS %s\n", g.title)
		for _, name := range g.flags {
			one := pflag.NewFlagSet("", pflag.ContinueOnError)
			one.AddFlag(flags.Lookup(name))
			flag, usage, _ := strings.Cut(strings.TrimSpace(one.FlagUsages()), "   ")
			fmt.Fprintf(p, ".TP\n\\fB%s\\fR\n%s\n", roff(flag), roff(usage))
		}
	}
}

var roffText = lazy.Value[*strings.Replacer]{Make: func() *strings.Replacer {
	return strings.NewReplacer(`\`, `\e`, "-", `\-`, "…", `\[u2026]`)
}}

// roff escapes a line, so no part is read as a macro or an escape.
func roff(line string) string {
	line = roffText.Get().Replace(line)
	if strings.HasPrefix(line, ".") || strings.HasPrefix(line, "'") {
		line = `\&` + line
	}
	return line
}
