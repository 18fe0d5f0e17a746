package config

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
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
mkdir store && for at in noted:noted.git named:store/.git; do
	git clone -q --separate-git-dir=${at#*:} main ${at%:*} && git -C ${at%:*} worktree add -q ../of-${at%:*}
done
git clone -q main symlink && mv symlink/.git link.git && ln -s ../link.git symlink/.git && git -C symlink worktree add -q ../of-symlink
git -C symlink config core.worktree ../symlink
mkdir hidden && git clone -q --bare main hidden/.bare && echo 'gitdir: ./.bare' >hidden/.git && git -C hidden worktree add -q ../of-hidden
git clone -q --bare main barefolder/.git && cd barefolder && git worktree add -q ../of-barefolder && cd ..
git -C barefolder/.git config extensions.worktreeConfig true && git -C barefolder/.git config --unset core.bare
git config -f barefolder/.git/config.worktree core.bare true
git clone -q --separate-git-dir=gone.git main gone && git -C gone worktree add -q ../of-gone && git -C gone config core.worktree ../gone && rm gone/.git
mkdir -p home plain/.agentflow plain/below`
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
	for _, main := range []string{"noted", "named"} {
		place, err := Find(at(main), "")
		if err == nil {
			err = place.Note()
		}
		if err != nil {
			t.Fatal(err)
		}
	}
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
		{"apart", Place{Worktree: at("apart"), GitDir: at("elsewhere"), CommonDir: at("elsewhere"), Root: at("apart/.agentflow"), unnoted: true}},
		{"main/.git", Place{GitDir: at("main/.git"), CommonDir: at("main/.git"), Root: at("main/.agentflow")}},
		{"main/.git/worktrees/linked", Place{GitDir: at("main/.git/worktrees/linked"), CommonDir: at("main/.git"), Root: at("main/.agentflow")}},
		{"noted", Place{Worktree: at("noted"), GitDir: at("noted.git"), CommonDir: at("noted.git"), Root: at("noted/.agentflow")}},
		{"of-noted", Place{Worktree: at("of-noted"), Linked: "of-noted", GitDir: at("noted.git/worktrees/of-noted"), CommonDir: at("noted.git"), Root: at("noted/.agentflow")}},
		{"noted.git", Place{GitDir: at("noted.git"), CommonDir: at("noted.git"), Root: at("noted/.agentflow")}},
		{"of-named", Place{Worktree: at("of-named"), Linked: "of-named", GitDir: at("store/.git/worktrees/of-named"), CommonDir: at("store/.git"), Root: at("named/.agentflow")}},
		{"symlink", Place{Worktree: at("symlink"), GitDir: at("link.git"), CommonDir: at("link.git"), Root: at("symlink/.agentflow")}},
		{"of-symlink", Place{Worktree: at("of-symlink"), Linked: "of-symlink", GitDir: at("link.git/worktrees/of-symlink"), CommonDir: at("link.git"), Root: at("symlink/.agentflow")}},
		{"hidden", Place{GitDir: at("hidden/.bare"), CommonDir: at("hidden/.bare"), Root: at("hidden/.bare/.agentflow")}},
		{"of-hidden", Place{Worktree: at("of-hidden"), Linked: "of-hidden", GitDir: at("hidden/.bare/worktrees/of-hidden"), CommonDir: at("hidden/.bare"), Root: at("hidden/.bare/.agentflow")}},
		{"barefolder", Place{GitDir: at("barefolder/.git"), CommonDir: at("barefolder/.git"), Root: at("barefolder/.git/.agentflow")}},
		{"of-barefolder", Place{Worktree: at("of-barefolder"), Linked: "of-barefolder", GitDir: at("barefolder/.git/worktrees/of-barefolder"), CommonDir: at("barefolder/.git"), Root: at("barefolder/.git/.agentflow")}},
		{"of-gone", Place{Worktree: at("of-gone"), Linked: "of-gone", GitDir: at("gone.git/worktrees/of-gone"), CommonDir: at("gone.git"), Root: at("gone.git/.agentflow")}},
		{"gone.git", Place{GitDir: at("gone.git"), CommonDir: at("gone.git"), Root: at("gone.git/.agentflow")}},
		{"plain/below", Place{Worktree: at("plain"), Root: at("plain/.agentflow")}},
	} {
		got, err := Find(at(c.from), at("home"))
		if err != nil || got != c.want {
			t.Errorf("from %s: %v\nhave %+v\nwant %+v", c.from, err, got, c.want)
		}
	}
}

func TestFindNeverClimbsToHome(t *testing.T) {
	root := t.TempDir()
	if out, err := exec.Command("git", "init", "-q", filepath.Join(root, "home", "x")).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	if err := os.Rename(filepath.Join(root, "home", "x", ".git"), filepath.Join(root, "home", ".git")); err != nil {
		t.Fatal(err)
	}
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

func TestStrays(t *testing.T) {
	for _, c := range []struct {
		place Place
		want  string
	}{
		{Place{}, "[]"},
		{Place{CommonDir: "/w/.git", Root: "/w/.agentflow"}, "[/w/.git/.agentflow]"},
		{Place{CommonDir: "/r.git", Root: "/w/.agentflow"}, "[/r.git/.agentflow]"},
		{Place{CommonDir: "/r.git", Root: "/r.git/.agentflow"}, "[]"},
	} {
		if got := filepath.ToSlash(fmt.Sprint(c.place.Strays())); runtime.GOOS != "windows" && got != c.want {
			t.Errorf("%+v: %s, want %s", c.place, got, c.want)
		}
	}
}
