package contents

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"agentflow/index/stems"
)

// goSource returns a tree of real files: about 5,000 of the standard library.
func goSource(b *testing.B) Tree {
	b.Helper()
	root, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		b.Skip(err)
	}
	dir := filepath.Join(strings.TrimSpace(string(root)), "src")
	files, err := filesIn(dir)
	if err != nil {
		b.Skip(err)
	}
	files = files[:min(5000, len(files))]
	return Tree{Dir: dir, Files: func(context.Context) ([]File, error) { return files, nil }}
}

func builtFrom(b *testing.B, tree Tree) string {
	b.Helper()
	db := filepath.Join(b.TempDir(), "contents.db")
	if _, err := Update(b.Context(), db, tree, Options{}); err != nil {
		b.Fatal(err)
	}
	return db
}

// BenchmarkFirstBuild measures an update that reads all files. MB is the size
// of the file that it writes.
func BenchmarkFirstBuild(b *testing.B) {
	tree := goSource(b)
	for b.Loop() {
		info, err := os.Stat(builtFrom(b, tree))
		if err != nil {
			b.Fatal(err)
		}
		b.ReportMetric(float64(info.Size())/1e6, "MB")
	}
}

// BenchmarkNothingChanged measures an update without any changed file,
// excluding the time to list the files.
func BenchmarkNothingChanged(b *testing.B) {
	tree := goSource(b)
	db := builtFrom(b, tree)
	for b.Loop() {
		if r, err := Update(b.Context(), db, tree, Options{}); err != nil || r.Read > 0 {
			b.Fatalf("%+v %v", r, err)
		}
	}
}

// BenchmarkFind searches for twenty stems, some of them in nearly every file.
func BenchmarkFind(b *testing.B) {
	db := builtFrom(b, goSource(b))
	var asked []uint32
	for _, stem := range []string{"expir", "session", "timeout", "header", "pars", "retri", "config", "token", "cach", "index",
		"error", "return", "buffer", "packag", "string", "test", "rotat", "watcher", "deadlin", "checksum"} {
		asked = append(asked, stems.Hash(stem))
	}
	open := OpenStore(db)
	for name, find := range map[string]func() (Found, error){
		"open": func() (Found, error) { return open.Find(b.Context(), asked) },
		"rare": func() (Found, error) { return open.Find(b.Context(), asked[16:]) },
		"opening": func() (Found, error) {
			s := OpenStore(db)
			defer s.Close()
			return s.Find(b.Context(), asked)
		},
	} {
		b.Run(name, func(b *testing.B) {
			files := 0
			for b.Loop() {
				f, err := find()
				if err != nil {
					b.Fatal(err)
				}
				files = len(f.Paths)
			}
			b.ReportMetric(float64(files), "files")
		})
	}
	_ = open.Close()
}
