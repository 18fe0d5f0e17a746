package setup_test

import (
	"testing"

	"agentflow/app"
	"agentflow/app/api"
	"agentflow/app/commit"
	"agentflow/app/eval"
	"agentflow/app/setup"
	"agentflow/internal/testing/apptest"
)

func TestStatusAndDoctor(t *testing.T) {
	p := apptest.NewRepository(t)
	m := p.Memory()
	none, err := setup.Status(t.Context(), m, setup.StatusRequest{})
	if err != nil || none.Status.Index.State != "absent" {
		t.Errorf("without memory: %+v, %v", none, err)
	}
	p.Write("../home/config/agentflow/config.toml", "[agent]\ndefault = \"command\"\n")
	checks := func() map[string]api.Grade {
		t.Helper()
		found, err := setup.Doctor(t.Context(), m)
		if err != nil {
			t.Fatal(err)
		}
		grades := map[string]api.Grade{}
		for _, c := range found.Checks {
			grades[c.Name] = c.Grade
		}
		return grades
	}
	if grades := checks(); grades["place"] != api.GradeOK || grades["agent"] != api.GradeOK || grades["entries"] != api.GradeOK {
		t.Errorf("before there is a memory: %v", grades)
	}
	if _, err := commit.Backfill(t.Context(), m, commit.BackfillRequest{}); err != nil {
		t.Fatal(err)
	}
	p.Write(".git/agentflow/failures.jsonl", `{"time": "2026-01-01T00:00:00Z", "verb": "index", "what": "the disk was full"}`+"\n")
	found, err := setup.Status(t.Context(), m, setup.StatusRequest{})
	o := found.Status
	if err != nil || !found.InGit || o.Commits != 1 || o.Runs != 0 || o.LastRun != nil || o.Index.Entries != 1 || len(o.Failures) != 1 || o.Failures[0].Command != "index" {
		t.Errorf("%+v, %v", found, err)
	}
	if grades := checks(); grades["index"] != api.GradeOK || grades["failures"] != api.GradeWarn {
		t.Errorf("%v", grades)
	}
	p.Write("../home/config/agentflow/config.toml", "[agent]\ndefault = \"nobody\"\n")
	if grades := checks(); grades["agent"] != api.GradeFail {
		t.Errorf("an agent that there is not: %v", grades)
	}
}

func TestEval(t *testing.T) {
	p := apptest.NewRepository(t)
	p.Write(".agentflow/memory/release.md", "# Releases\n\nAnn tags releases with the okapi script.\n")
	p.Write("../questions.jsonl", `{"question": "who tags releases?", "answers": ["release.md:3"]}`+"\n")
	m := p.Memory()
	req := eval.QueriesRequest{Questions: p.Repo + "/../questions.jsonl", Provider: "none", K: 5}
	if f, err := eval.Queries(t.Context(), m, req); err != nil || f.Answered != 1 || f.Ungated.MRR != 1 {
		t.Errorf("%+v, %v", f, err)
	}
	req.K = 0
	_, err := eval.Queries(t.Context(), m, req)
	apptest.WantKind(t, err, app.KindUsage)
	_, err = eval.Cochange(t.Context(), m, eval.CochangeRequest{Repository: p.Repo, Logs: []string{"a"}, Last: 1, K: 1})
	apptest.WantKind(t, err, app.KindUsage)
	_, err = eval.Cochange(t.Context(), apptest.NewFolder(t).Memory(), eval.CochangeRequest{Provider: "none", Last: 1, K: 1})
	apptest.WantKind(t, err, app.KindNoPlace)
}
