package redact

import (
	"strings"
	"testing"
	"unicode/utf8"

	"agentflow/internal/testing/secrettest"
)

func TestForms(t *testing.T) {
	r := newRedactor(t, Options{})
	for _, f := range secrettest.Forms() {
		for where, text := range secrettest.Contexts(f.Text) {
			got := r.Text(text)
			for _, secret := range f.Secrets {
				if where == "json" {
					secret = secrettest.Escape(secret)
				}
				if strings.Contains(got, secret) {
					t.Errorf("%s, %s: %q becomes\n%q", f.Name, where, secrettest.Tail(text), secrettest.Tail(got))
				}
			}
			if !utf8.ValidString(got) {
				t.Errorf("%s, %s: %q becomes %q, which is cut within a character", f.Name, where, secrettest.Tail(text), secrettest.Tail(got))
			}
			if again := r.Text(got); again != got {
				t.Errorf("%s, %s: %q becomes %q the second time", f.Name, where, secrettest.Tail(got), secrettest.Tail(again))
			}
		}
	}
}
