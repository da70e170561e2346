package main

import (
	"errors"
	"fmt"
	"net"
	"net/url"
	"strings"
	"time"

	"github.com/nats-io/nats.go"
)

// connect opens a connection that reconnects for ever. The server may be down.
func (b *bridge) connect(environment string) (*nats.Conn, error) {
	servers := b.server
	if strings.Contains(servers, "@") {
		return nil, errors.New("--server shows a password to all users of this machine: set NATS_URL, or give --creds")
	}
	if servers == "" {
		servers = environment
	}
	if servers == "" {
		return nil, errors.New("no server is named: give --server, or set NATS_URL")
	}
	hosts, err := checkServers(servers, b.ca != "" || b.cert != "" || b.plain)
	if err != nil {
		return nil, err
	}
	options := []nats.Option{
		nats.Name("hookrun-nats " + b.agent),
		nats.CustomInboxPrefix("_INBOX.hookrun-" + b.agent), // texts come there, so permissions can keep others out
		nats.MaxReconnects(-1), nats.RetryOnFailedConnect(true), nats.ReconnectWait(time.Second),
		nats.IgnoreAuthErrorAbort(), // the files of credentials are read each time, so they can be renewed
		nats.ConnectHandler(b.connected), nats.ReconnectHandler(b.connected),
		nats.ReconnectErrHandler(func(_ *nats.Conn, err error) {
			if err != nats.ErrNoServers { // each server has its own error
				b.say("no connection: " + err.Error() + "; waiting for " + hosts)
			}
		}),
		nats.DisconnectErrHandler(func(_ *nats.Conn, err error) {
			if err != nil {
				b.say("the connection is lost: " + err.Error() + "; waiting for " + hosts)
			}
		}),
		nats.ErrorHandler(func(_ *nats.Conn, _ *nats.Subscription, err error) { b.say(err.Error()) }),
	}
	if b.creds != "" {
		options = append(options, nats.UserCredentials(b.creds))
	}
	if b.ca != "" {
		options = append(options, nats.RootCAs(b.ca))
	}
	if b.cert != "" {
		options = append(options, nats.ClientCert(b.cert, b.key))
	}
	return nats.Connect(servers, options...)
}

// checkServers returns the names of the servers, and refuses a server of another machine without TLS.
func checkServers(servers string, allowed bool) (hosts string, err error) {
	var names []string
	for one := range strings.SplitSeq(servers, ",") {
		one = strings.TrimSpace(one)
		if !strings.Contains(one, "://") {
			one = "nats://" + one
		}
		u, err := url.Parse(one)
		if err != nil || u.Hostname() == "" {
			// The URL may contain a password.
			return "", errors.New("the URL of a server is no URL: write tls://HOST or nats://HOST")
		}
		address := net.ParseIP(u.Hostname())
		local := u.Hostname() == "localhost" || address != nil && address.IsLoopback()
		if u.Scheme != "tls" && u.Scheme != "wss" && !local && !allowed {
			return "", fmt.Errorf("without TLS to %s, anyone in between could give the model orders: "+
				"write tls://%s, or give --plain", u.Host, u.Host)
		}
		names = append(names, u.Host)
	}
	return strings.Join(names, ", "), nil
}

// host returns a server's URL without a password.
func host(server string) string {
	u, err := url.Parse(server)
	if err != nil {
		return "the server"
	}
	return u.Host
}
