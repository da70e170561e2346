package hookfile

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/hookrun/hookrun/internal/dialect"
	"github.com/hookrun/hookrun/internal/httphook"
	"github.com/hookrun/hookrun/protocol"
)

// Endpoint is where an HTTP hook posts to, and how. Its String is the address without what may be secret in it.
type Endpoint = httphook.Endpoint

// Header is one header of a request, as it stands in the file: $NAME stands for a variable.
type Header = httphook.Header

// Endpoint is where the hook posts to, with the variables alone that the settings of its client admit; or an error,
// where they do not allow the address. Only a hook with HTTP has one.
func (h *Hook) Endpoint() (Endpoint, error) {
	if !h.settings.allowsURL(h.HTTP.URL) {
		return Endpoint{}, fmt.Errorf("%s is not among the \"allowedHttpHookUrls\" of the settings", h.HTTP)
	}
	e := *h.HTTP
	if h.settings != nil && h.settings.variables != nil {
		e.AllowedEnvVars = slices.DeleteFunc(slices.Clone(e.AllowedEnvVars), func(n string) bool {
			return !h.settings.allowsVariable(n)
		})
	}
	return e, nil
}

// Variable returns the value that an environment has for a name, "" if it has none.
func Variable(env []string, name string) string { return lookup(env, name) }

// FailureDecision decides whether the hook fails open or closed at the call if it gave no answer for that cause: by the
// first of the policies that names the cause, else by its dialect.
func (h *Hook) FailureDecision(c *protocol.Call, cause protocol.Cause,
	policies ...protocol.FailurePolicy) protocol.Decision {
	return h.Dialect.FailureDecision(c, dialect.Fault{Cause: cause, HTTP: h.HTTP != nil}, policies...)
}

// ApplyFailurePolicy decides for the hook as FailureDecision does, where its verdict is that of one without an answer.
func (h *Hook) ApplyFailurePolicy(c *protocol.Call, v dialect.Verdict,
	policies ...protocol.FailurePolicy) dialect.Verdict {
	v.HTTP = h.HTTP != nil
	return h.Dialect.ApplyFailurePolicy(c, v, policies...)
}

// Causes are the kinds of failure that the hook can have.
func (h *Hook) Causes() []protocol.Cause {
	if h.HTTP == nil || h.form != nil {
		return h.Dialect.Causes
	}
	return slices.DeleteFunc(slices.Clone(h.Dialect.Causes), func(c protocol.Cause) bool {
		return c == protocol.CauseSignal
	})
}

// inspectEndpoint looks at the files that an endpoint names, and whether the settings allow its address.
func (h *Hook) inspectEndpoint() (problems []Diagnostic) {
	note := func(at Diagnostic, err error) {
		if err != nil {
			at.Text = fmt.Sprintf("hook %q: %v", h.Name, err)
			problems = append(problems, at)
		}
	}
	_, err := h.Endpoint()
	note(h.commandPos, err)
	roots, certificate := h.HTTP.CheckFiles()
	note(h.filePos[0], roots)
	note(h.filePos[1], certificate)
	return problems
}

// settings are those of a client's files that concern all of its hooks. Later files win; lists grow.
type settings struct {
	off       *bool      // all hooks are switched off
	offBy     string     // by this setting
	offAt     Diagnostic // what to say of it
	disabled  []string
	env       []string
	urls      *[]string // allowedHttpHookUrls; nil: any
	variables *[]string // httpHookAllowedEnvVars; nil: any
}

// under returns the settings with those of a later file over them.
func (s *settings) under(later *settings) *settings {
	if s == nil || later == nil {
		return cmp.Or(s, later)
	}
	both := *s
	if later.off != nil {
		both.off, both.offBy, both.offAt = later.off, later.offBy, later.offAt
	}
	both.disabled = append(slices.Clip(s.disabled), later.disabled...)
	both.env = overlaid(s.env, later.env)
	both.urls, both.variables = joined(s.urls, later.urls), joined(s.variables, later.variables)
	return &both
}

// overlaid returns the variables of both lists, of one name only the later.
func overlaid(env, later []string) []string {
	name := func(v string) string {
		n, _, _ := strings.Cut(v, "=")
		return n
	}
	over := map[string]bool{}
	for _, v := range later {
		over[name(v)] = true
	}
	return append(slices.DeleteFunc(slices.Clone(env), func(v string) bool { return over[name(v)] }), later...)
}

func joined(a, b *[]string) *[]string {
	if a == nil || b == nil {
		return cmp.Or(a, b)
	}
	both := append(slices.Clone(*a), *b...)
	return &both
}

func (s *settings) allOff() bool { return s != nil && s.off != nil && *s.off }

func (s *settings) allowsURL(url string) bool {
	return s == nil || s.urls == nil || slices.ContainsFunc(*s.urls, func(pattern string) bool {
		return starMatch(pattern, url)
	})
}

func (s *settings) allowsVariable(name string) bool {
	return s == nil || s.variables == nil || slices.Contains(*s.variables, name)
}

// starMatch matches a pattern in which * is any text.
func starMatch(pattern, text string) bool {
	parts := strings.Split(pattern, "*")
	if len(parts) == 1 {
		return pattern == text
	}
	if !strings.HasPrefix(text, parts[0]) {
		return false
	}
	text = text[len(parts[0]):]
	for _, part := range parts[1 : len(parts)-1] {
		i := strings.Index(text, part)
		if i < 0 {
			return false
		}
		text = text[i+len(part):]
	}
	return strings.HasSuffix(text, parts[len(parts)-1])
}
