package memorytool

import (
	"strings"
	"testing"

	"agentflow/internal/testing/hostiletest"
	"agentflow/memory"
)

// TestNames holds the rule of stored names in both directions.
func TestNames(t *testing.T) {
	for shown, stored := range map[string]string{
		"/memories/plan.md":          "notes/plan.md",
		"/memories/prefs.txt":        "notes/prefs.txt.md",
		"/memories/prefs.txt.md":     "notes/prefs.txt.md.md",
		"/memories/prefs":            "notes/prefs..md",
		"/memories/a.b.c":            "notes/a.b.c.md",
		"/memories/README.MD":        "notes/README.MD.md",
		"/memories/d.x/prefs":        "notes/d.x/prefs..md",
		"/memories/50% of it, à é 日": "notes/50% of it, à é 日..md",
	} {
		if got := storedName(shown); got != stored {
			t.Errorf("%s is stored as %s, not %s", shown, got, stored)
		}
		if got, ok := shownPath(stored); !ok || got != shown {
			t.Errorf("%s is shown as %s, not %s", stored, got, shown)
		}
	}
	for _, none := range []string{"MEMORY.md", "notes", "notes/.md", "notes/..md", "notes/...md", "notes/a.b..md", "notes/.a.md", "notes/a.txt", "notes/d.md/a.md", "notes/con.md", "notes/a?.md", "archive/a.md", "notes/node_modules/a.md"} {
		if got, ok := shownPath(none); ok {
			t.Errorf("%s is shown as %s", none, got)
		}
	}
}

// TestNoPathLeadsOut gives every command the hostile paths: each is refused, or
// is that of a file below notes.
func TestNoPathLeadsOut(t *testing.T) {
	paths := hostiletest.Paths(1000)
	for _, path := range paths {
		clean, err := cleanPath(path)
		if err != nil {
			continue
		}
		if clean != Root && !strings.HasPrefix(clean, Root+"/") {
			t.Fatalf("%q is taken for %q", path, clean)
		}
		if stored := storedName(clean); clean != Root && !staysInside(stored) {
			t.Fatalf("%q is stored as %q", path, stored)
		}
	}
	for _, path := range []string{
		"", "/", "memories", "memories/a", "/memoriesX", "/memoriesX/a", "/Memories/a", "/memories\\a", "/memories/..", "/memories/../memories/a", "/memories/a/../b", "/memories/..\\a", "/memories/a\\..\\..\\b",
		"/memories/%2e%2e%2fa", "/memories/%2E%2E/a", "/memories/%252e%252e%252fa", "/memories/..%2fa", "/memories/..%5ca", "/memories/%2e./a", "/memories/a%00b", "/memories/a%2fb", "/memories/%61",
		"/memories/a\x00b", "/memories/a\nb", "/memories/a\tb", "/memories/a\x1b[31m", "/memories/a\u202eb", "/memories/a\u200bb", "/memories/\ufeffa", "/memories/a\xffb",
		"/memories/C:", "/memories/C:/a", "/memories/a:stream", "/memories/con", "/memories/CON.txt", "/memories/aux.tar.gz", "/memories/nul/a", "/memories/com1", "/memories/LPT9.md", "/memories/COM¹", "/memories/CONIN$",
		"/memories/a?", "/memories/a*b", "/memories/a|b", "/memories/<a>", "/memories/\"a\"", "/memories/a.", "/memories/a ", "/memories/ a", "/memories/...", "/memories/.git/a", "/memories/.a", "/memories/a/.b/c",
		"/memories/node_modules/a", "/memories/d.md/a", "/memories/" + strings.Repeat("a", 151), "/memories/" + strings.Repeat("a/", 11), "/memories/" + strings.Repeat("abcdefgh/", 100), "file:///memories/a", "//memories/a", "~/memories/a",
	} {
		if clean, err := cleanPath(path); err == nil {
			t.Errorf("%q is taken for %q", path, clean)
		}
	}
}

// staysInside reports whether a name in memory is a file below notes on every system.
func staysInside(name string) bool {
	rest, ok := memory.CutNotes(name)
	if !ok || !strings.HasSuffix(rest, ".md") {
		return false
	}
	for part := range strings.FieldsFuncSeq(rest, func(r rune) bool { return r == '/' || r == '\\' }) {
		if part == "." || part == ".." || strings.HasPrefix(part, ".") {
			return false
		}
	}
	return !strings.ContainsAny(rest, "\\:\x00") && rest[0] != '/'
}

// FuzzPath holds paths of any bytes to the same, and that a path which is taken
// is shown as itself.
func FuzzPath(f *testing.F) {
	for _, path := range hostiletest.Paths(100) {
		f.Add(path)
	}
	f.Fuzz(func(t *testing.T, path string) {
		clean, err := cleanPath(path)
		if err != nil || clean == Root {
			return
		}
		if again, err := cleanPath(clean); err != nil || again != clean {
			t.Fatalf("%q is %q, and that is %q, %v", path, clean, again, err)
		}
		stored := storedName(clean)
		if !staysInside(stored) {
			t.Fatalf("%q is stored as %q", path, stored)
		}
		if shown, ok := shownPath(stored); !ok || shown != clean {
			t.Fatalf("%q is stored as %q and shown as %q", clean, stored, shown)
		}
	})
}
