package main

import (
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/stretchr/testify/require"

	"github.com/hookrun/hookrun/internal/texts/queue"
)

func TestRead(t *testing.T) {
	published := time.Unix(1_700_000_000, 5).UTC()
	meta := &jetstream.MsgMetadata{Stream: "S", Sequence: jetstream.SequencePair{Stream: 7}, Timestamp: published}
	o := &options{agent: "planner", session: "s1"}
	plain := queue.Entry{Session: "s1", Agents: []string{"planner"}, Source: "nats", Content: "text"}

	m := o.read([]byte("text"), nil, meta)
	require.NoError(t, m.invalid)
	require.Equal(t, "S:7:1700000000000000005", m.id)
	require.Equal(t, plain, m.entry)

	m = o.read([]byte("text"), nats.Header{"Nats-Msg-Id": {"1"}, "Traceparent": {"x", "y"}, "Hookrun-Session": {"s2"},
		"Hookrun-Source": {"boss"}, "Hookrun-Strategy": {"user_message"}, "Hookrun-Matcher": {"shell|fs_*"},
		"Hookrun-TTL": {"10m"}}, meta)
	require.NoError(t, m.invalid)
	require.Equal(t, "1", m.id)
	require.Equal(t, queue.Entry{Session: "s2", Agents: []string{"planner"}, Source: "boss", Strategy: "user_message",
		Matcher: "shell|fs_*", Content: "text", Expires: published.Add(10 * time.Minute)}, m.entry)

	m = (&options{agent: "planner", session: "s1", everyAgent: true}).read([]byte("text"), nil, meta)
	require.NoError(t, m.invalid)
	require.Nil(t, m.entry.Agents)
}

func TestReadInvalid(t *testing.T) {
	meta := &jetstream.MsgMetadata{Stream: "S", Timestamp: time.Unix(1, 0)}
	header := func(key string, values ...string) nats.Header { return nats.Header{key: values} }
	for want, c := range map[string]struct {
		text    string
		header  nats.Header
		session string
	}{
		"the header Hookrun-Session is missing": {text: "a"},
		"the text is not UTF-8":                 {text: "a\xff", session: "s1"},
		`there is no header "Hookrun-Priority"`: {text: "a", session: "s1", header: header("Hookrun-Priority", "1")},
		`there is no header "hookrun-ttl"`:      {text: "a", session: "s1", header: header("hookrun-ttl", "1m")},
		"Hookrun-TTL \"10\" is no duration":     {text: "a", session: "s1", header: header("Hookrun-TTL", "10")},
		"Hookrun-TTL \"-1m\" is no duration":    {text: "a", session: "s1", header: header("Hookrun-TTL", "-1m")},
		"Hookrun-Session needs one value":       {text: "a", header: header("Hookrun-Session", "a", "b")},
		"Hookrun-Source needs one value":        {text: "a", session: "s1", header: header("Hookrun-Source", "")},
		"Hookrun-Matcher is longer than 1024": {text: "a", session: "s1",
			header: header("Hookrun-Matcher", strings.Repeat("a", 1025))},
		"Hookrun-Session is longer than 1024 bytes or has unprintable characters": {text: "a",
			header: header("Hookrun-Session", "a\x1b[2J")},
		"the header Nats-Msg-Id is longer than 128": {text: "a", session: "s1",
			header: header("Nats-Msg-Id", strings.Repeat("a", 129))},
	} {
		m := (&options{agent: "a", session: c.session}).read([]byte(c.text), c.header, meta)
		require.ErrorContains(t, m.invalid, want)
	}
}

func TestFlags(t *testing.T) {
	for want, args := range map[string][]string{
		"--agent is missing":           {},
		"is not made of 1 to 64":       {"--agent", "a.b"},
		"there is no argument \"x\"":   {"--agent", "a", "x"},
		"--cert and --key go together": {"--agent", "a", "--cert", "x"},
		"unknown flag: --prio":         {"--agent", "a", "--prio", "1"},
	} {
		require.ErrorContains(t, (&options{}).parse(args, &strings.Builder{}), want)
	}
	require.NoError(t, (&options{}).parse([]string{"--agent", "a-B_9"}, &strings.Builder{}))
}

func TestServers(t *testing.T) {
	hosts, err := checkServers("localhost, nats://127.0.0.1:4222,nats://token@[::1]:1,tls://a.example", false)
	require.NoError(t, err)
	require.Equal(t, "localhost, 127.0.0.1:4222, [::1]:1, a.example", hosts)
	for _, servers := range []string{"a.example", "nats://10.0.0.1", "ws://a.example",
		"tls://a.example,nats://b.example", "nats://localhost.example"} {
		_, err := checkServers(servers, false)
		require.ErrorContains(t, err, "without TLS", servers)
		_, err = checkServers(servers, true)
		require.NoError(t, err)
	}
	_, err = checkServers("nats://user:s3cret@", false)
	require.ErrorContains(t, err, "is no URL")
	require.NotContains(t, err.Error(), "s3cret")
	b := &bridge{options: options{server: "nats://user:s3cret@localhost"}}
	_, err = b.connect("")
	require.ErrorContains(t, err, "--server shows a password")
}
