package app

import (
	"slices"
	"strings"
	"testing"
	"time"

	"agentflow/api"
	"agentflow/extract"
	"agentflow/writeback"
)

// purge forgets an id for good, as the command does.
func purge(t *testing.T, m *Memory, id string) api.Forgotten {
	t.Helper()
	plan := must(PlanForget(t.Context(), m, ForgetRequest{IDs: []string{id}, Purge: true}))(t)
	return must(ApplyForget(t.Context(), m, plan))(t).Forgotten
}

// TestKilledPurgeIsFinished checks that the next command finishes a purge that was killed at its beginning, or after
// memory and the log had lost the text.
func TestKilledPurgeIsFinished(t *testing.T) {
	for _, logged := range []bool{false, true} {
		p := newRepository(t)
		m := p.memory()
		id := remembered(t, m, "The okapi sleeps in the vault.")
		must(Search(t.Context(), m, SearchRequest{Text: "okapi", Limit: 5}))(t)
		s := must(m.silent().openExisting(t.Context()))(t)
		if err := beginPurge(s, []string{id}); err != nil {
			t.Fatal(err)
		}
		if logged {
			must(s.store.Purge(t.Context(), []string{id}, writeback.Traces{}))(t)
		}
		if marks := p.marks("okapi"); len(marks) == 0 {
			t.Fatal("the text is nowhere before the next command")
		}
		must(List(t.Context(), m, ListRequest{}))(t)
		if left := p.marks("okapi"); len(left) > 0 || isThere(purgingFile(s)) {
			t.Errorf("logged %v: left in %q", logged, left)
		}
	}
}

// marks lists the files of the home and the repository that hold a text, except those of the work tree.
func (p *place) marks(text string) (list []string) {
	p.T.Helper()
	for _, dir := range []string{p.Home, p.Path(".git"), p.Path(".agentflow")} {
		for path, content := range texts(p.T.(*testing.T), dir) {
			if strings.Contains(strings.ToLower(content), text) {
				list = append(list, path)
			}
		}
	}
	slices.Sort(list)
	return list
}

// TestPurgeNamesWhatItCannotReach checks that the plan lists the files that quote the text, and the result the other
// places that may hold it, each with a reason and a remedy.
func TestPurgeNamesWhatItCannotReach(t *testing.T) {
	p := newRepository(t)
	m := p.memory()
	id := remembered(t, m, "The okapi sleeps in the vault.")
	remembered(t, m, "Repeat: The okapi sleeps in the vault. Always.")
	s := must(m.silent().openExisting(t.Context()))(t)
	p.Write(".git/agentflow/a-new-kind/of/file.log", `{"said":"The okapi sleeps in the vault."}`)
	p.Write(".agentflow/config.toml", "# The okapi sleeps in the vault.\n")
	plan := must(PlanForget(t.Context(), m, ForgetRequest{IDs: []string{id}, Purge: true}))(t)
	if !slices.ContainsFunc(plan.Quoting, func(path string) bool { return strings.HasSuffix(path, "file.log") }) {
		t.Errorf("the plan names %q", plan.Quoting)
	}
	if text := p.Read(".git/agentflow/a-new-kind/of/file.log"); !strings.Contains(text, "okapi") {
		t.Error("the plan changed a file")
	}
	done := must(ApplyForget(t.Context(), m, plan))(t).Forgotten
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
