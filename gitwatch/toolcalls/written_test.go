package toolcalls

import (
	"fmt"
	"strings"
	"testing"
)

func TestWritten(t *testing.T) {
	for command, want := range map[string]string{
		"cat notes.txt; sleep 3":                         "[] lists",
		"echo hi > a.txt":                                "[a.txt]",
		"cat b.txt >> 'my notes.txt' 2>/dev/null":        "[my notes.txt] lists",
		"cd src && sed -i s/a/b/ x.go y.go":              "[src/x.go src/y.go] moves",
		`cd "$D" && touch x.go`:                          "[**/x.go] moves",
		"perl -pi -e 's/a/b/' x.go; sed -i -e 1d y.go":   "[x.go y.go]",
		"rm -rf build/ && mkdir -p out/bin":              "[build out/bin]",
		"mv a.txt docs":                                  "[a.txt docs docs/a.txt]",
		"cp a.txt b.txt":                                 "[b.txt b.txt/a.txt]",
		"git add -A && git commit -qm 'touch notes.txt'": "[] git lists",
		"git -C sub status":                              "[] git lists",
		"git checkout -- a.txt":                          "[a.txt] git lists",
		"gofmt -l . ; gofmt -w x.go":                     "[x.go]",
		"gcc -o prog main.c":                             "[prog]",
		"grep -o notes.txt a.txt":                        "[] lists",
		"sh -c 'echo 1 >f; git log'":                     "[f] git lists",
		"sudo -n env A=1 timeout 5 tee log.txt":          "[log.txt]",
		"server --port 80 &":                             "[] background",
		"nohup ./watch":                                  "[] background",
		"cat <<'EOF' > made.txt\nrm victim.txt\nEOF":     "[made.txt] lists",
		"touch $(cat list)":                              "[] lists",
		"for f in a b; do touch \"$f.txt\"; done":        "[]",
		"if (":                     "[] lists",
		strings.Repeat("(", 60000): "[] lists",
		strings.Repeat("( ", 90) + "touch a" + strings.Repeat(")", 90): "[a]",
		"python3 gen.py notes.txt":                                     "[]",
		`printf x > src\ dir/a.txt`:                                    "[src dir/a.txt]",
		"cd /abs/dir && touch a":                                       "[/abs/dir/a] moves",
		strings.Repeat("x", maxCommand+1) + "; touch a":                "[] git lists",
		"{ echo a; echo b; } > both.txt; (cd z; : > in.txt)":           "[both.txt z/in.txt] moves",
	} {
		c := Written(command)
		got := fmt.Sprint(c.Names)
		for _, flag := range []struct {
			set  bool
			name string
		}{{c.Moves, " moves"}, {c.Git, " git"}, {c.Lists, " lists"}, {c.Background, " background"}} {
			if flag.set {
				got += flag.name
			}
		}
		if got != want {
			t.Errorf("%.60q: got %s, want %s", command, got, want)
		}
	}
}

func TestWrittenIn(t *testing.T) {
	got := fmt.Sprint(WrittenIn("ok\nwrote dist/app.js\nCreated: \"a b.txt\"\n\tmodified:   notes.txt\ndeleted:  x\nreformatted src/x.py.\n"))
	if want := "[dist/app.js src/x.py]"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func FuzzWritten(f *testing.F) {
	f.Add("cd a && rm -rf b; echo > \"c d\"")
	f.Add("cat <<E\n$(rm x)\nE\n")
	f.Fuzz(func(t *testing.T, command string) {
		if c := Written(command); len(c.Names) > maxNames {
			t.Errorf("%d names", len(c.Names))
		}
		WrittenIn(command)
	})
}
