package chat

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"agentflow/internal/testing/modeltest"
)

// TestSecretsStayHere looks for secrets in all that is sent and kept.
func TestSecretsStayHere(t *testing.T) {
	const token = "ghp_" + "Zz19aB3kQ8mN5pR7sT2vW4xY6cD1eF0gHj5L"
	u := newUser(t,
		modeltest.Use("memory", input{"command": "create", "path": "/memories/a.md", "file_text": "token " + token + "\n"}),
		modeltest.Say("The token is "+token), modeltest.Say("ok"),
		modeltest.Use("memory", input{"command": "view", "path": "/memories/by-hand.md"}).Use("memory_search", input{"query": "token server"}), modeltest.Say("ok"))
	c := u.begin(Options{})
	u.ask(c, "remember "+token)
	u.ask(u.begin(Options{Continue: true}), "and again")
	var files int
	err := filepath.WalkDir(u.Repo, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := os.ReadFile(path)
		if strings.Contains(string(data), token) || strings.Contains(string(data), testKey) {
			t.Errorf("%s holds a secret", path)
		}
		if strings.HasSuffix(path, ".json") && strings.Contains(path, "chats") {
			files++
			if info, err := d.Info(); err == nil && info.Mode().Perm() != 0o600 && filepath.Separator == '/' {
				t.Errorf("%s is readable by others: %v", path, info.Mode())
			}
		}
		return err
	})
	if err != nil || files != 1 {
		t.Errorf("%d conversations are kept: %v", files, err)
	}
	u.Write(".agentflow/memory/notes/by-hand.md", "the token of the server is "+token+"\n")
	c = u.begin(Options{Continue: true})
	u.ask(c, "what is the token of the server?")
	for i, r := range u.requests() {
		if strings.Contains(string(r.Body), token) && i != 1 { // where it is the model's own word
			t.Errorf("request %d holds a secret", i)
		}
	}
	if text := fmt.Sprintf("%v %+v %#v", c.settings, c.settings, c.settings.Key); strings.Contains(text, testKey) {
		t.Error("the key shows itself")
	}
}
