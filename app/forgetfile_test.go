package app

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"agentflow/memory"
	"agentflow/memorytool"
)

// forget takes the items that refs name out of memory.
func (u *toolUser) forget(purge bool, refs ...string) {
	u.T.Helper()
	plan := must(PlanForget(u.T.Context(), u.m, ForgetRequest{IDs: refs, Purge: purge}))(u.T)
	must(ApplyForget(u.T.Context(), u.m, plan))(u.T)
}

// nowhere requires that no file of the repository holds a text.
func (u *toolUser) nowhere(text string) {
	u.T.Helper()
	err := filepath.WalkDir(u.Repo, func(path string, item fs.DirEntry, err error) error {
		if err != nil || !item.Type().IsRegular() {
			return err
		}
		data, err := os.ReadFile(path)
		if bytes.Contains(data, []byte(text)) || strings.Contains(path, text) {
			u.T.Errorf("%s holds %q", path, text)
		}
		return err
	})
	if err != nil {
		u.T.Fatal(err)
	}
}

// TestPurgeOfANote checks that the current and the earlier text of a note leave every file of AgentFlow: Markdown, log,
// checkpoint, kept changes, index, conversations and the folders of runs.
func TestPurgeOfANote(t *testing.T) {
	const secret, older = "the vault opens with zanzibarium", "the cellar opens with quokkadust"
	u := newToolUser(t)
	u.do(create("/memories/keep.txt", "the port of the database is 5432\n"))
	u.do(create("/memories/draft.txt", "qz7wk\n"))
	for _, step := range [][2]string{{"qz7wk", "qz8wk"}, {"qz8wk", older}, {older, secret}} {
		u.do(replace("/memories/draft.txt", step[0], step[1]))
	}
	u.do(rename("/memories/draft.txt", "/memories/deep/vault.txt"))
	must(Search(t.Context(), u.m, SearchRequest{Text: "zanzibarium", Limit: 3}))(t)
	messages := []byte(`[{"role":"assistant","content":[{"type":"tool_use","id":"t","name":"memory","input":{"command":"str_replace","path":"/memories/deep/vault.txt","old_str":"zanzibarium","new_str":"x"}}]}]`)
	const id = "01990000-0000-7000-8000-00000000000c"
	must(KeepConversation(t.Context(), u.m, Conversation{ID: id, Updated: time.Now(), Messages: messages}, time.Time{}))(t)
	u.Write(".git/agentflow/runs/r/events.jsonl", `{"text":"view says      1\t`+secret+`"}`+"\n")
	u.forget(true, "memory/notes/deep/vault.txt.md:1-2")
	for _, text := range []string{"zanzibarium", "quokkadust", "qz7wk", "qz8wk"} {
		u.nowhere(text)
	}
	if u.Exists(".agentflow/memory/notes/deep") || u.note("keep.txt.md") == "" {
		t.Error("another file went, or the folder stayed")
	}
	if lost := must(Lost(t.Context(), u.m))(t).Lost; len(lost) != 0 {
		t.Errorf("lost are %+v", lost)
	}
	// A new file of that name is an ordinary file.
	u.do(create("/memories/deep/vault.txt", "anew\n"))
	u.do(onPath(memorytool.Delete, "/memories/deep/vault.txt"))
	must(Restore(t.Context(), u.m, RestoreRequest{IDs: []string{memory.WholeFile("notes/deep/vault.txt.md")}}))(t)
	if u.note("deep/vault.txt.md") != "anew\n" {
		t.Errorf("restored is %q", u.note("deep/vault.txt.md"))
	}
}

// TestPurgeOfADeletedNote checks that a note that an agent or a person deleted can still be purged by its name.
func TestPurgeOfADeletedNote(t *testing.T) {
	u := newToolUser(t)
	for _, name := range []string{"agent", "Person"} {
		u.do(create("/memories/"+name+".txt", "it is the zanzibarium of "+name+"\n"))
	}
	u.do(onPath(memorytool.Delete, "/memories/agent.txt"))
	if err := os.Remove(u.Path(".agentflow/memory/notes/Person.txt.md")); err != nil {
		t.Fatal(err)
	}
	u.forget(true, "notes/agent.txt.md", "file:notes/Person.txt.md")
	u.nowhere("zanzibarium")
}

// TestForgetOfAFile checks that forgetting a file without purge can be reversed, and that it is refused if the file
// changed since the plan, if it holds facts, and to an agent.
func TestForgetOfAFile(t *testing.T) {
	u := newToolUser(t)
	u.do(create("/memories/d/a.md", "one\n"))
	u.Write(".agentflow/memory/byhand.md", "# Mine\n\nwords\n")
	plan := must(PlanForget(t.Context(), u.m, ForgetRequest{IDs: []string{"memory/notes/d/a.md"}}))(t)
	u.Write(".agentflow/memory/notes/d/a.md", "two\n")
	_, err := ApplyForget(t.Context(), u.m, plan)
	wantKind(t, err, KindRefused)
	u.forget(false, "memory/notes/d/a.md", "memory/byhand.md")
	if u.Exists(".agentflow/memory/notes/d") || u.Exists(".agentflow/memory/byhand.md") {
		t.Error("the files stand still")
	}
	must(Restore(t.Context(), u.m, RestoreRequest{IDs: []string{"file:notes/d/a.md", "file:byhand.md"}}))(t)
	if u.note("d/a.md") != "two\n" || u.Read(".agentflow/memory/byhand.md") != "# Mine\n\nwords\n" {
		t.Errorf("restored are %q and %q", u.note("d/a.md"), u.Read(".agentflow/memory/byhand.md"))
	}
	must(Remember(t.Context(), u.m, RememberRequest{FactChange: FactChange{Text: new("the port is 5432")}}))(t)
	_, err = PlanForget(t.Context(), u.m, ForgetRequest{IDs: []string{must(List(t.Context(), u.m, ListRequest{}))(t).Facts[0].File}})
	wantKind(t, err, KindRefused)
	_, err = PlanForget(t.Context(), u.m, ForgetRequest{IDs: []string{"memory/none.md"}})
	wantKind(t, err, KindNotFound)
	_, err = PlanForget(t.Context(), u.m, ForgetRequest{IDs: []string{"memory/../../src/a.md"}})
	wantKind(t, err, KindNotFound)
	_, err = u.agent.Forget(t.Context(), "memory/notes/d/a.md")
	wantKind(t, err, KindRefused)
}
