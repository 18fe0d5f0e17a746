package config

import (
	"errors"
	"strings"
	"testing"
)

func TestEdit(t *testing.T) {
	const file = "# mine\n[recall]\ntop = 3 # enough \"#\"\n# budget = 5\n\n[agent.claude]\nallowed_tools = [\n  \"Read\", # reads\n]\n"
	for _, c := range []struct{ name, before, key, value, after string }{
		{"an empty file", "", "recall.top", "7", "[recall]\ntop = 7\n"},
		{"a value keeps its comment", file, "recall.top", "7", strings.Replace(file, "top = 3", "top = 7", 1)},
		{"a new key of a section", file, "recall.gate", "0.5", strings.Replace(file, "\"#\"\n", "\"#\"\ngate = 0.5\n", 1)},
		{"a list with # in a text", "", "agent.claude.args", `["a#b"]`, "[agent.claude]\nargs = [\"a#b\"]\n"},
		{"a new section", file, "run.verify", "make test", file + "\n[run]\nverify = 'make test'\n"},
		{"a list over several lines", file, "agent.claude.allowed_tools", `["Bash(git *)"]`,
			"# mine\n[recall]\ntop = 3 # enough \"#\"\n# budget = 5\n\n[agent.claude]\nallowed_tools = [\"Bash(git *)\"]\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := Edit([]byte(c.before), c.key, c.value)
			if err != nil || string(got) != c.after {
				t.Errorf("%v\n%s", err, got)
			}
		})
	}
	if got, err := Edit([]byte("recall.top = 3\n"), "recall.top", "4"); err == nil {
		t.Errorf("a dotted key was changed: %s", got)
	}
	for _, bad := range [][2]string{{"recall.top", "many"}, {"recall.taup", "3"}, {"schedule.x.cron", "@daily"}, {"agent.claude.permission_mode", "all"}} {
		if _, err := Edit(nil, bad[0], bad[1]); err == nil {
			t.Errorf("%v was taken", bad)
		}
	}
}

func TestUnset(t *testing.T) {
	got, err := Unset([]byte("[recall]\ntop = 3\nbudget = 9\n"), "recall.top")
	if err != nil || string(got) != "[recall]\nbudget = 9\n" {
		t.Errorf("%v\n%s", err, got)
	}
	if _, err := Unset([]byte("[recall]\n"), "recall.top"); !errors.Is(err, ErrNotSet) {
		t.Error(err)
	}
	if _, err := Unset([]byte("recall = { top = 3 }\n"), "recall.top"); err == nil {
		t.Error("an inline table was changed")
	}
}

// FuzzEdit checks that for any file, an edit changes one setting or nothing.
func FuzzEdit(f *testing.F) {
	f.Add([]byte("[recall]\ntop = 3 # x\n[run]\n"), "recall.top", "5")
	f.Add([]byte("a = 1\n[[schedule]]\nname = 'x'\n"), "run.verify", "go test # all")
	f.Add([]byte("recall.top = 3\n[agent.claude]\nargs=[\n'a'\n]"), "agent.claude.args", "['b']")
	f.Fuzz(func(t *testing.T, data []byte, key, value string) {
		if len(data) > 4<<10 {
			return
		}
		after, err := Edit(data, key, value)
		if err != nil {
			return
		}
		if flat, err := flatOf(after); err != nil || flat[key] == nil {
			t.Errorf("%v\n%s", err, after)
		}
	})
}
