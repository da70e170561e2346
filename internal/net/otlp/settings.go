package otlp

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/hookrun/hookrun/internal/core/endpoint"
)

// Settings say where records go and how. The environment sets them by OpenTelemetry's variables for exporters.
type Settings struct {
	endpoint endpoint.Endpoint
	header   http.Header
	timeout  time.Duration // of one request
	gzip     bool
	resource []attribute
	version  string // of hookrun
}

// attribute is an attribute of the resource.
type attribute struct{ key, value string }

// Read returns the settings. address is the full address; "" means the address in the environment.
func Read(address, version string, getenv func(string) string) (*Settings, error) {
	env := environment(getenv)
	if protocol, name := env.exporter("PROTOCOL"); protocol != "" && protocol != "http/json" {
		return nil, fmt.Errorf("%s is %q, but hookrun sends http/json alone; "+
			"set OTEL_EXPORTER_OTLP_LOGS_PROTOCOL=http/json for it", name, protocol)
	}
	s := &Settings{version: version, header: http.Header{"User-Agent": {"hookrun/" + version}}}
	var err error
	if s.endpoint.URL, err = env.address(address); err != nil {
		return nil, err
	}
	s.endpoint.CAFile, _ = env.exporter("CERTIFICATE")
	s.endpoint.ClientCert, _ = env.exporter("CLIENT_CERTIFICATE")
	s.endpoint.ClientKey, _ = env.exporter("CLIENT_KEY")
	if (s.endpoint.ClientCert == "") != (s.endpoint.ClientKey == "") {
		return nil, errors.New("OTEL_EXPORTER_OTLP_CLIENT_CERTIFICATE and OTEL_EXPORTER_OTLP_CLIENT_KEY go together; " +
			"set both or none")
	}
	if err := env.headers(s.header); err != nil {
		return nil, err
	}
	switch compression, name := env.exporter("COMPRESSION"); compression {
	case "gzip":
		s.gzip = true
	case "", "none":
	default:
		return nil, fmt.Errorf("%s is %q; it can be gzip or none", name, compression)
	}
	s.timeout = 10 * time.Second
	if text, name := env.exporter("TIMEOUT"); text != "" {
		ms, err := strconv.ParseUint(text, 10, 32)
		if err != nil || ms == 0 || ms > uint64(time.Hour/time.Millisecond) {
			return nil, fmt.Errorf("%s is %q; it must be a number of milliseconds, at most an hour", name, text)
		}
		s.timeout = time.Duration(ms) * time.Millisecond
	}
	s.resource, err = env.resource(version)
	return s, err
}

// environment reads a variable. An empty variable counts as unset, as OpenTelemetry says.
type environment func(string) string

// exporter returns a variable of the exporter, and the name. The variable for logs comes before the one for all
// signals.
func (env environment) exporter(key string) (value, name string) {
	for _, name := range []string{"OTEL_EXPORTER_OTLP_LOGS_" + key, "OTEL_EXPORTER_OTLP_" + key} {
		if value := strings.TrimSpace(env(name)); value != "" {
			return value, name
		}
	}
	return "", ""
}

// address returns the full address. An address for all signals gets the path of logs.
func (env environment) address(given string) (string, error) {
	name := "--otlp"
	if given == "" {
		if given, name = env.exporter("ENDPOINT"); given == "" {
			return "", errors.New("--otlp has no address; give one, as http://localhost:4318/v1/logs, " +
				"or set OTEL_EXPORTER_OTLP_LOGS_ENDPOINT")
		}
	}
	if err := endpoint.CheckURL(given); err != nil {
		return "", fmt.Errorf("%s: %w", name, err)
	}
	if name != "OTEL_EXPORTER_OTLP_ENDPOINT" {
		return given, nil
	}
	base, err := url.Parse(given)
	if err != nil { // unexpected: CheckURL has parsed the address
		return "", err
	}
	return base.JoinPath("v1", "logs").String(), nil
}

// headers adds the headers of the environment. An error quotes no value, because values are often secret.
func (env environment) headers(to http.Header) error {
	list, name := env.exporter("HEADERS")
	pairs, err := parsePairs(list)
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	seen := map[string]bool{}
	for _, p := range pairs {
		if err := endpoint.CheckHeader(endpoint.Header{Name: p.key, Value: p.value}, seen); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		to.Set(p.key, p.value)
	}
	return nil
}

// resource returns the attributes of the resource: our own, less those that the environment sets otherwise.
func (env environment) resource(version string) ([]attribute, error) {
	const variable = "OTEL_RESOURCE_ATTRIBUTES"
	set, err := parsePairs(strings.TrimSpace(env(variable)))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", variable, err)
	}
	if name := env("OTEL_SERVICE_NAME"); name != "" {
		set = append(set, attribute{"service.name", name})
	}
	host, _ := os.Hostname() // without a name, the environment can have one
	all := []attribute{{"service.name", "hookrun"}, {"service.version", version}, {"host.name", host}}
	for _, a := range set {
		if i := slices.IndexFunc(all, func(b attribute) bool { return b.key == a.key }); i >= 0 {
			all[i] = a
		} else {
			all = append(all, a)
		}
	}
	return slices.DeleteFunc(all, func(a attribute) bool { return a.value == "" }), nil
}

// parsePairs reads name=value,name=value, with percent-encoded values.
func parsePairs(list string) (pairs []attribute, err error) {
	for i, pair := range strings.Split(list, ",") {
		key, value, ok := strings.Cut(pair, "=")
		if strings.TrimSpace(pair) == "" {
			continue
		}
		key = strings.TrimSpace(key)
		value, err := url.PathUnescape(strings.TrimSpace(value))
		if !ok || key == "" || err != nil {
			return nil, fmt.Errorf("part %d is not name=value with a percent-encoded value; fix it", i+1)
		}
		pairs = append(pairs, attribute{key, value})
	}
	return pairs, nil
}
