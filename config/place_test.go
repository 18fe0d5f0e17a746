package config

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// tree makes a main work tree, a linked one, a submodule, a bare repository
// with a work tree, and one with its git directory elsewhere.
func tree(t *testing.T) string {
	t.Helper()
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	script := `set -e
git init -q main && cd main && mkdir -p deep/er && git commit -q --allow-empty -m one
git worktree add -q ../linked
git -c protocol.file.allow=always submodule --quiet add ../main/.git sub
cd .. && git clone -q --bare main bare.git && git -C bare.git worktree add -q ../of-bare
git init -q --separate-git-dir=elsewhere apart
mkdir -p home/x plain/.agentflow plain/below && git init -q home`
	cmd := exec.Command("sh", "-c", script)
	cmd.Dir = root
	cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_NOSYSTEM=1",
		"GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@example.org", "GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a@example.org")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return root
}

func TestFind(t *testing.T) {
	root := tree(t)
	at := func(parts ...string) string { return filepath.Join(append([]string{root}, parts...)...) }
	for _, c := range []struct {
		from string
		want Place
	}{
		{"main", Place{Worktree: at("main"), GitDir: at("main/.git"), CommonDir: at("main/.git"), Root: at("main/.agentflow")}},
		{"main/deep/er", Place{Worktree: at("main"), GitDir: at("main/.git"), CommonDir: at("main/.git"), Root: at("main/.agentflow")}},
		{"linked", Place{Worktree: at("linked"), Linked: "linked", GitDir: at("main/.git/worktrees/linked"), CommonDir: at("main/.git"), Root: at("main/.agentflow")}},
		{"main/sub", Place{Worktree: at("main/sub"), GitDir: at("main/.git/modules/sub"), CommonDir: at("main/.git/modules/sub"), Root: at("main/sub/.agentflow")}},
		{"bare.git", Place{GitDir: at("bare.git"), CommonDir: at("bare.git"), Root: at("bare.git/.agentflow")}},
		{"of-bare", Place{Worktree: at("of-bare"), Linked: "of-bare", GitDir: at("bare.git/worktrees/of-bare"), CommonDir: at("bare.git"), Root: at("bare.git/.agentflow")}},
		{"apart", Place{Worktree: at("apart"), GitDir: at("elsewhere"), CommonDir: at("elsewhere"), Root: at("apart/.agentflow")}},
		{"plain/below", Place{Worktree: at("plain"), Root: at("plain/.agentflow")}},
	} {
		got, err := Find(at(c.from), at("home"))
		if err != nil || got != c.want {
			t.Errorf("from %s: %v\nhave %+v\nwant %+v", c.from, err, got, c.want)
		}
	}
}

func TestFindNeverClimbsToHome(t *testing.T) {
	root := tree(t)
	if place, err := Find(filepath.Join(root, "home", "x"), filepath.Join(root, "home")); !errors.Is(err, ErrNoPlace) {
		t.Errorf("found %+v, %v", place, err)
	}
	if _, err := Find(filepath.Join(root, "home"), filepath.Join(root, "home")); err != nil {
		t.Errorf("a repository at home itself, entered on purpose, is found: %v", err)
	}
}

func TestUserDirs(t *testing.T) {
	env := func(pairs map[string]string) func(string) string { return func(k string) string { return pairs[k] } }
	for _, c := range []struct {
		goos, config, state, data string
		env                       map[string]string
	}{
		{"linux", "/h/.config/agentflow", "/h/.local/state/agentflow", "/h/.local/share/agentflow", map[string]string{"HOME": "/h"}},
		{"darwin", "/h/Library/Application Support/agentflow", "/h/Library/Application Support/agentflow",
			"/h/Library/Application Support/agentflow", map[string]string{"HOME": "/h"}},
		{"windows", "/h/AppData/Roaming/agentflow", "/h/AppData/Local/agentflow", "/h/AppData/Local/agentflow", map[string]string{"USERPROFILE": "/h"}},
		{"linux", "/c/agentflow", "/s/agentflow", "", map[string]string{"XDG_CONFIG_HOME": "/c", "XDG_STATE_HOME": "/s"}},
		{"linux", "/h/.config/agentflow", "/h/.local/state/agentflow", "/d/agentflow", map[string]string{"HOME": "/h", "XDG_DATA_HOME": "/d"}},
		{"linux", "/h/.config/agentflow", "/h/.local/state/agentflow", "/h/.local/share/agentflow",
			map[string]string{"HOME": "/h", "XDG_DATA_HOME": "relative", "XDG_CONFIG_HOME": "."}},
	} {
		d, err := UserDirs(env(c.env), c.goos)
		if err != nil || d.Config != c.config || d.State != c.state || d.Data != c.data {
			t.Errorf("%s %v: %+v, %v", c.goos, c.env, d, err)
		}
	}
	if d, err := UserDirs(env(nil), "linux"); err == nil || d.ConfigFile() != "" || d.Fallback(Place{}) != "" {
		t.Errorf("without any folder: %+v, %v", d, err)
	}
}
