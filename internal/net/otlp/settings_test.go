package otlp

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestRead(t *testing.T) {
	const url = "http://c:4318/v1/logs"
	for name, test := range map[string]struct {
		address string
		env     map[string]string // without OTEL_EXPORTER_OTLP
		check   func(*Settings)
		err     string
	}{
		"the flag": {url, map[string]string{"_LOGS_ENDPOINT": "http://other/x"},
			func(s *Settings) {
				require.Equal(t, url, s.endpoint.URL)
				require.Equal(t, 10*time.Second, s.timeout)
				require.False(t, s.gzip)
				require.Equal(t, []string{"hookrun/1.2.3"}, s.header["User-Agent"])
			}, ""},
		"the address of logs, as it is": {"", map[string]string{"_LOGS_ENDPOINT": "https://c/otlp?k=v",
			"_ENDPOINT": "http://other"},
			func(s *Settings) { require.Equal(t, "https://c/otlp?k=v", s.endpoint.URL) }, ""},
		"the address of all signals": {"", map[string]string{"_ENDPOINT": "http://c:4318/base/"},
			func(s *Settings) { require.Equal(t, "http://c:4318/base/v1/logs", s.endpoint.URL) }, ""},
		"an empty variable is unset": {"", map[string]string{"_LOGS_ENDPOINT": " ",
			"_ENDPOINT": "http://c"},
			func(s *Settings) { require.Equal(t, "http://c/v1/logs", s.endpoint.URL) }, ""},
		"no address": {"", nil, nil, "--otlp has no address; give one"},
		"no URL":     {"c:4318", nil, nil, "--otlp: the url must start with http:// or https://"},
		"no good URL": {"", map[string]string{"_ENDPOINT": "grpc://c"}, nil,
			"OTEL_EXPORTER_OTLP_ENDPOINT: "},
		"grpc": {url, map[string]string{"_PROTOCOL": "grpc"}, nil,
			`OTEL_EXPORTER_OTLP_PROTOCOL is "grpc", but hookrun sends http/json alone; set OTEL_`},
		"grpc for the others": {url, map[string]string{"_PROTOCOL": "grpc",
			"_LOGS_PROTOCOL": "http/json"}, func(*Settings) {}, ""},
		"headers": {url, map[string]string{"_HEADERS": "x=0",
			"_LOGS_HEADERS": "authorization=Bearer%20a=b, x-team = $y ,"}, func(s *Settings) {
			require.Equal(t, http.Header{"User-Agent": {"hookrun/1.2.3"}, "Authorization": {"Bearer a=b"},
				"X-Team": {"$y"}}, s.header)
		}, ""},
		"a header without a value": {url, map[string]string{"_HEADERS": "a=b,secret"}, nil,
			"OTEL_EXPORTER_OTLP_HEADERS: part 2 is not name=value"},
		"a header that begins another": {url, map[string]string{"_HEADERS": "a=b%0d%0ac:d"}, nil,
			"the value of the header a has a line break"},
		"a bad escape": {url, map[string]string{"_HEADERS": "a=%zz"}, nil, "part 1 is not"},
		"the rest": {url, map[string]string{"_COMPRESSION": "gzip", "_TIMEOUT": "250",
			"_CERTIFICATE": "ca.pem", "_LOGS_CLIENT_CERTIFICATE": "c.pem",
			"_CLIENT_KEY": "k.pem"}, func(s *Settings) {
			require.True(t, s.gzip)
			require.Equal(t, 250*time.Millisecond, s.timeout)
			require.Equal(t, []string{"ca.pem", "c.pem", "k.pem"},
				[]string{s.endpoint.CAFile, s.endpoint.ClientCert, s.endpoint.ClientKey})
		}, ""},
		"compression": {url, map[string]string{"_COMPRESSION": "zstd"}, nil, `is "zstd"; it can be gzip`},
		"timeout":     {url, map[string]string{"_TIMEOUT": "10s"}, nil, "milliseconds"},
		"no timeout":  {url, map[string]string{"_TIMEOUT": "0"}, nil, "milliseconds"},
		"half a pair": {url, map[string]string{"_CLIENT_KEY": "k"}, nil, "go together"},
		"the resource": {url, map[string]string{"OTEL_RESOURCE_ATTRIBUTES": "service.name=a,host.name=h,t=x%2Cy%20,e=",
			"OTEL_SERVICE_NAME": "b"}, func(s *Settings) {
			require.Equal(t, []attribute{{"service.name", "b"}, {"service.version", "1.2.3"}, {"host.name", "h"},
				{"t", "x,y "}}, s.resource)
		}, ""},
		"a bad resource": {url, map[string]string{"OTEL_RESOURCE_ATTRIBUTES": "team"}, nil,
			"OTEL_RESOURCE_ATTRIBUTES: part 1"},
	} {
		t.Run(name, func(t *testing.T) {
			s, err := Read(test.address, "1.2.3", func(name string) string {
				return test.env[strings.TrimPrefix(name, "OTEL_EXPORTER_OTLP")]
			})
			if test.err != "" {
				require.ErrorContains(t, err, test.err)
				require.NotContains(t, err.Error(), "secret")
				return
			}
			require.NoError(t, err)
			test.check(s)
		})
	}
}
