package config

import (
	"path/filepath"
	"strings"
	"testing"
)

// TestWhetherMemoryIsOff checks that memory is off as soon as the user or the
// repository disables it, and that an untrusted repository enables nothing.
func TestWhetherMemoryIsOff(t *testing.T) {
	const off, on = "[memory]\nenabled = false\n", "[memory]\nenabled = true\n"
	for _, c := range []struct {
		name, user, repo string
		trusted          bool
		environ          []string
		source           string // how it ends; empty: memory is on
	}{
		{name: "by default"},
		{name: "the user's", user: off, source: "user.toml"},
		{name: "a stranger's repository", repo: off, source: "repo.toml"},
		{name: "a trusted repository", repo: off, trusted: true, source: "repo.toml"},
		{name: "both", user: off, repo: off, source: "repo.toml"},
		{name: "a stranger switches on", user: off, repo: on, source: "user.toml"},
		{name: "a trusted one switches on", user: off, repo: on, trusted: true},
		{name: "the user's on is no bar", user: on, repo: off, source: "repo.toml"},
		{name: "a variable on", user: off, repo: off, environ: []string{"AGENTFLOW_MEMORY_ENABLED=true"}},
		{name: "a variable off", environ: []string{"AGENTFLOW_MEMORY_ENABLED=false"}, source: "AGENTFLOW_MEMORY_ENABLED"},
	} {
		dir := t.TempDir()
		l := Layers{UserFile: write(t, filepath.Join(dir, "user.toml"), c.user), RepoFile: write(t, filepath.Join(dir, "repo.toml"), c.repo), Environ: c.environ}
		if c.trusted {
			l.Trusted = sum([]byte(c.repo))
		}
		source, off, err := MemoryOff(l)
		if err != nil || off != (c.source != "") || off && !strings.HasSuffix(source, c.source) {
			t.Errorf("%s: off %v by %q, %v", c.name, off, source, err)
		}
	}
}

// What cannot be understood must not count as on.
func TestABadSwitchStopsEverything(t *testing.T) {
	repo := write(t, filepath.Join(t.TempDir(), "repo.toml"), "[memory]\nenabled = \"no\"\n")
	if _, _, err := MemoryOff(Layers{RepoFile: repo}); err == nil || !strings.Contains(err.Error(), ":2: memory.enabled: want true or false") {
		t.Errorf("%v", err)
	}
}

func BenchmarkMemoryOff(b *testing.B) {
	repo := filepath.Join(b.TempDir(), "repo.toml")
	write(b, repo, "[memory]\nenabled = false\n\n[recall]\ntop = 5\n")
	for b.Loop() {
		if _, off, err := MemoryOff(Layers{UserFile: repo, RepoFile: repo}); err != nil || !off {
			b.Fatal(err)
		}
	}
}

// TestInstructions checks that the instructions in questions are the user's,
// and bounded.
func TestInstructions(t *testing.T) {
	dir := t.TempDir()
	user := filepath.Join(dir, "user.toml")
	repo := write(t, filepath.Join(dir, "repo.toml"), "[extract]\ninstructions = \"x\"\n")
	for _, c := range []struct {
		text, want string
		ok         bool
	}{
		{strings.Repeat("é", 2000), strings.Repeat("é", 2000), true},
		{strings.Repeat("é", 2001), "", false},
	} {
		write(t, user, "[extract]\ninstructions = \""+c.text+"\"\n")
		settings, problems, err := Load(Layers{UserFile: user, RepoFile: repo, Trusted: sum([]byte("[extract]\ninstructions = \"x\"\n"))})
		if settings.Extract.Instructions != c.want || (err == nil) != c.ok || problems[len(problems)-1].Message != onlyOwn {
			t.Errorf("%d characters: %d, %v, %v", len([]rune(c.text)), len(settings.Extract.Instructions), problems, err)
		}
	}
}
