package hook

import (
	"slices"
	"strings"
	"testing"
)

func TestExcludeLine(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	names := []string{"plain", "a b", "*x?", "[y]", "#z", "!w", "sub/v "}
	var lines []string
	for _, name := range names {
		l.write(l.path(name), "", 0o644)
		line, err := excludeLine(l.repo, l.path(name))
		if err != nil {
			t.Fatal(err)
		}
		lines = append(lines, line)
	}
	l.write(l.path("x"), "", 0o644) // what an unescaped pattern would hide
	l.write(l.path(".git/info/exclude"), strings.Join(lines, "\n")+"\n", 0o644)
	if out := l.git("status", "--porcelain", "-uall"); out != "?? x" {
		t.Errorf("git shows %q with the patterns %q", out, lines)
	}
	r := record{folder: t.TempDir()}
	l.write(l.path(".git/info/exclude"), "mine", 0o644)
	for _, line := range slices.Concat(lines, lines) {
		if err := r.exclude(l.path(".git"), line); err != nil {
			t.Fatal(err)
		}
	}
	if now := l.read(l.path(".git/info/exclude")); now != "mine\n"+strings.Join(lines, "\n")+"\n" {
		t.Errorf("info/exclude is %q", now)
	}
	if err := r.removeExcludes(l.path(".git")); err != nil || l.read(l.path(".git/info/exclude")) != "mine\n" {
		t.Errorf("%v; left: %q", err, l.read(l.path(".git/info/exclude")))
	}
}
