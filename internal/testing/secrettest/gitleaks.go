package secrettest

import (
	"bytes"
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// gitleaks is the module whose samples are made.
const gitleaks = "github.com/zricethezav/gitleaks/v8"

//go:embed testdata/gitleaks
var standIns embed.FS

// Gitleaks returns the samples that gitleaks checks its rules with, at most
// each of every rule; 0 is all. Its module comes with their source: a copy of
// it is built, in which two files are ours, and run.
func Gitleaks(t testing.TB, each int) []Sample {
	t.Helper()
	dir := t.TempDir()
	source := filepath.Join(dir, "gitleaks")
	program := filepath.Join(dir, "samples.exe")
	modfile := filepath.Join(dir, "go.mod")
	copyModule(t, source)
	root := filepath.Dir(strings.TrimSpace(run(t, exec.Command("go", "env", "GOMOD"))))
	for _, name := range []string{"go.mod", "go.sum"} {
		text, err := os.ReadFile(filepath.Join(root, name))
		if err != nil {
			t.Fatal(err)
		}
		if name == "go.mod" {
			text = fmt.Appendf(text, "\nreplace %s => %q\n", gitleaks, source)
		}
		if err := os.WriteFile(filepath.Join(dir, name), text, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	build := exec.Command("go", "build", "-modfile", modfile, "-o", program, gitleaks+"/cmd/generate/config")
	build.Dir = root
	run(t, build)
	make := exec.Command(program, filepath.Join(dir, "gitleaks.toml"))
	make.Dir = filepath.Join(source, "cmd", "generate", "config")
	return some(t, run(t, make), each)
}

// copyModule copies gitleaks' module, with our files in it.
func copyModule(t testing.TB, to string) {
	t.Helper()
	from := strings.TrimSpace(run(t, exec.Command("go", "list", "-m", "-f", "{{.Dir}}", gitleaks)))
	if err := os.CopyFS(to, os.DirFS(from)); err != nil {
		t.Fatal(err)
	}
	for name, at := range map[string]string{"regen.go": "cmd/generate/secrets", "validate.go": "cmd/generate/config/utils"} {
		text, err := standIns.ReadFile("testdata/gitleaks/" + name)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(to, filepath.FromSlash(at), name), text, 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// some reads samples, and takes each of every rule, from all over its list.
func some(t testing.TB, text string, each int) []Sample {
	t.Helper()
	byRule := map[string][]Sample{}
	var rules []string
	for dec := json.NewDecoder(strings.NewReader(text)); ; {
		var s Sample
		if err := dec.Decode(&s); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		if len(s.Secrets) == 0 || s.Secrets[0] == "" {
			continue // gitleaks itself finds nothing by this rule alone, or a file's name
		}
		if byRule[s.Name] == nil {
			rules = append(rules, s.Name)
		}
		byRule[s.Name] = append(byRule[s.Name], s)
	}
	var out []Sample
	for _, rule := range rules {
		list := byRule[rule]
		n := len(list)
		if each > 0 {
			n = min(n, each)
		}
		for i := range n {
			out = append(out, list[i*len(list)/n])
		}
	}
	return out
}

func run(t testing.TB, cmd *exec.Cmd) string {
	t.Helper()
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%s: %v\n%s", cmd, err, stderr.String())
	}
	return string(out)
}
