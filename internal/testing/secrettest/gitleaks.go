package secrettest

import (
	"bytes"
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

// gitleaks is the module that the samples come from.
const gitleaks = "github.com/zricethezav/gitleaks/v8"

// Gitleaks returns the samples with which gitleaks tests its rules, at most
// each for every rule; 0 means all. It builds and runs a copy of the module's
// source in which two files are replaced. The build uses the separate module in
// the folder gitleaks.
func Gitleaks(t testing.TB, each int) []Sample {
	t.Helper()
	nested := filepath.Join(filepath.Dir(run(t, ".", "go", "env", "GOMOD")), "internal", "testing", "secrettest", "gitleaks")
	dir := t.TempDir()
	source := filepath.Join(dir, "gitleaks")
	if err := os.CopyFS(source, os.DirFS(Module(t, nested).Dir)); err != nil {
		t.Fatal(err)
	}
	copyFile(t, filepath.Join(nested, "testdata", "regen.go"), filepath.Join(source, "cmd", "generate", "secrets", "regen.go"), "")
	copyFile(t, filepath.Join(nested, "testdata", "validate.go"), filepath.Join(source, "cmd", "generate", "config", "utils", "validate.go"), "")
	modfile := filepath.Join(dir, "go.mod")
	copyFile(t, filepath.Join(nested, "go.mod"), modfile, fmt.Sprintf("\nreplace %s => %q\n", gitleaks, source))
	copyFile(t, filepath.Join(nested, "go.sum"), filepath.Join(dir, "go.sum"), "")
	program := filepath.Join(dir, "samples.exe")
	run(t, nested, "go", "build", "-modfile", modfile, "-o", program, gitleaks+"/cmd/generate/config")
	return some(t, run(t, filepath.Join(source, "cmd", "generate", "config"), program, filepath.Join(dir, "gitleaks.toml")), each)
}

// A ModuleSource names the version of a module and the folder that holds its source.
type ModuleSource struct{ Version, Dir string }

// Module downloads the gitleaks that the go.mod in folder requires, unless the
// module cache has it: "go list -m" returns no folder for a module that is not
// in the cache.
func Module(t testing.TB, folder string) (m ModuleSource) {
	t.Helper()
	if err := json.Unmarshal([]byte(run(t, folder, "go", "mod", "download", "-json", gitleaks)), &m); err != nil {
		t.Fatal(err)
	}
	return m
}

// copyFile copies a file and appends a text.
func copyFile(t testing.TB, from, to, more string) {
	t.Helper()
	text, err := os.ReadFile(from)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(to, append(text, more...), 0o600); err != nil {
		t.Fatal(err)
	}
}

// some decodes samples and returns each of every rule, spread over its list.
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
			continue // only other rules find this secret, or the rule matches only file names
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

// run runs a program in dir and returns its trimmed output.
func run(t testing.TB, dir string, args ...string) string {
	t.Helper()
	cmd := exec.Command(args[0], args[1:]...)
	cmd.Dir = dir
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%s: %v\n%s", cmd, err, stderr.String())
	}
	return strings.TrimSpace(string(out))
}
