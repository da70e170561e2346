package permission

import (
	"bytes"
	"strings"
)

// redirection reads a redirection, if there is one, and drops it.
func (p *parser) redirection() bool {
	digits := 0
	for rest := p.rest(); digits < len(rest) && isDigit(rest[digits]); digits++ {
	}
	behind := p.rest()[digits:]
	if behind == "" || strings.IndexByte("<>&", behind[0]) < 0 {
		return false
	}
	for _, operator := range []string{"<<<", "<<-", "<<", "<&", "<>", "<", ">>", ">&", ">|", ">", "&>>", "&>"} {
		if !strings.HasPrefix(behind, operator) || digits > 0 && operator[0] == '&' {
			continue
		}
		p.at += digits + len(operator)
		if p.peek() == '(' {
			panic(opaque("process substitution"))
		}
		p.blanks()
		switch {
		case operator == "<<" || operator == "<<-":
			p.hereDocument(operator == "<<-")
		case ends(p.peek()) || operator == "<>":
			panic(opaque("a redirection"))
		default:
			target := p.word(still)
			// Of a target that is no number bash takes the quotes off and expands it once more: a >&'$(b)' runs b.
			if operator == ">&" && bytes.ContainsAny(p.text[target:], "$`<>") {
				panic(opaque("a redirection"))
			}
			p.drop(target)
		}
		return true
	}
	return false
}

// hereDocument reads a quoted here-document, whose body is hidden from patterns. The client was recorded not to see
// through one that is not quoted, nor through more on its first line.
func (p *parser) hereDocument(tabs bool) {
	quote, n := p.peek(), 0
	switch quote {
	case '\'', '"':
		p.at++
		n = strings.IndexByte(p.rest(), quote)
	case '\\':
		p.at++
		n = len(p.name())
	}
	if n < 1 || strings.ContainsAny(p.rest()[:n], "\n\\$`") {
		panic(opaque("a here-document that is not quoted"))
	}
	delimiter := p.rest()[:n]
	p.at += n
	if quote != '\\' {
		p.at++
	}
	first, body, ok := strings.Cut(p.rest(), "\n")
	if !ok || strings.Trim(first, " \t") != "" {
		panic(opaque("a here-document with more on its first line"))
	}
	for ok {
		var line string
		line, body, ok = strings.Cut(body, "\n")
		if tabs {
			line = strings.TrimLeft(line, "\t")
		}
		if line == delimiter {
			p.at = len(p.src) - len(body)
			if ok {
				p.at-- // the newline ends the command
			}
			return
		}
	}
	panic(opaque("a here-document without an end"))
}
