package permission

import (
	"regexp"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// quotedDelimiter is one of a here-document whose body does not expand.
var quotedDelimiter = regexp.MustCompile(`^(?:'[^'\n\\$` + "`" + `]+'|"[^"\n\\$` + "`" + `]+"|\\[A-Za-z_][A-Za-z0-9_]*)$`)

// redirect reads a redirection, which patterns do not see. It must not expand.
func (r *reader) redirect(d *syntax.Redirect) {
	if d.N != nil && (strings.HasPrefix(d.N.Value, "{") || d.Op == syntax.RdrAll || d.Op == syntax.AppAll) {
		r.fail("a redirection")
	}
	switch d.Op {
	case syntax.Hdoc, syntax.DashHdoc:
		// The client was recorded not to see through one that is not quoted, nor through more on its first line.
		first, _, _ := strings.Cut(r.src[d.Word.End().Offset():], "\n")
		switch {
		case !quotedDelimiter.MatchString(r.source(d.Word)):
			r.fail("a here-document that is not quoted")
		case strings.Trim(first, " \t") != "":
			r.fail("a here-document with more on its first line")
		}
	case syntax.RdrInOut:
		r.fail("a redirection")
	default:
		// A - ends the redirection in bash: a >&-b is a b.
		if raw := r.source(d.Word); len(raw) > 1 && raw[0] == '-' && (d.Op == syntax.DplOut || d.Op == syntax.DplIn) {
			r.fail("a redirection")
		}
		// Of a target that is no number bash takes the quotes off and expands it once more: a >&'$(b)' runs b.
		target := r.word(d.Word, still)
		if (d.Op == syntax.DplOut || d.Op == syntax.DplIn) && (target.computed || strings.ContainsAny(target.text, "$`<>")) &&
			(r.project || d.Op == syntax.DplOut) {
			r.fail("a redirection")
		}
	}
}
