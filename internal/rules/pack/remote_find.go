package pack

import (
	"path"
	"slices"
	"strings"

	"github.com/hookrun/hookrun/internal/rules/programs"
	"github.com/hookrun/hookrun/internal/rules/shellline"
)

// downloads, decodes and decodesText are tests whether a command prints or saves data from the network, or decodes a
// text or an archive and prints the result, or decodes a text.
func downloads(c *Command) bool { return c.does(programs.Remote) }

func decodes(c *Command) bool {
	return c.does(programs.Decodes|programs.Unpacks) ||
		shellline.InList("printf echo", c.Program) && slices.ContainsFunc(c.Args, func(w Word) bool {
			return strings.Contains(w.Text, `\x`) || strings.Contains(w.Text, `\0`) || strings.Contains(w.Text, `\1`)
		})
}

func decodesText(c *Command) bool { return c.does(programs.Decodes) }

// savedBy returns the files in which a command saves its downloads.
func savedBy(c *Command) (files []string) {
	program := strings.ToLower(c.Program)
	isWget := strings.HasPrefix(program, "wget")
	short := byte('o')
	if isWget {
		short = 'O'
	}
	byURL, isNamed := program == "axel" || program == "aria2c" || isWget, false
	for i, w := range c.Args {
		text := w.Text
		name, value, attached := strings.Cut(text, "=")
		next := ""
		if i+1 < len(c.Args) {
			next = c.Args[i+1].Text
		}
		switch {
		case name == "--output" || name == "--output-document" || strings.EqualFold(name,
			"-outfile") || name == "--out":
			if isNamed = true; !attached {
				value = next
			}
			files = append(files, value)
		case name == "--remote-name", name == "--remote-name-all":
			byURL = true
		case len(text) > 1 && text[0] == '-' && text[1] != '-':
			at := strings.IndexByte(text, short)
			switch {
			case at > 0 && at+1 < len(text):
				files, isNamed = append(files, text[at+1:]), true
			case at > 0:
				files, isNamed = append(files, next), true
			}
			byURL = byURL || program == "curl" && strings.Contains(text, "O")
		}
	}
	for _, w := range c.Args {
		if isURL := strings.Contains(w.Text, "/"); byURL && (!isWget || !isNamed) && isURL {
			url, _, _ := strings.Cut(w.Text, "?")
			files = append(files, path.Base(url))
		}
	}
	return files
}

func hasWord(args []Word, words ...string) bool {
	return slices.ContainsFunc(args, func(w Word) bool { return slices.Contains(words, w.Text) })
}

func decodedCode(c *Call) Found {
	for i := range c.Commands {
		command := &c.Commands[i]
		if command.Program == "powershell" || command.Program == "pwsh" {
			for _, w := range command.Args {
				option := strings.ToLower(w.Text)
				if len(option) > 1 && strings.HasPrefix("-encodedcommand", option) || option == "-ec" {
					return Found{Subject: command.String()}
				}
			}
		}
	}
	if found := c.runsOutputOf(decodes); found.Subject != "" {
		return found
	}
	return c.runsFile(c.savedFiles(decodesText, nil))
}

func reverseShell(c *Call) Found {
	for i := range c.Commands {
		command := &c.Commands[i]
		found, runs := false, command.executes() == runsOutput
		isClient := shellline.InList("nc ncat netcat telnet openssl", command.Program)
		if (runs || isClient) && c.inputs > maxInputs && len(command.PipedFrom)+len(command.Substitutions) > 0 {
			return tooManyInputs
		}
		switch program := command.Program; {
		case program == "nc", program == "ncat", program == "netcat":
			found = command.netcatRuns() || command.getsOutputOf(interactive)
		case program == "telnet", program == "openssl" && hasWord(command.Args, "s_client"):
			found = command.getsOutputOf(interactive)
		case program == "socat":
			found = command.socatRuns()
		case shellline.IsShellOf(command.Row, program), command.isInterpreter():
			found = slices.ContainsFunc(command.Files, File.isNetwork)
		}
		if found || runs && (slices.ContainsFunc(command.PipedFrom, readsNetwork) ||
			slices.ContainsFunc(command.Substitutions, readsNetwork)) {
			return Found{Subject: command.String()}
		}
	}
	return Found{}
}

// isNetwork reports whether bash takes the file as a network connection.
func (f File) isNetwork() bool {
	return strings.HasPrefix(f.Path, "/dev/tcp/") || strings.HasPrefix(f.Path, "/dev/udp/")
}

func readsNetwork(c shellline.Command) bool {
	return slices.ContainsFunc(c.Files, func(r shellline.Redirection) bool { return fileOf(r).isNetwork() })
}

// interactive reports whether a command is a shell that reads commands from stdin.
func interactive(c *Command) bool {
	if !shellline.IsShellOf(c.Row, c.Program) || c.Program == "eval" {
		return false
	}
	l, _ := shellline.Launch(append([]Word{{Text: c.Program}}, c.Args...))
	return l.Stdin
}

// netcatRuns reports whether nc runs a program on the connection.
func (c *Command) netcatRuns() bool {
	for i, w := range c.Args {
		isShell := i+1 < len(c.Args) && shellline.IsShell(shellline.ProgramName(strings.Split(c.Args[i+1].Text,
			" ")[0]))
		name, _, _ := strings.Cut(w.Text, "=")
		switch {
		case name == "--exec", name == "--sh-exec", name == "--lua-exec", w.Text == "-c" && isShell:
			return true
		}
	}
	return c.has("-e")
}

// socatRuns reports whether socat connects a program with the network.
func (c *Command) socatRuns() bool {
	runs, connects := false, false
	for _, w := range c.Args {
		text := strings.ToLower(w.Text)
		runs = runs || strings.HasPrefix(text, "exec:") || strings.HasPrefix(text,
			"system:") || strings.HasPrefix(text, "shell:")
		for _, kind := range []string{"tcp", "udp", "openssl", "ssl", "sctp", "vsock", "socks", "proxy", "dtls"} {
			connects = connects || strings.HasPrefix(text, kind)
		}
	}
	return runs && connects
}
