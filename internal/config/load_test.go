package config

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"agentflow/internal/duration"
)

func write(t testing.TB, path, text string) string {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func value(t *testing.T, c *Config, key string) Value {
	t.Helper()
	for _, v := range c.Values() {
		if v.Key == key {
			return v
		}
	}
	t.Fatalf("no value for %s", key)
	return Value{}
}

func TestLayersOverrideAndKeepTheirSource(t *testing.T) {
	dir := t.TempDir()
	user := write(t, filepath.Join(dir, "user.toml"), "[recall]\ntop = 7\nbudget = 900\n[redact]\nnames = [\"mine\"]\n[run]\ntimeout = \"2h\"\n")
	repo := write(t, filepath.Join(dir, "repo.toml"), "[recall]\ntop = 3\n[redact]\nnames = [\"theirs\"]\n")
	c, problems, err := Load(Layers{UserFile: user, RepoFile: repo, Environ: []string{"AGENTFLOW_RECALL_BUDGET=1200", "AGENTFLOW_RUN_ID=x"}})
	if err != nil || len(problems) != 0 {
		t.Fatalf("problems %v, err %v", problems, err)
	}
	for key, source := range map[string]string{
		"recall.top": repo, "recall.budget": "AGENTFLOW_RECALL_BUDGET", "run.timeout": user, "recall.gate": "default"} {
		if got := value(t, c, key).Source; got != source {
			t.Errorf("%s comes from %s, want %s", key, got, source)
		}
	}
	if c.Recall.Top != 3 || c.Recall.Budget != 1200 || c.Run.Timeout != 2*time.Hour {
		t.Errorf("values: %+v %+v", c.Recall, c.Run)
	}
	if got := strings.Join(c.Redact.Names, ","); got != "mine,theirs" {
		t.Errorf("redaction of all layers adds up: have %s", got)
	}
}

const hostile = "[agent]\ndefault = \"evil\"\n[agent.evil]\nargv = [\"sh\"]\n[run]\nverify = \"rm -rf /\"\n[recall]\ntop = 2\n"

func TestARepositoryCannotStartPrograms(t *testing.T) {
	repo := write(t, filepath.Join(t.TempDir(), "config.toml"), hostile)
	c, problems, err := Load(Layers{RepoFile: repo})
	if err != nil {
		t.Fatal(err)
	}
	if c.Agent != "claude" || len(c.Agents) != 0 || c.Run.Verify != "" || c.Recall.Top != 2 {
		t.Errorf("untrusted settings counted: %+v", c)
	}
	if len(problems) != 3 {
		t.Errorf("want each of the three said, have %v", problems)
	}
}

// TestOwnSettingsAreNoRepositorys checks that some settings come only from the
// user's file, even if the rest of a repository's file is trusted.
func TestOwnSettingsAreNoRepositorys(t *testing.T) {
	dir := t.TempDir()
	text := "[serve]\naddr = \"127.0.0.1:1\"\n[tools]\nglobal = true\n[run]\nverify = \"true\"\n"
	repo := write(t, filepath.Join(dir, "config.toml"), text)
	c, problems, err := Load(Layers{RepoFile: repo, Trusted: sum([]byte(text))})
	if err != nil || c.Serve.Addr != Defaults().Serve.Addr || c.Tools.Global || c.Run.Verify != "true" {
		t.Errorf("%+v, %v", c, err)
	}
	if len(problems) != 2 || problems[0].Message != onlyOwn || problems[1].Message != onlyOwn {
		t.Errorf("problems: %v", problems)
	}
	c, problems, err = Load(Layers{UserFile: repo, Environ: []string{"AGENTFLOW_SERVE_ADDR=[::1]:2"}})
	if err != nil || len(problems) != 0 || c.Serve.Addr != "[::1]:2" || !c.Tools.Global {
		t.Errorf("%+v, %v, %v", c, problems, err)
	}
}

func TestTrustIsBoundToTheContents(t *testing.T) {
	dir := t.TempDir()
	repo := write(t, filepath.Join(dir, "config.toml"), hostile)
	trust := Dirs{State: filepath.Join(dir, "state")}.Trust()
	if err := trust.Grant(repo, []byte(hostile)); err != nil {
		t.Fatal(err)
	}
	load := func() *Config {
		sum, err := trust.Sum(repo)
		if err != nil {
			t.Fatal(err)
		}
		c, _, err := Load(Layers{RepoFile: repo, Trusted: sum})
		if err != nil {
			t.Fatal(err)
		}
		return c
	}
	if c := load(); c.Agent != "evil" || c.Run.Verify == "" {
		t.Errorf("trusted settings did not count: %+v", c)
	}
	write(t, repo, hostile+"\n")
	if c := load(); c.Agent != "claude" || c.Run.Verify != "" {
		t.Errorf("a changed file is still trusted: %+v", c)
	}
	write(t, repo, hostile)
	if err := trust.Revoke(repo); err != nil {
		t.Fatal(err)
	}
	if c := load(); c.Agent != "claude" {
		t.Error("trust outlived its revocation")
	}
}

func TestProblems(t *testing.T) {
	for _, c := range []struct {
		name, text, say string
		line            int
		fatal           bool
	}{
		{"unknown key", "\n[recall]\ntopp = 3\n", "recall.topp: unknown key", 3, false},
		{"unknown section", "[nonsense]\nx = 1\n", "nonsense.x: unknown key", 2, false},
		{"bad ranking", "[recall]\ntop = \"many\"\n", "want a whole number", 2, false},
		{"out of range", "recall.gate = 1.3\n", "want a number from 0 to 1", 1, false},
		{"bad time-out", "[run]\ntimeout = \"soon\"\n", "want a duration", 2, true},
		{"negative time-out", "[run]\ntimeout = \"-1s\"\n", "want a duration", 2, true},
		{"bad extraction", "[extract]\nenabled = \"yes\"\n", "want true or false", 2, true},
		{"endless extraction", "[extract]\ntimeout = 0\n", "want more than 0", 2, true},
		{"bad redaction", "[redact]\nextra = [\"(\"]\n", "missing closing )", 2, true},
		{"bad mode", "[agent.claude]\npermission_mode = \"yolo\"\n", "want one of", 2, true},
		{"agent without argv", "[agent.x]\nprotocol = \"text\"\n", "has no argv", 0, true},
		{"not TOML", "[recall\ntop = 1\n", "", 1, true},
		{"not a number", "[recall]\nfloor = nan\n", "want a number", 2, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			file := write(t, filepath.Join(t.TempDir(), "config.toml"), c.text)
			_, problems, err := Load(Layers{UserFile: file})
			if len(problems) != 1 {
				t.Fatalf("problems: %v", problems)
			}
			p := problems[0]
			var bad *BadConfig
			if p.Line != c.line || p.Fatal != c.fatal || !strings.Contains(p.String(), c.say) || errors.As(err, &bad) != c.fatal {
				t.Errorf("have %s (fatal %v, err %v)", p, p.Fatal, err)
			}
		})
	}
}

