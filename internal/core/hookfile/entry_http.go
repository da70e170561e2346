package hookfile

import (
	"path/filepath"
	"strings"

	"github.com/tidwall/gjson"

	"github.com/hookrun/hookrun/internal/core/endpoint"
	"github.com/hookrun/hookrun/internal/core/hook"
)

// An entry with "url" posts the hook input; an entry with "command" runs a program.

// checkRequest reports faults of the keys that describe the entry's request.
func (e *entry) checkRequest(h *hook.Hook) {
	f, to := e.values, h.Request()
	if to == nil {
		if useless := e.keys(requests); len(useless) > 0 {
			const text = `%s posts to no url, so "%s" would mean nothing; add "url", or leave it out`
			e.In.Problem(f[useless[0]].Index, text, e.Name, strings.Join(useless, `", "`))
		}
		return
	}
	for _, key := range e.keys(programs) {
		mend := "leave it out"
		if key == "env" || key == "inherit_env" {
			mend += `, and name the variables that its headers need in "allowed_env_vars"`
		}
		const text = "%s posts to a url and runs no program, so %q would mean nothing; %s"
		e.In.Problem(f[key].Index, text, e.Name, key, mend)
	}
	if signal := f["on_failure"].Member("signal"); signal.Exists() {
		signal.Problem("\"on_failure\" for \"signal\" would mean nothing: a request is no process; leave it out")
	}
	for _, key := range []string{"ca_file", "client_cert", "client_key"} {
		if v, ok := f[key]; ok && strings.HasPrefix(strings.ToLower(to.URL), "http:") &&
			!strings.HasPrefix(strings.ToLower(to.Proxy), "https:") {
			v.Warn("%q means nothing for a url that is not https", key)
		}
	}
	_, cert := f["client_cert"]
	if _, key := f["client_key"]; cert != key {
		f["url"].Problem("\"client_cert\" and \"client_key\" belong together; write both, or the same file " +
			"twice if it has both")
	}
	e.headerVariables(&to.Endpoint)
}

// headerVariables warns about variables in headers that are not in allowed_env_vars.
func (e *entry) headerVariables(to *endpoint.Endpoint) {
	headers, allowed := e.values["headers"], map[string]bool{}
	if !headers.IsObject() {
		return
	}
	for _, name := range to.AllowedEnvVars {
		allowed[name] = true
	}
	for key, v := range headers.Members("") {
		header := endpoint.Header{Name: key.Key, Value: v.String()}
		for _, name := range header.Variables() {
			if v.Type == gjson.String && !allowed[name] {
				v.Warn("the header %s names $%s, which is replaced by nothing; add it to \"allowed_env_vars\"",
					quote(header.Name), brief(name)).Gate = true
			}
		}
	}
}

// url reads the address for the request.
func (r *reader) url(h *hook.Hook) {
	h.Inherit, h.RunsAt = nil, r.Place()
	to := endpoint.Endpoint{URL: r.address(endpoint.CheckURL)}
	h.Handler = &hook.Request{Endpoint: to, By: r.parts.Requests}
	if r.parts.Requests == nil {
		r.Problem(`"url": this program sends no requests`)
	}
}

func (r *reader) address(check func(string) error) string {
	s, ok := r.ForProcess()
	if !ok {
		return ""
	}
	if err := check(s); err != nil { // the error omits the address, because it may hold a password
		r.Problem("%q: %v", r.Key, err)
	}
	return s
}

// path reads the path of a file, relative to the folder of the hooks file.
func (r *reader) path() string {
	s, ok := r.ForProcess()
	switch {
	case !ok:
		return ""
	case strings.TrimSpace(s) == "":
		r.Problem("%q is blank; write the path of a file", r.Key)
		return ""
	case filepath.IsAbs(s):
		return s
	}
	path := filepath.Join(filepath.Dir(r.File), s)
	if absolute, err := filepath.Abs(path); err == nil { // hookrun may change its folder before the hook runs
		return absolute
	}
	return path
}

func (r *reader) variables(h *hook.Hook) {
	for name, v := range r.Texts("an array of names of variables", `a name in "allowed_env_vars"`) {
		if !endpoint.IsVariable(name) {
			v.Problem("\"allowed_env_vars\": %s cannot be the name of a variable; letters, digits and _ make one, "+
				"without the $", quote(name))
		}
		h.Request().AllowedEnvVars = append(h.Request().AllowedEnvVars, name)
	}
}

func (r *reader) headers(h *hook.Hook) {
	seen := map[string]bool{}
	for key, v := range r.Members("an object of strings") {
		if v.Name = "the header " + quote(key.Key); !v.Is("string") {
			continue
		}
		header := endpoint.Header{Name: key.Key, Value: v.String()}
		if err := endpoint.CheckHeader(header, seen); err != nil {
			key.Problem("\"headers\": %v", err)
		}
		h.Request().Headers = append(h.Request().Headers, header)
	}
}
