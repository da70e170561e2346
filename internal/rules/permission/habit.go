package permission

import (
	"slices"
	"strings"
	"unicode"

	"github.com/hookrun/hookrun/internal/lib/lazy"
)

// Problem returns why the pattern cannot do what the author meant for this kind of tool, or "".
func (r Rule) Problem(kind Kind) string {
	host, isHost := strings.CutPrefix(r.pattern, hostPrefix)
	switch {
	case r.pattern == "":
	case kind == Unknown:
		return r.regexpMisuse(kind)
	case kind == Other:
		return "has a pattern, and none is understood for this tool, so it matches every call; " +
			"use \"matcher\" and \"when\""
	case kind == Host && !isHost:
		return "has a pattern that names no host, so it matches every call; write domain:HOST"
	case kind == Host && !plainHost(canonicalHost(host)):
		return "names a host that is not understood, so it matches every call; " +
			"write domain:HOST, which also means what lies below HOST"
	case kind == Host:
	case isHost:
		return "has a pattern for hosts, which this tool has none of; domain: is for web_fetch"
	case kind == Shell && r.looksLikePath() && strings.Contains(r.pattern, "**"):
		return "has a pattern for paths, and is compared with the commands of a shell line"
	case kind == Shell && hasOperator(r.pattern):
		return "has an operator of the shell, and is compared with each command of a line by itself, " +
			"so it hardly matches"
	case kind != Shell && !isPathPattern(r.pattern):
		return "is no pattern of a path, so it never matches; it is read as a line of a .gitignore"
	default:
		return r.regexpMisuse(kind)
	}
	return ""
}

// hasOperator reports whether an operator stands between the words of a pattern.
func hasOperator(pattern string) bool {
	return slices.ContainsFunc(strings.Fields(pattern), func(field string) bool {
		return field == "&&" || field == "||" || field == "|" || field == "&" ||
			strings.HasSuffix(field, ";") && field != `\;`
	})
}

// isPathPattern reports whether any path can match the pattern.
func isPathPattern(pattern string) bool {
	if strings.HasPrefix(pattern, "//") {
		pattern = "/" + strings.TrimLeft(pattern, "/")
	}
	_, ok := translate(strings.TrimPrefix(strings.TrimPrefix(pattern, "~"), "./"))
	return ok
}

// looksLikePath reports whether the pattern was probably written for paths.
func (r Rule) looksLikePath() bool {
	return !strings.ContainsAny(r.pattern, " \t") &&
		(strings.Contains(r.pattern, "/") || strings.Contains(r.pattern, "*."))
}

// regexpMisuse returns which part of a pattern looks like a regular expression, or "". Such a pattern loads but hardly
// ever matches. A dot and a star may be literal, for dot files or file extensions; then regexpMisuse returns "".
func (r Rule) regexpMisuse(kind Kind) string {
	pattern := strings.TrimSpace(r.pattern)
	star, class, hasAny := "**", &pathClass, pathHasAny
	if kind == Shell {
		star, class, hasAny = "*", &commandClass, commandHasAny
	}
	meant := ", as " + quote(r.tool+"("+asGlob(pattern, star)+")")
	switch {
	case strings.HasPrefix(pattern, "^"):
		return "has a ^, which is itself here: a pattern is a glob, and begins where the text begins; " +
			"leave it out" + meant
	case strings.HasSuffix(pattern, "$") && !strings.HasSuffix(pattern, `\$`):
		return "has a $ at its end, which is itself here: a pattern is a glob, and ends where the text ends; " +
			"leave it out" + meant
	case class.Get().MatchString(pattern):
		return `has a \ as in a regular expression, and is a glob: * is any text` + meant
	case strings.Contains(pattern, ".+"):
		return "has .+, and here . means only a dot and + is itself; for any text write " + star + meant
	case alternatives.Get().MatchString(pattern):
		return "has alternatives in parentheses, and is a glob, in which ( and | are themselves; " +
			"write an entry for each"
	case hasAny(pattern):
		return "has .*, and here . means only a dot; is .* meant as any text? write " + star + meant
	}
	return ""
}

// Meant returns the rule that the author of a regular expression probably meant, or an empty rule. An end without an
// anchor is any text.
func (r Rule) Meant(kind Kind) Rule {
	if kind == Host || kind == Other {
		return Rule{}
	}
	pattern, star, class := strings.TrimSpace(r.pattern), "**", &pathClass
	if kind == Shell {
		star, class = "*", &commandClass
	}
	begins := strings.HasPrefix(pattern, "^")
	ends := strings.HasSuffix(pattern, "$") && !strings.HasSuffix(pattern, `\$`)
	if !begins && !ends && !class.Get().MatchString(pattern) {
		return Rule{}
	}
	glob := asGlob(pattern, star)
	if kind == Shell && !begins {
		glob = star + glob
	}
	if kind == Shell && !ends {
		glob += star
	}
	return Parse(r.tool + "(" + glob + ")")
}

// asGlob returns the glob that the author of a regular expression probably meant.
func asGlob(pattern, star string) string {
	pattern = strings.TrimSuffix(strings.TrimPrefix(pattern, "^"), "$")
	return strings.NewReplacer(`\s+`, " ", `\s*`, " ", `\s`, " ", `\b`, "", `\w+`, star, `\w*`, star,
		`\S+`, star, `\S*`, star, `\d+`, star, `\d*`, star, `\.`, ".", ".*", star, ".+", star).Replace(pattern)
}

// Signs of a regular expression: a class such as \s, and (a|b). In a shell line a backslash or a dot can be literal.
var (
	commandClass = lazy.Regexp{Text: `(?:^|[^\\])\\[sSdDwWbB]`}
	pathClass    = lazy.Regexp{Text: `(?:^|[^\\])\\\.`}
	alternatives = lazy.Regexp{Text: `\([^) "']*\|[^) "']*\)`}
)

// commandHasAny reports whether a command pattern has a .* that is probably not a file name such as *.* or .env.*.
func commandHasAny(pattern string) bool {
	for _, word := range strings.FieldsFunc(pattern, unicode.IsSpace) {
		before, _, found := strings.Cut(word, ".*")
		name := before[strings.LastIndex(before, "/")+1:]
		switch {
		case !found, strings.HasSuffix(before, "*"), strings.HasPrefix(name, "."), before != name && name != "":
		case strings.HasSuffix(before, "~/"), before == "./", strings.HasSuffix(before, "*/"):
		default:
			return true
		}
	}
	return false
}

// pathHasAny reports whether a path pattern has a .* that probably does not mean dot files: the whole pattern, the last
// name after a named folder, or on both sides of a name.
func pathHasAny(pattern string) bool {
	folder, all := strings.CutSuffix(pattern, "/.*")
	name := folder[strings.LastIndex(folder, "/")+1:]
	return strings.HasPrefix(pattern, ".*") && strings.HasSuffix(pattern, ".*") ||
		all && strings.Trim(name, ".~") != "" && !strings.ContainsAny(name, "*?[")
}
