package purge_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"agentflow/app/api"
	"agentflow/app/forget"
	"agentflow/app/list"
	"agentflow/app/purge"
	"agentflow/app/search"
	"agentflow/internal/extract"
	"agentflow/internal/testing/apptest"
	"agentflow/writeback"
)

// TestKilledPurgeIsFinished checks that the next command finishes a purge that was killed at its beginning, or after
// memory and the log had lost the text.
func TestKilledPurgeIsFinished(t *testing.T) {
	for _, logged := range []bool{false, true} {
		p := apptest.NewRepository(t)
		m := p.Memory()
		id := apptest.Remembered(t, m, "The okapi sleeps in the vault.")
		apptest.Must(search.Search(t.Context(), m, search.SearchRequest{Text: "okapi", Limit: 5}))(t)
		s := apptest.Must(m.Silent().OpenExisting(t.Context()))(t)
		if err := purge.BeginPurge(s, []string{id}); err != nil {
			t.Fatal(err)
		}
		if logged {
			apptest.Must(s.Store.Purge(t.Context(), []string{id}, writeback.Traces{}))(t)
		}
		if marks := p.Marks("okapi"); len(marks) == 0 {
			t.Fatal("the text is nowhere before the next command")
		}
		apptest.Must(list.List(t.Context(), m, list.Request{}))(t)
		if left := p.Marks("okapi"); len(left) > 0 || purge.IsThere(purge.PurgingFile(s)) {
			t.Errorf("logged %v: left in %q", logged, left)
		}
	}
}

// TestPurgeNamesWhatItCannotReach checks that the plan lists the files that quote the text, and the result the other
// places that may hold it, each with a reason and a remedy.
func TestPurgeNamesWhatItCannotReach(t *testing.T) {
	p := apptest.NewRepository(t)
	m := p.Memory()
	id := apptest.Remembered(t, m, "The okapi sleeps in the vault.")
	apptest.Remembered(t, m, "Repeat: The okapi sleeps in the vault. Always.")
	s := apptest.Must(m.Silent().OpenExisting(t.Context()))(t)
	p.Write(".git/agentflow/a-new-kind/of/file.log", `{"said":"The okapi sleeps in the vault."}`)
	p.Write(".agentflow/config.toml", "# The okapi sleeps in the vault.\n")
	plan := apptest.Must(forget.PlanForget(t.Context(), m, forget.Request{IDs: []string{id}, Purge: true}))(t)
	if !slices.ContainsFunc(plan.Quoting, func(path string) bool { return strings.HasSuffix(path, "file.log") }) {
		t.Errorf("the plan names %q", plan.Quoting)
	}
	if text := p.Read(".git/agentflow/a-new-kind/of/file.log"); !strings.Contains(text, "okapi") {
		t.Error("the plan changed a file")
	}
	done := apptest.Must(forget.ApplyForget(t.Context(), m, plan))(t).Forgotten
	if text := p.Read(".git/agentflow/a-new-kind/of/file.log"); strings.Contains(text, "okapi") || len(done.Cleaned) == 0 {
		t.Errorf("the file holds %s, cleaned %q", text, done.Cleaned)
	}
	for _, want := range []string{"memory/2", s.ConfigFile(), "backups"} {
		i := slices.IndexFunc(done.Left, func(u api.Unreached) bool { return strings.HasPrefix(u.Place, want) })
		if i < 0 || done.Left[i].Why == "" || done.Left[i].Remedy == "" {
			t.Errorf("%s is not named in %+v", want, done.Left)
		}
	}
	if !strings.Contains(p.Read(".agentflow/config.toml"), "okapi") {
		t.Error("the user's settings were changed")
	}
}

// TestPurgedTagIsNoFact checks that overwritten text in the words of a session does not become a fact when its segment
// ends.
func TestPurgedTagIsNoFact(t *testing.T) {
	facts, _ := extract.Tagged([]string{"<save_memory>" + strings.Repeat("*", 30) + "</save_memory>"}, "", time.Now())
	if len(facts) > 0 {
		t.Errorf("%+v", facts)
	}
}
