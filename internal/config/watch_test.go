package config

import (
	"path/filepath"
	"testing"
	"time"
)

func TestWatchSettings(t *testing.T) {
	file := filepath.Join(t.TempDir(), "config.toml")
	for _, c := range []struct {
		text           string
		debounce, poll time.Duration
		problems       int
	}{
		{"", 300 * time.Millisecond, 0, 0},
		{"[watch]\ndebounce = \"1s\"\npoll = \"10s\"\n", time.Second, 10 * time.Second, 0},
		{"[watch]\ndebounce = \"0s\"\npoll = \"0s\"\n", 300 * time.Millisecond, 0, 1},
		{"[watch]\ndebounce = \"soon\"\n", 300 * time.Millisecond, 0, 1},
	} {
		write(t, file, c.text)
		settings, problems, err := Load(Layers{UserFile: file})
		if err != nil || len(problems) != c.problems {
			t.Errorf("%q: problems %v, error %v", c.text, problems, err)
		}
		if w := settings.Watch; w.Debounce != c.debounce || w.Poll != c.poll {
			t.Errorf("%q: %+v", c.text, w)
		}
	}
	write(t, file, "[watch]\npoll = \"1ms\"\n")
	settings, problems, err := Load(Layers{RepoFile: file})
	if err != nil || len(problems) != 1 || settings.Watch.Poll != 0 {
		t.Errorf("from a repository: %+v, problems %v, error %v", settings.Watch, problems, err)
	}
}
