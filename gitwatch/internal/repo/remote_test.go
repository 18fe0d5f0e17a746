package repo

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"agentflow/internal/testing/gittest"
)

// TestRemoteFolder: a folder is named only where git fetches from it and nothing else has a
// say.
func TestRemoteFolder(t *testing.T) {
	dir := t.TempDir()
	global := filepath.Join(dir, "global")
	t.Setenv("GIT_CONFIG_GLOBAL", global)
	t.Setenv("GIT_CONFIG_NOSYSTEM", "1")
	work, bare, other := filepath.Join(dir, "work"), filepath.Join(dir, "bare.git"), filepath.Join(dir, "other")
	for _, args := range [][]string{{work}, {"--bare", bare}, {other}} {
		gittest.Must(t, exec.Command("git", append([]string{"init", "-q"}, args...)...).Run())
	}
	gittest.Must(t, os.WriteFile(filepath.Join(dir, "more"), []byte("[remote \"origin\"]\n\turl = "+other+"\n"), 0o600))
	plain := "[remote \"origin\"]\n\turl = " + bare + "\n"
	for name, c := range map[string]struct {
		config, global, remote, want string
	}{
		"a name":               {plain, "", "origin", bare},
		"an address":           {"", "", bare, bare},
		"a file: address":      {"", "", "file://" + bare, bare},
		"a work tree":          {"", "", other, filepath.Join(other, ".git")},
		"odd case":             {"[REMOTE \"origin\"]\n\tURL = " + bare + "\n", "", "origin", bare},
		"an included one":      {"[include]\n\tpath = " + filepath.Join(dir, "more") + "\n", "", "origin", filepath.Join(other, ".git")},
		"of the user's config": {"", plain, "origin", bare},
		"no such name":         {plain, "", "Origin", ""},
		"no folder":            {"", "", bare + "x", ""},
		"no repository":        {"", "", dir, ""},
		"another machine":      {"[remote \"origin\"]\n\turl = host:" + bare + "\n", "", "origin", ""},
		"a relative one":       {"[remote \"origin\"]\n\turl = ../bare.git\n", "", "origin", ""},
		"an escaped one":       {"", "", "file://" + strings.ReplaceAll(bare, "bare", "%62are"), ""},
		"two":                  {plain + "\turl = " + other + "\n", "", "origin", ""},
		"a program":            {plain + "\tuploadpack = x\n", "", "origin", ""},
		"a helper":             {plain + "\tvcs = x\n", "", "origin", ""},
		"rewritten":            {plain, "[url \"https://example.org/\"]\n\tinsteadOf = " + dir + "\n", "origin", ""},
		"rewritten by name":    {"[remote \"origin\"]\n\turl = here:bare\n", "[url \"" + bare + "\"]\n\tinsteadOf = here:bare\n", "origin", ""},
		"another is rewritten": {plain, "[url \"https://example.org/\"]\n\tinsteadOf = gh:\n", "origin", bare},
		"an odd condition":     {plain, "[includeIf \"onbranch:main\"]\n\tpath = x\n", "origin", ""},
		"a condition":          {plain, "[includeIf \"gitdir:/elsewhere/\"]\n\tpath = more\n", "origin", bare},
		"forbidden":            {plain, "[protocol]\n\tallow = never\n", "origin", ""},
		"forbidden files":      {plain, "[protocol \"file\"]\n\tallow = never\n", "origin", ""},
		"damaged config":       {plain, "[remote\n", "origin", ""},
	} {
		gittest.Must(t, os.WriteFile(filepath.Join(work, ".git/config"), []byte("[core]\n\tbare = false\n"+c.config), 0o600))
		gittest.Must(t, os.WriteFile(global, []byte(c.global), 0o600))
		for _, from := range []string{work, filepath.Join(work, ".git")} {
			if got := RemoteFolder(from, c.remote); got != c.want {
				t.Errorf("%s, from %s: %q, want %q", name, filepath.Base(from), got, c.want)
			}
		}
	}
}

// TestWithoutSSH: it says yes only where no ssh can be used, for fetching or pushing.
func TestWithoutSSH(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("GIT_CONFIG_GLOBAL", os.DevNull)
	t.Setenv("GIT_CONFIG_NOSYSTEM", "1")
	gittest.Must(t, exec.Command("git", "init", "-q", dir).Run())
	for config, want := range map[string]bool{
		"url = https://example.com/a.git": true,
		"url = http://example.com/a.git":  true,
		"url = git://example.com/a.git":   true,
		"url = " + dir:                    true,
		"url = file://" + dir:             true,
		"url = ssh://example.com/a.git":   false,
		"url = example.com:a.git":         false,
		"url = ../a.git":                  false,
		"url = https://example.com/a.git\n\tpushurl = example.com:a.git":                                        false,
		"url = https://example.com/a.git\n\turl = example.com:a.git":                                            false,
		"url = https://example.com/a.git\n[url \"ssh://example.com/\"]\n\tinsteadOf = https://example.com/":     false,
		"url = https://example.com/a.git\n[url \"ssh://example.com/\"]\n\tpushInsteadOf = https://example.com/": false,
		"url = https://example.com/a.git\n[include]\n\tpath = more":                                             true,
		"url = https://example.com/a.git\n[includeIf \"onbranch:main\"]\n\tpath = more":                         false,
	} {
		gittest.Must(t, os.WriteFile(filepath.Join(dir, ".git/config"), []byte("[core]\n\tbare = false\n[remote \"origin\"]\n\t"+config+"\n"), 0o600))
		if got := WithoutSSH(dir, "origin"); got != want {
			t.Errorf("%s: %v, want %v", config, got, want)
		}
	}
}
