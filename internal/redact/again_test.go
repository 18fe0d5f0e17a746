package redact

import (
	"strings"
	"testing"
)

// TestHeadersBehindTheirOwnName checks that a header's value is redacted even
// if a word precedes it or another header is on its line.
func TestHeadersBehindTheirOwnName(t *testing.T) {
	const key = "q7Rk2LmZp9XvB4nT6wYc8DfH3jKs5GaE"
	r, err := New(Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{
		"cookie: Cookie: session=KEY; sessionid=KEY", "Send this cookie: Cookie: session=KEY", "The header is Cookie: Cookie: sid=KEY", "replay the cookie: sid=KEY",
		"Cookie: see below. Cookie: sid=KEY", "the cookie: is it Cookie: sid=KEY", "Cookie: a=1; Cookie: sid=KEY; Set-Cookie: sid=KEY; Path=/", "cookie: the header Set-Cookie: a=KEY",
		"Cookie: see (sid=KEY; b=KEY", "cookie: COOKIE : sid=KEY", "set-cookie: set-cookie: set-cookie: sid=KEY", "Cookie: theme=dark, sid=KEY",
		"authorization: Authorization: Bearer KEY", "Authorization: see below. Authorization: Bearer KEY", "the authorization: is it Authorization: Basic KEY", "the Bearer: Authorization: Bearer KEY",
		"Authorization: Bearer KEY, Authorization: Bearer KEY", "Authorization: the header Authorization: KEY", "token: token: KEY", "x-api-key: X-Api-Key: KEY",
		"bearer: Bearer KEY", "use this bearer: KEY", "the header is Bearer KEY", "Authorization: use this: Bearer KEY", "the authorization header is now `Bearer KEY`.", "send bearer KEY==, then wait",
		"cookies: use these: sid=KEY", "cookies: use these: theme=dark; sid=KEY; b=KEY", "Cookies: \"sid=KEY\"",
		"password: password: KEY", "Authorization: Bearer Bearer KEY", "api_key: the api_key: KEY", "Proxy-Authorization: Authorization: token KEY",
	} {
		text = strings.ReplaceAll(text, "KEY", key)
		if got := r.Text(text); strings.Contains(got, key) {
			t.Errorf("%s: %s", text, got)
		}
	}
}
