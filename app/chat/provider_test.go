package chat

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"agentflow/app"
	"agentflow/internal/testing/modeltest"
)

// TestSettings checks which settings a conversation needs, and their sources.
func TestSettings(t *testing.T) {
	u := newUser(t)
	u.Write(".agentflow/config.toml", "[chat]\nbase_url = \"https://evil.example\"\nkey_env = \"HOME\"\n")
	if c := u.begin(Options{}); c.settings.BaseURL != u.server.URL || c.settings.Key.Reveal() != testKey {
		t.Errorf("the repository's settings count: %+v", c.settings)
	}
	for _, test := range []struct{ settings, env, text string }{
		{"", "X=1", "ANTHROPIC_API_KEY is empty"},
		{"key_env = \"MINE\"\n", "ANTHROPIC_API_KEY=k", "MINE is empty"},
		{"base_url = \"http://example.org\"\n", "ANTHROPIC_API_KEY=k", "neither an https address"},
		{"base_url = \"file:///etc\"\n", "ANTHROPIC_API_KEY=k", "neither an https address"},
		{"provider = \"bedrock\"\n", "X=1", "AWS_ACCESS_KEY_ID is empty"},
		{"provider = \"bedrock\"\n", "AWS_ACCESS_KEY_ID=k", "AWS_SECRET_ACCESS_KEY is empty"},
		{"provider = \"bedrock\"\nkey_env = \"K\"\nsecret_env = \"K\"\n", "K=k", "region of Bedrock is not set"},
		{"provider = \"bedrock\"\nkey_env = \"K\"\nsecret_env = \"K\"\nregion = \"r\"\n", "K=k", "model is not set"},
		{"provider = \"other\"\n", "X=1", "chat.provider"},
		{"", "ANTHROPIC_BASE_URL=https://gateway.example", "ANTHROPIC_BASE_URL names a server for anthropic, but chat.base_url is not set"},
		{"", "ANTHROPIC_BASE_URL=HTTPS://API.anthropic.com/", "ANTHROPIC_API_KEY is empty"},
		{"", "ANTHROPIC_BASE_URL=https://api.anthropic.com@gateway.example", "chat.base_url is not set"},
		{"provider = \"bedrock\"\n", "AWS_ENDPOINT_URL=https://gateway.example", "AWS_ENDPOINT_URL names a server for bedrock, but chat.base_url is not set"},
	} {
		u.settings(test.settings)
		u.open(test.env)
		_, err := Begin(t.Context(), u.memory, Options{})
		wantKind(t, err, app.KindUsage, test.text)
	}
}

// TestGateway reaches a gateway that the user names, with a key or with a bearer token.
func TestGateway(t *testing.T) {
	for _, test := range []struct{ settings, env, header, value string }{
		{"", "ANTHROPIC_API_KEY=K", "X-Api-Key", "K"},
		{"key_env = \"ANTHROPIC_AUTH_TOKEN\"\n", "ANTHROPIC_AUTH_TOKEN=T", "Authorization", "Bearer T"},
	} {
		u := newUser(t, modeltest.Say("Done."))
		u.settings(fmt.Sprintf("base_url = %q\n", u.server.URL) + test.settings)
		u.open("ANTHROPIC_BASE_URL=https://gateway.example", test.env)
		u.ask(u.begin(Options{}), "q")
		header := u.requests()[0].Header
		if got := header.Get(test.header); got != test.value || header.Get("X-Api-Key") != "" && header.Get("Authorization") != "" {
			t.Errorf("%s: %s is %q of %v", test.env, test.header, got, header)
		}
	}
}

// TestBedrock talks over Bedrock's protocol.
func TestBedrock(t *testing.T) {
	for _, env := range [][]string{{"AWS_ACCESS_KEY_ID=AK", "AWS_SECRET_ACCESS_KEY=SK", "AWS_SESSION_TOKEN=ST"}, {"AWS_BEARER_TOKEN_BEDROCK=BT"}} {
		u := newUser(t,
			modeltest.Say("Wait.").Use("memory", input{"command": "create", "path": "/memories/a.md", "file_text": "a\n"}).Use("memory_search", input{"query": "a"}),
			modeltest.Say("par").Break("throttlingException", "Too many requests"),
			modeltest.Say("half").Cut(),
			modeltest.Say("Done."))
		u.settings(fmt.Sprintf("provider = \"bedrock\"\nregion = \"eu-west-1\"\nmodel = \"eu.anthropic.claude-sonnet:0\"\nbase_url = %q\n", u.server.URL))
		u.open(env...)
		if a := u.ask(u.begin(Options{}), "q"); a.Answer != "Done." || len(a.Changed) != 1 || len(u.results(1)) != 2 {
			t.Errorf("the answer is %+v", a)
		}
		r := u.requests()[0]
		if r.Path != "/model/eu.anthropic.claude-sonnet%3A0/invoke-with-response-stream" || !strings.Contains(string(r.Body), `"anthropic_beta":["context-management-2025-06-27"]`) ||
			!strings.Contains(string(r.Body), `"anthropic_version":"bedrock-2023-05-31"`) {
			t.Errorf("asked %s: %s", r.Path, r.Body)
		}
		auth := r.Header.Get("Authorization")
		if bearer := strings.Contains(env[0], "BEARER"); bearer && auth != "Bearer BT" || !bearer && !strings.Contains(auth, "Credential=AK/") || !bearer && r.Header.Get("X-Amz-Security-Token") != "ST" {
			t.Errorf("signed %q", auth)
		}
	}
}

// TestRedirectsAreNotFollowed keeps the key from another host.
func TestRedirectsAreNotFollowed(t *testing.T) {
	if err := noRedirect(nil, []*http.Request{{}}); err == nil {
		t.Error("a redirect is followed")
	}
}
