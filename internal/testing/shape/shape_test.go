package main

import (
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/tools/go/packages"
)

// TestShape holds each measure of the repository to its limit in limits.txt.
func TestShape(t *testing.T) {
	root, err := moduleRoot()
	if err != nil {
		t.Fatal(err)
	}
	limits, err := readLimits()
	if err != nil {
		t.Fatal(err)
	}
	measures, err := measure(root)
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range measures {
		l, ok := limits[m.name]
		delete(limits, m.name)
		if m.free {
			continue
		}
		if !ok {
			t.Errorf("limits.txt has no limit for %q", m.name)
		}
		if reason := l.broken(m.value); reason != "" {
			t.Errorf("%s: %s (%s)", m.name, reason, m.where)
		}
	}
	for name := range limits {
		t.Errorf("limits.txt has a limit for %q, which nothing measures", name)
	}
}

func TestLimit(t *testing.T) {
	for _, c := range []struct {
		now, final, value float64
		want              string
	}{
		{100, 40, 100, ""},
		{100, 40, 96, ""},
		{100, 40, 101, "above"},
		{100, 40, 94, "lower it"},
		{40, 40, 3, ""},
		{40, 40, 41, "above"},
		{39, 40, 40, ""},
	} {
		got := limit{c.now, c.final}.broken(c.value)
		if (c.want == "") != (got == "") || !strings.Contains(got, c.want) {
			t.Errorf("a value of %v with limits %v and %v: %q, want %q", c.value, c.now, c.final, got, c.want)
		}
	}
}

// TestComponent: a.go, b.go and c.go refer to each other in a circle, d.go only
// to a.go. A field and a method are references, a local variable is none.
func TestComponent(t *testing.T) {
	p := typeCheck(t, map[string]string{
		"a.go": "package p\n\ntype A struct{ field int }\n\nfunc useB() { B{}.method() }\n",
		"b.go": "package p\n\ntype B struct{}\n\nfunc (B) method() { useC() }\n",
		"c.go": "package p\n\nfunc useC() { x := A{}; x.field++ }\n",
		"d.go": "package p\n\nfunc useA() { useB() }\n",
	})
	if got := component(p); got != 3 {
		t.Errorf("the largest component has %d files, want 3: %v", got, references(p))
	}
	if got := exported(p); got != 2 {
		t.Errorf("%d exported names, want A and B", got)
	}
}

// typeCheck makes a package of some files' texts.
func typeCheck(t *testing.T, texts map[string]string) *packages.Package {
	t.Helper()
	p := &packages.Package{PkgPath: "agentflow/p", Fset: token.NewFileSet()}
	for name, text := range texts {
		file, err := parser.ParseFile(p.Fset, name, text, 0)
		if err != nil {
			t.Fatal(err)
		}
		p.Syntax = append(p.Syntax, file)
	}
	p.TypesInfo = &types.Info{Uses: map[*ast.Ident]types.Object{}}
	checked, err := (&types.Config{Importer: importer.Default()}).Check(p.PkgPath, p.Fset, p.Syntax, p.TypesInfo)
	if err != nil {
		t.Fatal(err)
	}
	p.Types = checked
	return p
}

func TestEnglish(t *testing.T) {
	var e english
	e.read("// Whoever holds it goes\n on alone; A4 stands for a size, and nobody hears it.")
	if e.flagged != 5 || e.words != 15 {
		t.Errorf("%d flagged of %d words, want 5 of 15", e.flagged, e.words)
	}
}

func TestProse(t *testing.T) {
	got := strings.Join(proseOf("# A\n\n```sh\nrun this\n```\n| a | b |\ntext\n"), "\n")
	if want := "# A\n\ntext"; got != want {
		t.Errorf("prose is %q, want %q", got, want)
	}
}

// TestSubject: the subject of the newest commit is measured.
func TestSubject(t *testing.T) {
	root, err := filepath.Abs("../../..")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := longestSubject(root); err != nil {
		t.Error(err)
	}
	if _, err := longestSubject(t.TempDir()); err == nil {
		t.Error("a folder without a repository has no error")
	}
}
