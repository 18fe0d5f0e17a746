package embed

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
)

// post sends body as JSON and returns the answer, trying again where the
// server asks for it (retry.go).
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

// once is one try.
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
		var outer *url.Error // names method and address again
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

// refused is the error for an answer other than 200.
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
