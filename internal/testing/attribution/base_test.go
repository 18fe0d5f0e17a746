package attribution

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"agentflow/internal/testing/gittest"
	"agentflow/internal/testing/runtest"
)

// makeBase makes the repository that all scenarios begin with.
func makeBase(t *testing.T) *runtest.Repo {
	t.Helper()
	f := runtest.New(t)
	for _, pair := range []string{"user.name=A", "user.email=a@example.org", "gc.auto=0", "advice.addEmbeddedRepo=false", "core.autocrlf=false"} {
		key, value, _ := strings.Cut(pair, "=")
		f.Git("config", key, value)
	}
	f.Write("gen.sh", "mkdir -p gen\necho \"$1\" > gen/one.txt\necho \"$1\" >> gen/two.txt\necho \"$1\" >> d/b.txt\n")
	f.Write("fmt.sh", "for f in a.txt d/*.txt src/*; do echo \"formatted $1\" >> \"$f\"; done\n")
	f.Write(".gitignore", "*.log\nbuild/\nlocal.db\n")
	f.Commit("first", "a.txt", text("a"), "b.txt", text("b"), "side.txt", text("side"))
	f.Git("branch", "side")
	f.Commit("second", "notes.txt", text("notes"), "d/a.txt", text("d/a"), "d/b.txt", text("d/b"), "d/e/c.txt", text("c"), "d/e/f.txt", text("f"),
		"src/m.go", text("m"), "src/n.go", text("n"), "sp ace/x.txt", text("x"), "cfg.ini", text("cfg"), "crlf.txt", strings.ReplaceAll(text("crlf"), "\n", "\r\n"))
	f.Git("checkout", "-q", "side")
	f.Commit("beside", "side.txt", text("beside"), "b.txt", text("b of side"))
	f.Git("checkout", "-q", "main")
	f.Commit("third", "b.txt", text("b of main"))
	f.Git("clone", "-q", "--no-hardlinks", ".", "nested")
	gittest.Must(t, os.WriteFile(f.Path(".git/info/exclude"), []byte("nested\nsecret.cfg\n"), 0o600))
	f.Write("nested/p.txt", text("p"))
	f.Write("local.db", text("database"))
	f.Write("app.log", text("log"))
	f.Write("build/out.o", text("out"))
	f.Write("secret.cfg", text("secret"))
	return f
}

func text(of string) string {
	var b strings.Builder
	for i := range 9 {
		fmt.Fprintf(&b, "line %d of %s\n", i+1, of)
	}
	return b.String()
}
