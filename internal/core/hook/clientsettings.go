package hook

import (
	"cmp"
	"slices"
	"strings"
)

// ClientSettings are the settings in a client's files that apply to all its hooks. Later files win; lists are joined.
type ClientSettings struct {
	Off      *bool      // true: all hooks are switched off
	OffBy    string     // the setting that switches the hooks off
	OffAt    Diagnostic // the message about Off
	Disabled []string
	Env      []string
	// ProjectEnv is the part of Env from files of the project, which hooks of the user's file get too.
	ProjectEnv []string
	URLs       *[]string // allowedHttpHookUrls; nil: any
	Variables  *[]string // httpHookAllowedEnvVars; nil: any
}

// OverriddenBy returns the settings overridden by the settings of a later file.
func (s *ClientSettings) OverriddenBy(later *ClientSettings) *ClientSettings {
	if s == nil || later == nil {
		return cmp.Or(s, later)
	}
	both := *s
	if later.Off != nil {
		both.Off, both.OffBy, both.OffAt = later.Off, later.OffBy, later.OffAt
	}
	both.Disabled = append(slices.Clip(s.Disabled), later.Disabled...)
	both.Env = mergeVariables(s.Env, later.Env)
	both.ProjectEnv = mergeVariables(s.ProjectEnv, later.ProjectEnv)
	both.URLs, both.Variables = joinLists(s.URLs, later.URLs), joinLists(s.Variables, later.Variables)
	return &both
}

// mergeVariables returns the variables of both lists, later values over earlier ones.
func mergeVariables(env, later []string) []string {
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

func joinLists(a, b *[]string) *[]string {
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

// starMatch matches a pattern in which * matches any text.
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
