package app

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"agentflow/memory"
)

func TestRemember(t *testing.T) {
	p := newRepository(t)
	m := p.memory()
	text, share, key := "The parser is slow. password=hunter2hunter2", 0.9, "parser"
	done, err := Remember(t.Context(), m, RememberRequest{FactChange: FactChange{Text: &text, Importance: &share, Key: &key}})
	if err != nil || !done.Redacted || done.Fact.Importance != share || done.Fact.Type != memory.Semantic || done.Fact.Existing || len(done.Degraded) > 0 {
		t.Fatalf("%+v, %v", done, err)
	}
	if content := memoryText(t, p.Repo); !strings.Contains(content, "The parser is slow.") || strings.Contains(content, "hunter2") {
		t.Errorf("memory holds\n%s", content)
	}
	text = "The parser is fast."
	again, err := Remember(t.Context(), m, RememberRequest{FactChange: FactChange{Text: &text, Key: &key}})
	if err != nil || len(again.SameKey) != 1 || again.SameKey[0].ID != done.Fact.ID {
		t.Errorf("another value of the key: %+v, %v", again, err)
	}
	text = "The parser is very fast."
	next, err := Remember(t.Context(), m, RememberRequest{FactChange: FactChange{Text: &text}, Supersedes: again.Fact.ID})
	if err != nil || next.Struck != again.Fact.ID || next.Fact.Key != key {
		t.Errorf("the replacement: %+v, %v", next, err)
	}
}

func TestRememberErrors(t *testing.T) {
	m := newRepository(t).memory()
	old := remembered(t, m, "We deploy on Mondays.")
	text, empty, share, place := "We deploy on Tuesdays.", " ", 1.5, "nowhere"
	ask := func(req RememberRequest) error {
		_, err := Remember(t.Context(), m, req)
		return err
	}
	wantKind(t, ask(RememberRequest{}), KindUsage)
	wantKind(t, ask(RememberRequest{FactChange: FactChange{Text: &empty}}), KindUsage)
	wantKind(t, ask(RememberRequest{FactChange: FactChange{Text: &text, Importance: &share}}), KindUsage)
	wantKind(t, ask(RememberRequest{FactChange: FactChange{Text: &text, Namespace: &place}}), KindUsage)
	wantKind(t, ask(RememberRequest{FactChange: FactChange{Text: &text}, Supersedes: "abc"}), KindUsage)
	wantKind(t, ask(RememberRequest{FactChange: FactChange{Text: &text}, Supersedes: "ffffff"}), KindNotFound)
	if err := ask(RememberRequest{FactChange: FactChange{Text: &text}, Supersedes: old}); err != nil {
		t.Fatal(err)
	}
	wantKind(t, ask(RememberRequest{FactChange: FactChange{Text: &text}, Supersedes: old}), KindRefused)
	nowhere := newFolder(t).memory()
	_, err := Remember(t.Context(), nowhere, RememberRequest{FactChange: FactChange{Text: &text}})
	wantKind(t, err, KindNoPlace)
}

// Sixteen goroutines that remember the same fact at once make one fact, with and without a replaced fact.
func TestRememberAtOnce(t *testing.T) {
	p := newRepository(t)
	m := p.memory()
	old := remembered(t, m, "We deploy on Mondays.")
	for text, older := range map[string]string{"The build needs Go 1.25.": "", "We deploy on Tuesdays.": old} {
		var all sync.WaitGroup
		results := make([]RememberResult, 16)
		for i := range results {
			all.Go(func() {
				var err error
				results[i], err = Remember(t.Context(), m, RememberRequest{FactChange: FactChange{Text: &text}, Supersedes: older})
				if err != nil && (older == "" || AsError(err).Kind != KindRefused) {
					t.Error(err)
				}
			})
		}
		all.Wait()
		if n := strings.Count(memoryText(t, p.Repo), text); n != 1 {
			t.Errorf("%q stands %d times", text, n)
		}
		written, ids := 0, map[string]bool{}
		for _, r := range results {
			if r.Fact.ID != "" {
				ids[r.Fact.ID] = true
				if !r.Fact.Existing {
					written++
				}
			}
		}
		if written != 1 || len(ids) != 1 {
			t.Errorf("%q: %d were told that they wrote it, with %d ids", text, written, len(ids))
		}
	}
}

// Four processes that remember the same fact at once make one fact.
func TestRememberInProcessesAtOnce(t *testing.T) {
	const inFolder, texts = "AGENTFLOW_TEST_REMEMBER_IN", 8
	if dir := os.Getenv(inFolder); dir != "" {
		m, err := Open(t.Context(), dir, Env{Vars: os.Environ()})
		if err != nil {
			t.Fatal(err)
		}
		fmt.Println("ready")
		io.Copy(io.Discard, os.Stdin)
		for n := range texts {
			remembered(t, m, fmt.Sprintf("Fact number %d.", n))
		}
		return
	}
	p := newRepository(t)
	var begin []io.Closer
	var children []*exec.Cmd
	for range 4 {
		cmd := exec.Command(os.Args[0], "-test.run=^"+t.Name()+"$")
		cmd.Env, cmd.Stderr = append(p.Env, inFolder+"="+p.Repo), os.Stderr
		in, err := cmd.StdinPipe()
		if err != nil {
			t.Fatal(err)
		}
		out, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		if line, _ := bufio.NewReader(out).ReadString('\n'); line != "ready\n" {
			t.Fatalf("a process said %q", line)
		}
		begin, children = append(begin, in), append(children, cmd)
	}
	for _, in := range begin {
		in.Close()
	}
	for _, cmd := range children {
		if err := cmd.Wait(); err != nil {
			t.Error(err)
		}
	}
	content := memoryText(t, p.Repo)
	for n := range texts {
		if text := fmt.Sprintf("Fact number %d.", n); strings.Count(content, text) != 1 {
			t.Errorf("%q stands %d times", text, strings.Count(content, text))
		}
	}
}

// remembered stores a fact and returns its id.
func remembered(t testing.TB, m *Memory, text string) string {
	t.Helper()
	done, err := Remember(t.Context(), m, RememberRequest{FactChange: FactChange{Text: &text}})
	if err != nil {
		t.Fatal(err)
	}
	return done.Fact.ID
}

// memoryText returns the content of the Markdown files of the repository's memory.
func memoryText(t testing.TB, dir string) string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, ".agentflow/memory/*.md"))
	if err != nil {
		t.Fatal(err)
	}
	var all strings.Builder
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		all.Write(data)
	}
	return all.String()
}
