package fact_test

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"

	"agentflow/app"
	"agentflow/app/fact"
	"agentflow/app/open"
	"agentflow/internal/testing/apptest"
	"agentflow/memory"
)

func TestRemember(t *testing.T) {
	p := apptest.NewRepository(t)
	m := p.Memory()
	text, share, key := "The parser is slow. password=hunter2hunter2", 0.9, "parser"
	done, err := fact.Remember(t.Context(), m, fact.RememberRequest{Change: fact.Change{Text: &text, Importance: &share, Key: &key}})
	if err != nil || !done.Redacted || done.Fact.Importance != share || done.Fact.Type != memory.Semantic || done.Fact.Existing || len(done.Degraded) > 0 {
		t.Fatalf("%+v, %v", done, err)
	}
	if content := apptest.MemoryText(t, p.Repo); !strings.Contains(content, "The parser is slow.") || strings.Contains(content, "hunter2") {
		t.Errorf("memory holds\n%s", content)
	}
	text = "The parser is fast."
	again, err := fact.Remember(t.Context(), m, fact.RememberRequest{Change: fact.Change{Text: &text, Key: &key}})
	if err != nil || len(again.SameKey) != 1 || again.SameKey[0].ID != done.Fact.ID {
		t.Errorf("another value of the key: %+v, %v", again, err)
	}
	text = "The parser is very fast."
	next, err := fact.Remember(t.Context(), m, fact.RememberRequest{Change: fact.Change{Text: &text}, Supersedes: again.Fact.ID})
	if err != nil || next.Struck != again.Fact.ID || next.Fact.Key != key {
		t.Errorf("the replacement: %+v, %v", next, err)
	}
}

func TestRememberErrors(t *testing.T) {
	m := apptest.NewRepository(t).Memory()
	old := apptest.Remembered(t, m, "We deploy on Mondays.")
	text, empty, share, place := "We deploy on Tuesdays.", " ", 1.5, "nowhere"
	ask := func(req fact.RememberRequest) error {
		_, err := fact.Remember(t.Context(), m, req)
		return err
	}
	apptest.WantKind(t, ask(fact.RememberRequest{}), app.KindUsage)
	apptest.WantKind(t, ask(fact.RememberRequest{Change: fact.Change{Text: &empty}}), app.KindUsage)
	apptest.WantKind(t, ask(fact.RememberRequest{Change: fact.Change{Text: &text, Importance: &share}}), app.KindUsage)
	apptest.WantKind(t, ask(fact.RememberRequest{Change: fact.Change{Text: &text, Namespace: &place}}), app.KindUsage)
	apptest.WantKind(t, ask(fact.RememberRequest{Change: fact.Change{Text: &text}, Supersedes: "abc"}), app.KindUsage)
	apptest.WantKind(t, ask(fact.RememberRequest{Change: fact.Change{Text: &text}, Supersedes: "ffffff"}), app.KindNotFound)
	if err := ask(fact.RememberRequest{Change: fact.Change{Text: &text}, Supersedes: old}); err != nil {
		t.Fatal(err)
	}
	apptest.WantKind(t, ask(fact.RememberRequest{Change: fact.Change{Text: &text}, Supersedes: old}), app.KindRefused)
	nowhere := apptest.NewFolder(t).Memory()
	_, err := fact.Remember(t.Context(), nowhere, fact.RememberRequest{Change: fact.Change{Text: &text}})
	apptest.WantKind(t, err, app.KindNoPlace)
}

// Sixteen goroutines that remember the same fact at once make one fact, with and without a replaced fact.
func TestRememberAtOnce(t *testing.T) {
	p := apptest.NewRepository(t)
	m := p.Memory()
	old := apptest.Remembered(t, m, "We deploy on Mondays.")
	for text, older := range map[string]string{"The build needs Go 1.25.": "", "We deploy on Tuesdays.": old} {
		var all sync.WaitGroup
		results := make([]fact.RememberResult, 16)
		for i := range results {
			all.Go(func() {
				var err error
				results[i], err = fact.Remember(t.Context(), m, fact.RememberRequest{Change: fact.Change{Text: &text}, Supersedes: older})
				if err != nil && (older == "" || app.AsError(err).Kind != app.KindRefused) {
					t.Error(err)
				}
			})
		}
		all.Wait()
		if n := strings.Count(apptest.MemoryText(t, p.Repo), text); n != 1 {
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
		m, err := open.Open(t.Context(), dir, app.Env{Vars: os.Environ()})
		if err != nil {
			t.Fatal(err)
		}
		fmt.Println("ready")
		io.Copy(io.Discard, os.Stdin)
		for n := range texts {
			apptest.Remembered(t, m, fmt.Sprintf("Fact number %d.", n))
		}
		return
	}
	p := apptest.NewRepository(t)
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
	content := apptest.MemoryText(t, p.Repo)
	for n := range texts {
		if text := fmt.Sprintf("Fact number %d.", n); strings.Count(content, text) != 1 {
			t.Errorf("%q stands %d times", text, strings.Count(content, text))
		}
	}
}
