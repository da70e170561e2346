package projecthooks

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/hookrun/hookrun/internal/strictjson"
)

// Endpoint is where a hook of type http posts to.
type Endpoint struct {
	URL            string
	Headers        []Header
	AllowedEnvVars []string // the variables that headers may name
}

// String is the address without what may be secret in it: the user and the query. Reports and reasons have it.
func (e *Endpoint) String() string {
	address, _, _ := strings.Cut(e.URL, "#")
	address, _, _ = strings.Cut(address, "?")
	if scheme, rest, ok := strings.Cut(address, "://"); ok {
		host, path, slash := strings.Cut(rest, "/")
		if slash {
			path = "/" + path
		}
		address = scheme + "://" + host[strings.LastIndexByte(host, '@')+1:] + path
	}
	return address
}

// Header is one header of a request, as it stands in the file: $NAME stands for a variable.
type Header struct{ Name, Value string }

// ErrNoPoster means that the program is missing that posts for hooks of type http. It is hookrun's own, so this is no failure
// of the hook's, and must not be taken for one that passes.
var ErrNoPoster = errors.New("hookrun cannot post")

// poster finds the program that posts: for http hookrun itself, which hooks know as $HOOKRUN, and for https the program
// beside it, since TLS would slow every start of hookrun's.
func (h *Hook) poster(env []string) (path string, argv []string, err error) {
	hookrun := lookup(env, "HOOKRUN")
	switch {
	case !h.settings.allowsURL(h.HTTP.URL):
		return "", nil, fmt.Errorf("%s is not among the \"allowedHttpHookUrls\" of the settings", h.HTTP)
	case !strings.HasPrefix(strings.ToLower(h.HTTP.URL), "https:"):
		if hookrun == "" {
			return "", nil, fmt.Errorf("%w to %s: the path of the hookrun binary is not known", ErrNoPoster, h.HTTP)
		}
		return hookrun, []string{"hookrun", "http-hook"}, nil
	}
	const companion = "hookrun-https"
	if hookrun != "" {
		if path, err := exec.LookPath(filepath.Join(filepath.Dir(hookrun), companion)); err == nil {
			return path, []string{companion}, nil
		}
	}
	if path, err = find(companion, "", env); err != nil {
		return "", nil, fmt.Errorf("%w to %s: %s is neither beside hookrun nor in PATH; install it: "+
			"CGO_ENABLED=0 go install github.com/hookrun/hookrun/cmd/%s@latest", ErrNoPoster, h.HTTP, companion, companion)
	}
	return path, []string{companion}, nil
}

// Preamble is what a hook's program gets on stdin before the payload: for one that posts where to and how, else nothing. It
// goes there since headers may hold secrets, which have no place on a command line.
func (h *Hook) Preamble() []byte {
	if h.HTTP == nil {
		return nil
	}
	line := append(strictjson.AppendString([]byte(`{"url":`), h.HTTP.URL), `,"headers":{`...)
	for i, header := range h.HTTP.Headers {
		if i > 0 {
			line = append(line, ',')
		}
		line = append(strictjson.AppendString(line, header.Name), ':')
		line = strictjson.AppendString(line, header.Value)
	}
	line = append(line, `},"allowed_env_vars":[`...)
	for i, name := range slices.DeleteFunc(slices.Clone(h.HTTP.AllowedEnvVars), func(n string) bool { return !h.settings.allowsVariable(n) }) {
		if i > 0 {
			line = append(line, ',')
		}
		line = strictjson.AppendString(line, name)
	}
	return append(line, "]}\n"...)
}

// settings are those of a client's files that concern all of its hooks. Later files win; lists grow.
type settings struct {
	off       *bool   // all hooks are switched off
	offBy     string  // by this setting
	offAt     Problem // what to say of it
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
	return s == nil || s.urls == nil || slices.ContainsFunc(*s.urls, func(pattern string) bool { return starMatch(pattern, url) })
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

// claudeFolder is the user's folder of Claude Code.
func claudeFolder() (string, error) {
	if dir := os.Getenv("CLAUDE_CONFIG_DIR"); dir != "" {
		return dir, nil
	}
	home, err := os.UserHomeDir()
	return filepath.Join(home, ".claude"), err
}
