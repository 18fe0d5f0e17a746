package list

import (
	"path/filepath"
	"strings"
	"testing"

	"agentflow/app"
	"agentflow/app/lookup"
)

// FuzzCursor reads any text as a cursor. The result is an error, or a cursor that is the same after
// it is written and read again.
func FuzzCursor(f *testing.F) {
	f.Add(lookup.Cursor{List: entriesList, ID: "a", File: "memory/2026-05-04.md"}.String())
	f.Add("e30")
	f.Fuzz(func(t *testing.T, text string) {
		c, err := lookup.ReadCursor(text, entriesList)
		if err != nil {
			if err.(*app.Error).Kind != app.KindUsage {
				t.Error(err)
			}
			return
		}
		if again, err := lookup.ReadCursor(c.String(), entriesList); err != nil || again.String() != c.String() {
			t.Errorf("%+v became %+v, %v", c, again, err)
		}
	})
}

// FuzzFileName checks that a name never leads out of the memory folder on any system.
func FuzzFileName(f *testing.F) {
	for _, name := range []string{"memory/a.md", "memory/../a.md", "memory/x/../../../a.md", `memory/..\a.md`, "memory/a.md:b.md", "memory//a.md"} {
		f.Add(name)
	}
	f.Fuzz(func(t *testing.T, name string) {
		if checkFileName(name) != nil {
			return
		}
		joined := filepath.ToSlash(filepath.Join("/root", filepath.FromSlash(name)))
		if joined != "/root/"+name || strings.Contains(name, "..\\") || strings.ContainsAny(name, ":\x00") || strings.Contains("/"+name+"/", "/../") {
			t.Errorf("%q leads to %s", name, joined)
		}
	})
}
