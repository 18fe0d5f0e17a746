package list_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"agentflow/app"
	"agentflow/app/fact"
	applist "agentflow/app/list"
	"agentflow/app/run"
	"agentflow/app/setup"
	"agentflow/internal/testing/apptest"
)

func TestTrends(t *testing.T) {
	p := apptest.NewRepository(t)
	m := p.Memory()
	apptest.RunNow(t, m, "Write a poem", "echo rose >poem; echo '<save_memory tags=\"flowers\">Roses are red</save_memory>'")
	if _, err := run.Run(t.Context(), m, apptest.ShellAgent("Fail", "exit 3")); err != nil {
		t.Fatal(err)
	}
	kept := apptest.Must(fact.Remember(t.Context(), m, fact.RememberRequest{Change: fact.Change{Text: new("Okapis are shy"), Tags: &[]string{"animals"}}}))(t)
	apptest.Must(fact.Pin(t.Context(), m, fact.PinRequest{IDs: []string{kept.Fact.ID}, Pinned: true}))(t)
	p.Write(".agentflow/memory/2020-01-02.md", "# 2020-01-02\n\n- Long ago.\n- ~~Not true.~~\n")
	p.Write(".agentflow/memory/MEMORY.md", "# Memory\n\n- By hand.\n")
	check := func(what string, holding int) applist.TrendsResult {
		t.Helper()
		res := apptest.Must(applist.Trends(t.Context(), m, applist.TrendsRequest{Days: 3}))(t)
		list := apptest.Must(applist.List(t.Context(), m, applist.Request{}))(t)
		status := apptest.Must(setup.Status(t.Context(), m, setup.StatusRequest{}))(t).Status
		if res.Holding != holding || res.Holding != list.Total || res.Runs != status.Runs || res.Notes != status.Notes || res.Commits != status.Commits || len(res.Degraded) > 0 {
			t.Errorf("%s: %+v, and %d facts are listed", what, res, list.Total)
		}
		return res
	}
	res := check("at first", 3)
	today := res.Days[2]
	if today.Runs != 2 || today.Failed != 1 || today.Facts != 3 || res.Days[0].Facts != 1 || res.Pinned != 1 || res.Tags["animals"] != 1 || res.MemoryMD.Lines != 3 || res.Bytes == 0 {
		t.Errorf("%+v", res)
	}
	file := filepath.Join(p.Repo, ".agentflow/memory/MEMORY.md")
	p.Write(file, "# Memory\n\n- By hand.\n- And more.\n")
	check("after an edit", 4)
	if err := os.Chtimes(file, time.Now(), time.Now().Add(-time.Hour)); err != nil {
		t.Fatal(err)
	}
	check("after time went by", 4)
	p.Write(file, "# Memory\n\n- By feet.\n- And more.\n") // asCaller long as before
	list := apptest.Must(applist.List(t.Context(), m, applist.Request{Words: []string{"feet"}}))(t)
	if list.Total != 1 {
		t.Errorf("an edit that keeps the size is not seen: %+v", list)
	}
	day := ".agentflow/" + apptest.Must(applist.List(t.Context(), m, applist.Request{Words: []string{"okapis"}}))(t).Facts[0].File
	p.Write(day, strings.ReplaceAll(p.Read(day), "Okapis", "Zebras"))
	if list = apptest.Must(applist.List(t.Context(), m, applist.Request{Words: []string{"zebras"}}))(t); list.Total != 1 || list.Facts[0].ID != kept.Fact.ID {
		t.Errorf("an edit of a day is not seen: %+v", list)
	}
	p.Remove(".agentflow/memory/2020-01-02.md")
	check("after a file went", 4)
	_, err := applist.Trends(t.Context(), m, applist.TrendsRequest{})
	apptest.WantKind(t, err, app.KindUsage)
}
