package config

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestSettingsOfAStranger loads files that a hostile repository could use to
// block a user. Every case ends, and reports no more than a person can read.
func TestSettingsOfAStranger(t *testing.T) {
	var keys strings.Builder
	for i := range 5_000 {
		fmt.Fprintf(&keys, "k%d = 1\n", i)
	}
	for _, c := range []struct{ name, text, want string }{
		{"many keys", "[recall]\n" + keys.String() + "top = 2\n", "and 4980 more settings that do not count"},
		{"a deep key", strings.Repeat("a.", 30_000) + "a = 1\n", "unknown key"},
		{"a deep table", "[" + strings.Repeat("a.", 30_000) + "a]\nb = 1\n", "unknown key"},
		{"deep arrays", "a = " + strings.Repeat("[", 30_000), "nested"},
		{"a long name", strings.Repeat("k", 30_000) + " = 1\n", "unknown key"},
		{"a long value", "[recall]\ntop = \"" + strings.Repeat("v", 30_000) + "\"\n", "want a whole number"},
		{"too much", "# " + strings.Repeat("x", maxRepoFile) + "\n", "too large"},
		{"an expression with many steps", "[redact]\nextra = ['(?:a?){1000}b']\n", "move it to your own config"},
		{"many expressions", "[redact]\nextra = [" + strings.Repeat("'a[a-z]{90}',", 40) + "]\n", "move them to your own config"},
		{"many names", "[redact]\nnames = [" + strings.Repeat("'n',", 2000) + "]\n", "want at most 1000"},
		{"many patterns", "[index]\nignore = [" + strings.Repeat("'*.n',", 2000) + "]\n", "want at most 1000"},
	} {
		t.Run(c.name, func(t *testing.T) {
			repo := write(t, filepath.Join(t.TempDir(), ".agentflow", "config.toml"), c.text)
			_, problems, _ := Load(Layers{RepoFile: repo})
			told := ""
			for _, p := range problems {
				told += p.String() + "\n"
			}
			if !strings.Contains(told, c.want) || strings.Count(told, "\n") > maxReported+1 || len(told) > 10_000 {
				t.Errorf("%d problems in %d bytes: %.2000s", len(problems), len(told), told)
			}
		})
	}
}

// TestTheUsersOwnPatternsAreNotBounded checks that the limits of patterns do
// not apply to those that the user wrote or trusts.
func TestTheUsersOwnPatternsAreNotBounded(t *testing.T) {
	text := "[redact]\nextra = ['(?:a?){900}b']\n"
	file := write(t, filepath.Join(t.TempDir(), ".agentflow", "config.toml"), text)
	for _, l := range []Layers{{UserFile: file}, {RepoFile: file, Trusted: sum([]byte(text))}} {
		if c, problems, err := Load(l); err != nil || len(problems) > 0 || len(c.Redact.Extra) != 1 {
			t.Errorf("%+v: %v, %v", l, problems, err)
		}
	}
}

func TestSettingsDoNotLeadElsewhere(t *testing.T) {
	dir := t.TempDir()
	write(t, filepath.Join(dir, "elsewhere.toml"), "[recall]\ntop = 2\n")
	write(t, filepath.Join(dir, "repo", "shared.toml"), "[recall]\ntop = 3\n")
	file := filepath.Join(dir, "repo", ".agentflow", "config.toml")
	for _, c := range []struct {
		to   string
		top  int
		fine bool
	}{{"../../elsewhere.toml", 5, false}, {os.DevNull, 5, false}, {"../shared.toml", 3, true}, {"../none.toml", 5, true}} {
		write(t, file, "")
		if err := os.Remove(file); err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink(c.to, file); err != nil {
			t.Skip("no symlinks here:", err)
		}
		loaded, problems, err := Load(Layers{RepoFile: file})
		if (err == nil) != c.fine || loaded.Recall.Top != c.top {
			t.Errorf("a link to %s: top %d, %v", c.to, loaded.Recall.Top, problems)
		}
	}
}
