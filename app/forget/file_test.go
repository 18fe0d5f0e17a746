package forget_test

import (
	"os"
	"testing"
	"time"

	"agentflow/app"
	"agentflow/app/fact"
	"agentflow/app/forget"
	"agentflow/app/list"
	"agentflow/app/run"
	"agentflow/app/search"
	"agentflow/internal/memorytool"
	"agentflow/internal/testing/apptest"
	"agentflow/memory"
)

// TestPurgeOfANote checks that the current and the earlier text of a note leave every file of AgentFlow: Markdown, log,
// checkpoint, kept changes, index, conversations and the folders of runs.
func TestPurgeOfANote(t *testing.T) {
	const secret, older = "the vault opens with zanzibarium", "the cellar opens with quokkadust"
	u := apptest.NewToolUser(t)
	u.Do(apptest.Create("/memories/keep.txt", "the port of the database is 5432\n"))
	u.Do(apptest.Create("/memories/draft.txt", "qz7wk\n"))
	for _, step := range [][2]string{{"qz7wk", "qz8wk"}, {"qz8wk", older}, {older, secret}} {
		u.Do(apptest.Replace("/memories/draft.txt", step[0], step[1]))
	}
	u.Do(apptest.Rename("/memories/draft.txt", "/memories/deep/vault.txt"))
	apptest.Must(search.Search(t.Context(), u.M, search.SearchRequest{Text: "zanzibarium", Limit: 3}))(t)
	messages := []byte(`[{"role":"assistant","content":[{"type":"tool_use","id":"t","name":"memory","input":{"command":"str_replace","path":"/memories/deep/vault.txt","old_str":"zanzibarium","new_str":"x"}}]}]`)
	const id = "01990000-0000-7000-8000-00000000000c"
	apptest.Must(run.KeepConversation(t.Context(), u.M, run.Conversation{ID: id, Updated: time.Now(), Messages: messages}, time.Time{}))(t)
	u.Write(".git/agentflow/runs/r/events.jsonl", `{"text":"view says      1\t`+secret+`"}`+"\n")
	u.Forget(true, "memory/notes/deep/vault.txt.md:1-2")
	for _, text := range []string{"zanzibarium", "quokkadust", "qz7wk", "qz8wk"} {
		u.Nowhere(text)
	}
	if u.Exists(".agentflow/memory/notes/deep") || u.Note("keep.txt.md") == "" {
		t.Error("another file went, or the folder stayed")
	}
	if lost := apptest.Must(forget.Lost(t.Context(), u.M))(t).Lost; len(lost) != 0 {
		t.Errorf("lost are %+v", lost)
	}
	// A new file of that name is an ordinary file.
	u.Do(apptest.Create("/memories/deep/vault.txt", "anew\n"))
	u.Do(apptest.OnPath(memorytool.Delete, "/memories/deep/vault.txt"))
	apptest.Must(forget.Restore(t.Context(), u.M, forget.RestoreRequest{IDs: []string{memory.WholeFile("notes/deep/vault.txt.md")}}))(t)
	if u.Note("deep/vault.txt.md") != "anew\n" {
		t.Errorf("restored is %q", u.Note("deep/vault.txt.md"))
	}
}

// TestPurgeOfADeletedNote checks that a note that an agent or a person deleted can still be purged by its name.
func TestPurgeOfADeletedNote(t *testing.T) {
	u := apptest.NewToolUser(t)
	for _, name := range []string{"agent", "Person"} {
		u.Do(apptest.Create("/memories/"+name+".txt", "it is the zanzibarium of "+name+"\n"))
	}
	u.Do(apptest.OnPath(memorytool.Delete, "/memories/agent.txt"))
	if err := os.Remove(u.Path(".agentflow/memory/notes/Person.txt.md")); err != nil {
		t.Fatal(err)
	}
	u.Forget(true, "notes/agent.txt.md", "file:notes/Person.txt.md")
	u.Nowhere("zanzibarium")
}

// TestForgetOfAFile checks that forgetting a file without purge can be reversed, and that it is refused if the file
// changed since the plan, if it holds facts, and to an agent.
func TestForgetOfAFile(t *testing.T) {
	u := apptest.NewToolUser(t)
	u.Do(apptest.Create("/memories/d/a.md", "one\n"))
	u.Write(".agentflow/memory/byhand.md", "# Mine\n\nwords\n")
	plan := apptest.Must(forget.PlanForget(t.Context(), u.M, forget.Request{IDs: []string{"memory/notes/d/a.md"}}))(t)
	u.Write(".agentflow/memory/notes/d/a.md", "two\n")
	_, err := forget.ApplyForget(t.Context(), u.M, plan)
	apptest.WantKind(t, err, app.KindRefused)
	u.Forget(false, "memory/notes/d/a.md", "memory/byhand.md")
	if u.Exists(".agentflow/memory/notes/d") || u.Exists(".agentflow/memory/byhand.md") {
		t.Error("the files stand still")
	}
	apptest.Must(forget.Restore(t.Context(), u.M, forget.RestoreRequest{IDs: []string{"file:notes/d/a.md", "file:byhand.md"}}))(t)
	if u.Note("d/a.md") != "two\n" || u.Read(".agentflow/memory/byhand.md") != "# Mine\n\nwords\n" {
		t.Errorf("restored are %q and %q", u.Note("d/a.md"), u.Read(".agentflow/memory/byhand.md"))
	}
	apptest.Must(fact.Remember(t.Context(), u.M, fact.RememberRequest{Change: fact.Change{Text: new("the port is 5432")}}))(t)
	_, err = forget.PlanForget(t.Context(), u.M, forget.Request{IDs: []string{apptest.Must(list.List(t.Context(), u.M, list.Request{}))(t).Facts[0].File}})
	apptest.WantKind(t, err, app.KindRefused)
	_, err = forget.PlanForget(t.Context(), u.M, forget.Request{IDs: []string{"memory/none.md"}})
	apptest.WantKind(t, err, app.KindNotFound)
	_, err = forget.PlanForget(t.Context(), u.M, forget.Request{IDs: []string{"memory/../../src/a.md"}})
	apptest.WantKind(t, err, app.KindNotFound)
	_, err = u.Agent.Forget(t.Context(), "memory/notes/d/a.md")
	apptest.WantKind(t, err, app.KindRefused)
}
