package embed

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"
)

// maxAnswer limits how much of one answer is read: 2,048 vectors of 4,096
// numbers with 8 digits each.
const maxAnswer = 64 << 20

// endpoint is one address that texts are sent to.
type endpoint struct {
	base    string // for messages and identities
	url     string
	key     string
	timeout time.Duration // for one try
	limit   int64         // bytes of an answer
	client  *http.Client
}

// newEndpoint checks the base URL of o, or the default one, and adds path.
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
			// A redirect could send texts and key elsewhere. It is treated like
			// any other answer without vectors.
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		},
	}, nil
}

// baseURL returns raw without a slash at the end. The errors do not repeat raw,
// which may contain a password.
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

// post sends body as JSON and returns the answer. It retries if that may help
// (see pause).
func (e *endpoint) post(ctx context.Context, body any) ([]byte, error) {
	data, err := json.Marshal(body)
	if err != nil {
		return nil, err
	}
	for try := 1; ; try++ {
		answer, err := e.once(ctx, data)
		if err == nil {
			return answer, nil
		}
		if err := pause(ctx, try, err); err != nil {
			return nil, err
		}
	}
}

func (e *endpoint) once(ctx context.Context, body []byte) ([]byte, error) {
	ctx, cancel := withTimeout(ctx, e.timeout)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, e.url, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "application/json")
	req.Header.Set("User-Agent", "agentflow")
	if e.key != "" {
		req.Header.Set("Authorization", "Bearer "+e.key)
	}
	resp, err := e.client.Do(req)
	if err != nil {
		var outer *url.Error // it repeats method and address
		if errors.As(err, &outer) {
			err = outer.Err
		}
		return nil, because(ctx, err)
	}
	defer resp.Body.Close()
	answer, err := io.ReadAll(io.LimitReader(resp.Body, e.limit+1))
	if resp.StatusCode != http.StatusOK {
		return nil, e.refused(resp, answer)
	}
	if err != nil {
		return nil, fmt.Errorf("read the answer: %w", because(ctx, err))
	}
	if int64(len(answer)) > e.limit {
		return nil, fmt.Errorf("the answer is larger than %d bytes", e.limit)
	}
	return answer, nil
}

// refused returns the error for an answer with another status than 200.
func (e *endpoint) refused(resp *http.Response, answer []byte) error {
	err := &statusError{code: resp.StatusCode, message: e.clean(serverMessage(answer))}
	err.after = retryAfter(resp.Header.Get("Retry-After"))
	switch code := resp.StatusCode; {
	case code == http.StatusUnauthorized && e.key == "", code == http.StatusForbidden && e.key == "":
		err.hint = "set api_key_env in [embed] to the name of the variable that holds the key"
	case code == http.StatusUnauthorized, code == http.StatusForbidden:
		err.hint = "the key was refused: see the variable that api_key_env in [embed] names"
	case code == http.StatusNotFound:
		err.hint = "see model and base_url in [embed]"
	case code >= 300 && code < 400:
		err.hint = "redirects are not followed: see base_url in [embed]"
	}
	return err
}

// Limits of retries.
const (
	maxTries  = 3
	firstWait = 250 * time.Millisecond // doubles with each try
	maxWait   = time.Minute            // no retry if the server asks for more
)

// pause waits before the next try. If there is none, it returns the reason: err
// itself, or the context's error.
func pause(ctx context.Context, try int, err error) error {
	var status *statusError
	if !errors.As(err, &status) || !again(status.code) || try >= maxTries {
		return err
	}
	// Half of the wait is random, so that many clients do not retry at the same
	// time.
	wait := firstWait << (try - 1)
	wait = max(status.after, wait/2+rand.N(wait/2))
	if deadline, ok := ctx.Deadline(); wait > maxWait || ok && time.Until(deadline) <= wait {
		if status.after > 0 {
			return fmt.Errorf("%w; it asks to wait %s", err, status.after.Round(time.Second))
		}
		return err
	}
	timer := time.NewTimer(wait)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return because(ctx, ctx.Err())
	}
}

// again reports whether a later try may be answered differently.
func again(code int) bool {
	switch code {
	case http.StatusTooManyRequests, http.StatusInternalServerError, http.StatusBadGateway,
		http.StatusServiceUnavailable, http.StatusGatewayTimeout:
		return true
	}
	return false
}

// retryAfter parses the Retry-After header: seconds or a date (RFC 9110,
// 10.2.3). It returns 0 if the header is invalid or the time has passed.
func retryAfter(header string) time.Duration {
	if seconds, err := strconv.ParseInt(header, 10, 64); err == nil {
		return time.Duration(min(max(seconds, 0), 1<<30)) * time.Second
	}
	if at, err := http.ParseTime(header); err == nil {
		return max(time.Until(at), 0)
	}
	return 0
}

// timeoutError means that one try took too long. It is different from the
// caller's deadline.
type timeoutError time.Duration

func (e timeoutError) Error() string {
	return fmt.Sprintf("no answer within %s; see timeout in [embed]", time.Duration(e))
}

// Unwrap lets callers check whether the error is a timeout.
func (timeoutError) Unwrap() error { return context.DeadlineExceeded }

func withTimeout(ctx context.Context, d time.Duration) (context.Context, context.CancelFunc) {
	return context.WithTimeoutCause(ctx, d, timeoutError(d))
}

// because returns the cause of a failed request: the cause of the end of ctx if
// it ended, otherwise err.
func because(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return err
}
