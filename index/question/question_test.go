package question

import (
	"fmt"
	"strings"
	"testing"
)

// TestRead checks that the words behind the opening are read, and that a word knows where it is.
func TestRead(t *testing.T) {
	q := Read("Slow clock\nThe clock is late.\n" + strings.Repeat("more of this text. ", 60) + "see halfLife")
	of := map[string]Word{}
	for _, w := range q.Words {
		of[w.Text] = w
	}
	if w := of["clock"]; w.Count != 2 || !w.Title || !w.Opening || w.Named {
		t.Errorf("clock: %+v", w)
	}
	if w := of["late"]; w.Title || !w.Opening {
		t.Errorf("late: %+v", w)
	}
	if w := of["halflife"]; w.Title || w.Opening || !w.Named {
		t.Errorf("halfLife: %+v", w)
	}
	if q := Read(strings.Repeat("x ", MaxRunes) + "tail"); len(q.Words) != 1 {
		t.Errorf("%d words", len(q.Words))
	}
}

// TestNames checks which names a task holds.
func TestNames(t *testing.T) {
	for _, c := range []struct{ text, paths, modules, symbols string }{
		{"fix ./index/rank/gate.go:12 now", "index/rank/gate.go@1.0", "", ""},
		{"gate.go and self.gate", "gate.go", "self.gate", "gate"},
		{"Use e.g. this. Version 3.8.1.", "", "", ""},
		{"see https://github.com/a/b/blob/main/src/x.py#L3", "github.com/a/b/blob/main/src/x.py", "", "com"},
		{"from dask.array import core, ufunc", "", "dask.array dask.array.core dask.array.ufunc", "array"},
		{"std::fs::read_dir fails", "", "std.fs.read_dir", "read_dir"},
		{"call `prompt` or Parse(x) or HalfLife", "", "", "prompt Parse HalfLife"},
		{"parse_it\nparse_it, other_one", "", "", "parse_it other_one"},
		{"Traceback:\n  File \"/usr/lib/a/site-packages/dask/core.py\", line 3, in f\n  File \"x\\y.py\", line 9, in g", "usr/lib/a/site-packages/dask/core.py@0.5 x/y.py@1.0", "", ""},
		{"panic\n\t/go/gin/tree.go:862 +0x9d3\n\t/go/gin/gin.go:4", "go/gin/tree.go@1.0 go/gin/gin.go@0.5", "", ""},
	} {
		q := Read(c.text)
		var paths, modules, symbols []string
		for _, p := range q.Paths {
			name := strings.Join(p.Parts, "/")
			if p.Frame > 0 {
				name += fmt.Sprintf("@%.1f", p.Frame)
			}
			paths = append(paths, name)
		}
		for _, m := range q.Modules {
			modules = append(modules, strings.Join(m, "."))
		}
		for _, s := range q.Symbols {
			symbols = append(symbols, s.Text)
		}
		if got := strings.Join(paths, " "); got != c.paths {
			t.Errorf("%q has paths %q, want %q", c.text, got, c.paths)
		}
		if got := strings.Join(modules, " "); got != c.modules {
			t.Errorf("%q has modules %q, want %q", c.text, got, c.modules)
		}
		if got := strings.Join(symbols, " "); got != c.symbols {
			t.Errorf("%q has symbols %q, want %q", c.text, got, c.symbols)
		}
	}
}

func FuzzRead(f *testing.F) {
	f.Add("fix a/b.go:3 and x::y in `z`\n  File \"p.py\", line 3")
	f.Fuzz(func(t *testing.T, text string) { Read(text) })
}
