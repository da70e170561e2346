package hookfile

import (
	"path/filepath"
	"strings"

	"github.com/tidwall/gjson"

	"github.com/hookrun/hookrun/internal/hook"
	"github.com/hookrun/hookrun/internal/httphook"
)

// An entry with "url" posts the hook input; an entry with "command" runs a program.

// checkRequest reports faults of the keys that describe the entry's request.
func (e *entry) checkRequest(h *hook.Hook) {
	f, who := e.values, e.who
	if h.HTTP == nil {
		if useless := e.keys(requests); len(useless) > 0 {
			e.problem(f[useless[0]].Index, `%s posts to no url, so "%s" would mean nothing; add "url", or leave it out`,
				who, strings.Join(useless, `", "`))
		}
		return
	}
	for _, key := range e.keys(programs) {
		mend := "leave it out"
		if key == "env" || key == "inherit_env" {
			mend += `, and name the variables that its headers need in "allowed_env_vars"`
		}
		e.problem(f[key].Index, "%s posts to a url and runs no program, so %q would mean nothing; %s", who, key, mend)
	}
	if signal := f["on_failure"].Get("signal"); f["on_failure"].IsObject() && signal.Exists() {
		e.problem(signal.Index,
			"%s: \"on_failure\" for \"signal\" would mean nothing: a request is no process; leave it out", who)
	}
	for _, key := range []string{"ca_file", "client_cert", "client_key"} {
		if v, ok := f[key]; ok && strings.HasPrefix(strings.ToLower(h.HTTP.URL), "http:") &&
			!strings.HasPrefix(strings.ToLower(h.HTTP.Proxy), "https:") {
			e.warn(v.Index, "%s: %q means nothing for a url that is not https", who, key)
		}
	}
	_, cert := f["client_cert"]
	if _, key := f["client_key"]; cert != key {
		e.problem(f["url"].Index,
			"%s: \"client_cert\" and \"client_key\" belong together; write both, or the same file twice if it has both",
			who)
	}
	e.headerVariables(h.HTTP)
}

// headerVariables warns about variables in headers that are not in allowed_env_vars.
func (e *entry) headerVariables(to *httphook.Endpoint) {
	headers, allowed := e.values["headers"], map[string]bool{}
	if !headers.IsObject() {
		return
	}
	for _, name := range to.AllowedEnvVars {
		allowed[name] = true
	}
	headers.ForEach(func(key, v gjson.Result) bool {
		header := httphook.Header{Name: key.String(), Value: v.String()}
		for _, name := range header.Variables() {
			if v.Type == gjson.String && !allowed[name] {
				e.warnOfGate(v.Index, e.who+": the header "+quote(header.Name)+" names $"+brief(name)+
					", which is replaced by nothing; add it to \"allowed_env_vars\"")
			}
		}
		return true
	})
}

// url reads the address for the request.
func (r *reader) url(h *hook.Hook) {
	h.Inherit, h.RunsAt = nil, r.at(r.value.Index, "")
	h.HTTP = &httphook.Endpoint{URL: r.address(httphook.CheckURL)}
}

func (r *reader) address(check func(string) error) string {
	s, ok := r.text(r.value, r.quotedKey())
	if !ok {
		return ""
	}
	if err := check(s); err != nil { // the error omits the address, because it may hold a password
		r.problem(r.value.Index, "%s%q: %v", r.who, r.key, err)
	}
	return s
}

// path reads the path of a file, relative to the folder of the hooks file.
func (r *reader) path() string {
	s, ok := r.text(r.value, r.quotedKey())
	switch {
	case !ok:
		return ""
	case strings.TrimSpace(s) == "":
		r.problem(r.value.Index, "%s%q is blank; write the path of a file", r.who, r.key)
		return ""
	case filepath.IsAbs(s):
		return s
	}
	path := filepath.Join(filepath.Dir(r.file), s)
	if absolute, err := filepath.Abs(path); err == nil { // hookrun may change its folder before the hook runs
		return absolute
	}
	return path
}

func (r *reader) variables(h *hook.Hook) {
	if !r.value.IsArray() {
		r.wrongType(r.who+`"allowed_env_vars"`, "an array of names of variables", r.value)
		return
	}
	r.value.ForEach(func(_, v gjson.Result) bool {
		name, ok := r.text(v, `a name in "allowed_env_vars"`)
		if ok && !httphook.IsVariable(name) {
			r.problem(v.Index,
				"%s\"allowed_env_vars\": %s cannot be the name of a variable; letters, digits and _ make one, "+
					"without the $",
				r.who, quote(name))
		}
		h.HTTP.AllowedEnvVars = append(h.HTTP.AllowedEnvVars, name)
		return true
	})
}

func (r *reader) headers(h *hook.Hook) {
	if !r.value.IsObject() {
		r.wrongType(r.who+`"headers"`, "an object of strings", r.value)
		return
	}
	seen := map[string]bool{}
	r.value.ForEach(func(key, v gjson.Result) bool {
		if v.Type != gjson.String {
			r.wrongType(r.who+"the header "+quote(key.String()), "a string", v)
			return true
		}
		header := httphook.Header{Name: key.String(), Value: v.String()}
		if err := httphook.CheckHeader(header, seen); err != nil {
			r.problem(key.Index, "%s\"headers\": %v", r.who, err)
		}
		h.HTTP.Headers = append(h.HTTP.Headers, header)
		return true
	})
}
