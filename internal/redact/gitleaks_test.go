package redact

import (
	"os"
	"strings"
	"testing"

	"agentflow/internal/testing/secrettest"
)

// TestGitleaksSamples redacts the texts with which gitleaks tests its rules.
// AGENTFLOW_SECRETS=all uses all of them, about 6,000.
func TestGitleaksSamples(t *testing.T) {
	each := 5 // of a rule
	if os.Getenv("AGENTFLOW_SECRETS") == "all" {
		each = 0
	}
	samples := secrettest.Gitleaks(t, each)
	if len(samples) < 500 {
		t.Fatalf("%d samples", len(samples))
	}
	r := newRedactor(t, Options{})
	texts := 0
	for _, s := range samples {
		for where, text := range secrettest.Contexts(s.Text) {
			if where == "json" && multiline[s.Name] {
				continue
			}
			texts++
			clean := r.Text(text)
			for _, secret := range s.Secrets {
				if where == "json" && secrettest.Escape(secret) != secret {
					continue
				}
				rest := strings.ReplaceAll(clean, "ClearTextPassword", "") // a name
				if left := secrettest.Left(rest, secret); left != "" {
					t.Errorf("%s, %s: %q is left\nin  %q\nout %q", s.Name, where, left, secrettest.Tail(text), secrettest.Tail(clean))
				}
			}
		}
	}
	t.Logf("%d samples in %d texts", len(samples), texts)
}

// multiline holds the rules that look at lines, which there are none of in a
// string of JSON.
var multiline = map[string]bool{"kubernetes-secret-yaml": true, "flyio-access-token": true}