func TestNamedAgents(t *testing.T) {
	file := write(t, filepath.Join(t.TempDir(), "config.toml"), "[agent]\ndefault = \"codex\"\n[agent.codex]\nargv = [\"codex\", \"exec\"]\nprotocol = \"claude\"\n")
	c, problems, err := Load(Layers{UserFile: file})
	if err != nil || len(problems) != 0 {
		t.Fatal(problems, err)
	}
	if got := c.Agents["codex"]; strings.Join(got.Argv, " ") != "codex exec" || got.Protocol != "claude" {
		t.Errorf("have %+v", got)
	}
	if value(t, c, "agent.codex.argv").Source != file {
		t.Error("its source is lost")
	}
}

func TestDurations(t *testing.T) {
	for text, want := range map[string]time.Duration{"30d": 30 * 24 * time.Hour, "2w": 14 * 24 * time.Hour, "90s": 90 * time.Second, "1h30m": 90 * time.Minute, "0": 0, "1.5d": 36 * time.Hour} {
		got, err := duration.Parse(text)
		if err != nil || got != want {
			t.Errorf("%s: %v, %v", text, got, err)
		}
		if again, err := duration.Parse(duration.Format(got)); err != nil || again != got {
			t.Errorf("%s is shown as %s, which reads as %v, %v", text, duration.Format(got), again, err)
		}
	}
	for _, text := range []string{"", "d", "soon", "-1d", "nand", "infw", "1e300d"} {
		if d, err := duration.Parse(text); err == nil {
			t.Errorf("%q reads as %v", text, d)
		}
	}
}

func FuzzLoad(f *testing.F) {
	f.Add([]byte(hostile))
	f.Add([]byte("a.b.c = [1, {x = 2}]\n[[agent]]\n[agent.'a.b']\nargv = []\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		for _, all := range []bool{true, false} {
			c := Defaults()
			c.text("f", data, all)
			c.Values()
			if !all && (len(c.Agents) != 0 || c.Run != Defaults().Run || c.Agent != "claude") {
				t.Errorf("an untrusted file set what it may not: %+v", c)
			}
		}
	})
}

// TestFileInTheFoldersPlace checks that a file called .agentflow gives no
// settings and no error.
func TestFileInTheFoldersPlace(t *testing.T) {
	file := filepath.Join(t.TempDir(), ".agentflow")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, problems, err := Load(Layers{RepoFile: filepath.Join(file, "config.toml")}); err != nil || len(problems) > 0 {
		t.Errorf("problems %v, error %v", problems, err)
	}
}

// TestByteOrderMark checks that a byte order mark before UTF-8, which Notepad
// and PowerShell write, is accepted.
func TestByteOrderMark(t *testing.T) {
	path := write(t, filepath.Join(t.TempDir(), "user.toml"), "\uFEFF[recall]\ntop = 7\nnosuch = 1\n")
	c, problems, err := Load(Layers{UserFile: path})
	if err != nil || c.Recall.Top != 7 {
		t.Fatalf("top %d, error %v", c.Recall.Top, err)
	}
	if len(problems) != 1 || problems[0].Line != 3 {
		t.Errorf("problems %v", problems)
	}
}

func TestBadConfigReadsFromTopToBottom(t *testing.T) {
	last := Problem{Source: "b.toml", Line: 8, Key: "x", Message: "bad"}
	first := Problem{Source: "b.toml", Line: 2, Message: "worse"}
	if got, want := (&BadConfig{[]Problem{last, first}}).Error(), "reading the settings:\nb.toml:2: worse\nb.toml:8: x: bad"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if got, want := (&BadConfig{[]Problem{last}}).Error(), "reading the settings: b.toml:8: x: bad"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}
