package hookfile

import (
	"path/filepath"
	"strconv"
	"strings"

	"github.com/tidwall/gjson"

	"github.com/hookrun/hookrun/internal/hook"
	"github.com/hookrun/hookrun/internal/httphook"
)

// An entry with "url" posts the hook input, where one with "command" runs a program.

var (
	httpKeys    = []string{"headers", "allowed_env_vars", "ca_file", "client_cert", "client_key", "proxy"}
	programKeys = []string{"env", "inherit_env", "persistent", "workers", "files"}
)

// endpoint reads the keys of an entry that describe its request. has returns those of some keys that the entry has.
func (p *parser) endpoint(h *hook.Hook, f map[string]gjson.Result, who string, has func(...string) []string) {
	where, ok := f["url"]
	if useless := has(httpKeys...); !ok && len(useless) > 0 {
		p.problem(f[strings.Trim(useless[0], `"`)].Index,
			"%s posts to no url, so %s would mean nothing; add \"url\", or leave it out",
			who, strings.Join(useless, ", "))
	}
	if !ok {
		return
	}
	for _, key := range programKeys {
		mend := "leave it out"
		if key == "env" || key == "inherit_env" {
			mend += `, and name the variables that its headers need in "allowed_env_vars"`
		}
		if v, ok := f[key]; ok {
			p.problem(v.Index, "%s posts to a url and runs no program, so %q would mean nothing; %s", who, key, mend)
		}
	}
	if signal := f["on_failure"].Get("signal"); f["on_failure"].IsObject() && signal.Exists() {
		p.problem(signal.Index,
			"%s: \"on_failure\" for \"signal\" would mean nothing: a request is no process; leave it out", who)
	}
	who += ": "
	h.Inherit, h.RunsAt = nil, p.at(where.Index, "")
	h.HTTP = &httphook.Endpoint{URL: p.address(reader{p, who, where}, "url", httphook.CheckURL)}
	if proxy, ok := f["proxy"]; ok {
		h.HTTP.Proxy = p.address(reader{p, who, proxy}, "proxy", httphook.CheckProxy)
	}
	if names, ok := f["allowed_env_vars"]; ok {
		h.HTTP.AllowedEnvVars = reader{p, who, names}.variables()
	}
	if headers, ok := f["headers"]; ok {
		h.HTTP.Headers = reader{p, who, headers}.headers(h.HTTP)
	}
	for i, file := range []struct {
		key  string
		into *string
	}{{"ca_file", &h.HTTP.CAFile}, {"client_cert", &h.HTTP.ClientCert}, {"client_key", &h.HTTP.ClientKey}} {
		v, ok := f[file.key]
		if !ok {
			continue
		}
		*file.into = reader{p, who, v}.path(file.key)
		if i < len(h.FilesAt) {
			h.FilesAt[i] = p.at(v.Index, "")
		}
		if strings.HasPrefix(strings.ToLower(h.HTTP.URL), "http:") &&
			!strings.HasPrefix(strings.ToLower(h.HTTP.Proxy), "https:") {
			p.warn(v.Index, "%s%q means nothing for a url that is not https", who, file.key)
		}
	}
	if cert, key := has("client_cert"), has("client_key"); len(cert) != len(key) {
		p.problem(where.Index,
			"%s\"client_cert\" and \"client_key\" belong together; write both, or the same file twice if it has both",
			who)
	}
}

func (p *parser) address(r reader, key string, check func(string) error) string {
	s, ok := r.text(r.value, strconv.Quote(key))
	if !ok {
		return ""
	}
	if err := check(s); err != nil { // it does not repeat the address, which may hold a password
		p.problem(r.value.Index, "%s%q: %v", r.who, key, err)
	}
	return s
}

// path reads the path of a file, which is relative to the folder of the hooks file.
func (r reader) path(key string) string {
	s, ok := r.text(r.value, strconv.Quote(key))
	switch {
	case !ok:
		return ""
	case strings.TrimSpace(s) == "":
		r.problem(r.value.Index, "%s%q is blank; write the path of a file", r.who, key)
		return ""
	case filepath.IsAbs(s):
		return s
	}
	path := filepath.Join(filepath.Dir(r.file), s)
	if absolute, err := filepath.Abs(path); err == nil { // hookrun may go elsewhere before the hook runs
		return absolute
	}
	return path
}

func (r reader) variables() (names []string) {
	if !r.value.IsArray() {
		r.wrongType(r.who+`"allowed_env_vars"`, "an array of names of variables", r.value)
		return nil
	}
	r.value.ForEach(func(_, v gjson.Result) bool {
		name, ok := r.text(v, `a name in "allowed_env_vars"`)
		if ok && !httphook.IsVariable(name) {
			r.problem(v.Index,
				"%s\"allowed_env_vars\": %s cannot be the name of a variable; letters, digits and _ make one, "+
					"without the $",
				r.who, quote(name))
		}
		names = append(names, name)
		return true
	})
	return names
}

func (r reader) headers(e *httphook.Endpoint) (headers []httphook.Header) {
	if !r.value.IsObject() {
		r.wrongType(r.who+`"headers"`, "an object of strings", r.value)
		return nil
	}
	seen, allowed := map[string]bool{}, map[string]bool{}
	for _, name := range e.AllowedEnvVars {
		allowed[name] = true
	}
	r.value.ForEach(func(key, v gjson.Result) bool {
		if v.Type != gjson.String {
			r.wrongType(r.who+"the header "+quote(key.String()), "a string", v)
			return true
		}
		h := httphook.Header{Name: key.String(), Value: v.String()}
		if err := httphook.CheckHeader(h, seen); err != nil {
			r.problem(key.Index, "%s\"headers\": %v", r.who, err)
		}
		for _, name := range h.Variables() {
			if allowed[name] {
				continue
			}
			r.warnOfGate(v.Index, r.who+"the header "+quote(h.Name)+" names $"+brief(name)+
				", which is replaced by nothing; add it to \"allowed_env_vars\"")
		}
		headers = append(headers, h)
		return true
	})
	return headers
}
