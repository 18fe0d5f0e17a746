package main

import "testing"

func TestForms(t *testing.T) {
	const before = `package app
func (c *counter) add(s *openMemory, n int) total { return sum(s, total{n, limit}, c.kept) }`
	for _, c := range []struct {
		text string
		same bool
	}{
		{"package count\nimport \"agentflow/app\"\n// Add adds.\nfunc (c *counter) Add(s *app.Repo, n int) app.Total { return app.Sum(s, app.Total{N: n, Limit: Limit}, c.Kept) }", true},
		{"package count\nimport core \"agentflow/app\"\nfunc (c *counter) Add(s *core.Repo, n int) core.Total { return core.Sum(s, core.Total{N: n, Limit: Limit}, c.Kept) }", true},
		{"package count\nimport \"agentflow/app\"\nfunc (c *counter) Add(s *app.Repo, n int) app.Total { return app.Sum(s, app.Total{N: n, Limit: Limit}, c.Lost) }", false},
		{"package count\nimport \"agentflow/app\"\nfunc (c *counter) Add(s *app.Repo, n int) app.Total { return app.Sum(s, app.Total{N: n}, c.Kept) }", false},
		{"package app\nfunc (p part) add(s *openMemory, n int) total { return sum(s, total{n, limit}, p.turn.kept) }", true},
		{"package app\nfunc (p part) add(s *openMemory, n int) total { return sum(s, total{n, limit}, p.other.kept) }", false},
		{"package count\nfunc (c *counter) Add(s *app.Repo, n int) app.Total { return app.Sum(s, app.Total{N: n, Limit: Limit}, c.Kept) }", false}, // app is not a package of ours there
	} {
		old, err := formsOf("before.go", []byte(before))
		if err != nil {
			t.Fatal(err)
		}
		now, err := formsOf("after.go", []byte(c.text))
		if err != nil {
			t.Fatal(err)
		}
		if (old[0] == now[0]) != c.same {
			t.Errorf("%s: the same form is %v, want %v", c.text, !c.same, c.same)
		}
	}
}

func TestDiffer(t *testing.T) {
	a, b := functions{}, functions{}
	for _, f := range []functions{a, b} {
		if err := f.add("a.go", []byte("package a\nfunc one() { two() }")); err != nil {
			t.Fatal(err)
		}
	}
	if a.differ(b) {
		t.Error("the same functions differ")
	}
	if err := b.add("b.go", []byte("package a\nfunc one() { two() }")); err != nil {
		t.Fatal(err)
	}
	if !a.differ(b) {
		t.Error("a second copy of a function is not seen")
	}
}
