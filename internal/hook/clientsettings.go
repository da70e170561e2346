package hook

import (
	"cmp"
	"slices"
	"strings"
)

// ClientSettings are those of a client's files that concern all of its hooks. Later files win; lists grow.
type ClientSettings struct {
	Off       *bool      // all hooks are switched off
	OffBy     string     // by this setting
	OffAt     Diagnostic // what to say of it
	Disabled  []string
	Env       []string
	URLs      *[]string // allowedHttpHookUrls; nil: any
	Variables *[]string // httpHookAllowedEnvVars; nil: any
}

// Under returns the settings with those of a later file over them.
func (s *ClientSettings) Under(later *ClientSettings) *ClientSettings {
	if s == nil || later == nil {
		return cmp.Or(s, later)
	}
	both := *s
	if later.Off != nil {
		both.Off, both.OffBy, both.OffAt = later.Off, later.OffBy, later.OffAt
	}
	both.Disabled = append(slices.Clip(s.Disabled), later.Disabled...)
	both.Env = overlaid(s.Env, later.Env)
	both.URLs, both.Variables = joined(s.URLs, later.URLs), joined(s.Variables, later.Variables)
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

func (s *ClientSettings) AllOff() bool { return s != nil && s.Off != nil && *s.Off }

func (s *ClientSettings) allowsURL(url string) bool {
	return s == nil || s.URLs == nil || slices.ContainsFunc(*s.URLs, func(pattern string) bool {
		return starMatch(pattern, url)
	})
}

func (s *ClientSettings) allowsVariable(name string) bool {
	return s == nil || s.Variables == nil || slices.Contains(*s.Variables, name)
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
