package repo

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"agentflow/internal/testing/gittest"
)

// TestSafeDirectory holds what counts as the user's though another owns it.
func TestSafeDirectory(t *testing.T) {
	dir := t.TempDir()
	global := filepath.Join(dir, "global")
	t.Setenv("GIT_CONFIG_GLOBAL", global)
	t.Setenv("GIT_CONFIG_NOSYSTEM", "1")
	t.Setenv("HOME", "/home/u")
	for _, c := range []struct {
		config string
		env    string
		want   bool
	}{
		{"", "", false},
		{"[safe]\n\tdirectory = /other\n", "", false},
		{"[safe]\n\tdirectory = /other\n\tdirectory = /src/repo\n", "", true},
		{"[safe]\n\tdirectory = /src/repo/\n", "", true},
		{"[safe]\n\tdirectory = /src/repo\n\tdirectory =\n", "", false},
		{"[safe]\n\tdirectory = *\n", "", true},
		{"[safe]\n\tdirectory = /src/*\n", "", true},
		{"[safe]\n\tdirectory = /sr/*\n", "", false},
		{"[safe]\n\tdirectory = ~/repo\n", "", false},
		{"", "/src/repo", true},
		{"[safe]\n\tdirectory = *\n", " ", true},
	} {
		gittest.Must(t, os.WriteFile(global, []byte(c.config), 0o600))
		t.Setenv("GIT_CONFIG_COUNT", "0")
		if c.env != "" {
			t.Setenv("GIT_CONFIG_COUNT", "1")
			t.Setenv("GIT_CONFIG_KEY_0", "Safe.Directory")
			t.Setenv("GIT_CONFIG_VALUE_0", strings.TrimSpace(c.env))
		}
		if c.env == " " {
			c.want = false // an empty value forgets the others
		}
		if safe, err := isSafe("/src/repo"); err != nil || safe != c.want {
			t.Errorf("%q and %q: %v, %v", c.config, c.env, safe, err)
		}
	}
}
