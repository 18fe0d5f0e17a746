package connect

import (
	"path/filepath"
	"strings"
	"testing"
)

// TestAutoMemory: files are named as in TestSwitchedOff.
func TestAutoMemory(t *testing.T) {
	const home, project = "/home/u", "/work/p"
	const user, local, shared, managed = "u/.claude/settings.json", "settings.local.json", "p/.claude/settings.json", "managed-settings.json"
	type files map[string]string
	folder := func(name string) string { return `{"autoMemoryDirectory": "` + name + `"}` }
	on, off := `{"autoMemoryEnabled": true}`, `{"autoMemoryEnabled": false}`
	for name, c := range map[string]struct {
		files    files
		variable string
		trusted  bool
		want     AutoMemory
	}{
		"nothing":                     {},
		"off":                         {files: files{user: off}, want: AutoMemory{Off: true}},
		"off in the project":          {files: files{shared: off}, want: AutoMemory{Off: true}},
		"on again for one person":     {files: files{shared: off, local: on}},
		"the variable":                {variable: "1", files: files{user: on}, want: AutoMemory{Off: true}},
		"the variable switches it on": {variable: "false", files: files{user: off}},
		"an empty variable":           {variable: "", files: files{user: off}, want: AutoMemory{Off: true}},
		"another word":                {variable: "perhaps"},
		"a variable in settings":      {files: files{user: `{"env": {"CLAUDE_CODE_DISABLE_AUTO_MEMORY": "true"}}`}, want: AutoMemory{Off: true}},
		"a folder":                    {files: files{user: folder("/srv/memory/")}, want: AutoMemory{Folder: "/srv/memory"}},
		"a folder below home":         {files: files{user: folder("~/mine/memory")}, want: AutoMemory{Folder: "/home/u/mine/memory"}},
		"the home":                    {files: files{user: folder("~/.")}},
		"outside of the home":         {files: files{user: folder("~/../v")}},
		"a relative folder":           {files: files{user: folder("memory")}},
		"the root":                    {files: files{user: folder("/")}},
		"a share":                     {files: files{user: folder("//host/share")}},
		"of an untrusted project":     {files: files{local: folder("/srv/p"), shared: folder("/srv/q"), user: folder("/srv/u")}, want: AutoMemory{Folder: "/srv/u"}},
		"of a trusted project":        {files: files{local: folder("/srv/p"), shared: folder("/srv/q"), user: folder("/srv/u")}, trusted: true, want: AutoMemory{Folder: "/srv/p"}},
		"managed":                     {files: files{managed: folder("/srv/m"), local: folder("/srv/p"), user: folder("/srv/u")}, trusted: true, want: AutoMemory{Folder: "/srv/m"}},
		"a file that cannot be read":  {files: files{local: `{"autoMemoryEnabled": false, // no`, user: folder("/srv/u")}, trusted: true, want: AutoMemory{Folder: "/srv/u"}},
	} {
		h := Home{Getenv: func(name string) string { return map[string]string{noAutoMemory: c.variable}[name] }, Dir: home}
		levels := h.Levels("claude", project, "linux")
		for i := range levels {
			for end, text := range c.files {
				if strings.HasSuffix(filepath.ToSlash(levels[i].Path), "/"+end) {
					levels[i].Text = []byte(text)
				}
			}
		}
		got := h.AutoMemory(levels, func() bool { return c.trusted })
		if got.Folder = filepath.ToSlash(got.Folder); got != c.want {
			t.Errorf("%s: %+v, want %+v", name, got, c.want)
		}
	}
}

func TestClaudeTrusts(t *testing.T) {
	const state = `{"projects": {"/work": {"hasTrustDialogAccepted": true}, "/other": {}}}`
	for project, want := range map[string]bool{"/work/p": true, "/work": true, "/other": false, "/workshop": false, "": false} {
		if got := ClaudeTrusts([]byte(state), project); got != want {
			t.Errorf("%q is trusted: %v", project, got)
		}
	}
	if ClaudeTrusts([]byte("{"), "/work") {
		t.Error("a damaged file trusts")
	}
}
