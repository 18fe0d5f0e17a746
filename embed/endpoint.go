package embed

import (
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"
)

// maxAnswer bounds what is read of one answer: 2,048 vectors of 4,096 numbers
// in 8 digits each.
const maxAnswer = 64 << 20

// endpoint is one address that texts are sent to.
type endpoint struct {
	base    string // as in messages and identities
	url     string
	key     string
	timeout time.Duration // of one try
	limit   int64         // bytes of an answer
	client  *http.Client
}

// newEndpoint checks the base URL of o, or the usual one, and adds path.
func newEndpoint(o Options, usual, path string) (*endpoint, error) {
	raw := o.BaseURL
	if raw == "" {
		raw = usual
	}
	base, err := baseURL(raw, o.APIKey != "")
	if err != nil {
		return nil, err
	}
	return &endpoint{
		base: base, url: base + path, key: o.APIKey, timeout: o.timeout(), limit: maxAnswer,
		client: &http.Client{
			Transport: o.Transport,
			// A redirect could carry texts and key elsewhere: it is an answer
			// like any other that is no vector.
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		},
	}, nil
}

// baseURL returns raw without a slash at the end. The errors do not repeat
// raw, which may hold a password.
func baseURL(raw string, withKey bool) (string, error) {
	u, err := url.Parse(raw)
	switch {
	case err != nil:
		return "", errors.New("base_url in [embed] cannot be understood: want http://HOST:PORT or https://HOST/PATH")
	case u.User != nil:
		return "", errors.New("base_url in [embed] holds a user name or password: put the key into a variable and its name into api_key_env")
	case u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "" || u.RawQuery != "" || u.ForceQuery || u.Fragment != "":
		return "", errors.New("base_url in [embed]: want http://HOST:PORT or https://HOST/PATH, without ? and #")
	case withKey && u.Scheme == "http" && !isLoopback(u.Hostname()):
		return "", fmt.Errorf("base_url in [embed] would send the key to %s in the clear: use https", u.Host)
	}
	return strings.TrimRight(u.String(), "/"), nil
}

func isLoopback(host string) bool {
	ip := net.ParseIP(host)
	return strings.EqualFold(host, "localhost") || ip != nil && ip.IsLoopback()
}
