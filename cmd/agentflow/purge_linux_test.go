package main

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"agentflow/app/api"
	"agentflow/internal/memorytool"
	"agentflow/internal/testing/bytesearch"
	"agentflow/internal/testing/modeltest"
	"agentflow/internal/testing/sessiontest"
)

// TestPurgeOfEveryDoor: a text that came in every way there is, is purged by its ids. Then it
// is in no byte of the repository, the home, the remote and a colleague's clone, but in the
// files that the purge itself names, each with its reason.
func TestPurgeOfEveryDoor(t *testing.T) {
	ada, bob := newPurgeLab(t, "Ada"), newPurgeLab(t, "Bob")
	remote := filepath.Join(t.TempDir(), "remote.git")
	ada.Git("init", "-q", "--bare", remote)
	for _, l := range []*purgeLab{ada, bob} {
		l.Git("remote", "add", "origin", remote)
		l.Agentflow("share", "--yes", "--what", "all")
	}
	ada.storeByCommands()
	ada.storeByServer()
	ada.storeByChat()
	transcript := ada.storeBySession()
	ada.Agentflow("sync")
	bob.Agentflow("sync")
	bob.Agentflow("run", "Who sleeps in the vault of the zoo?")
	bob.askInSession("Who sleeps in the vault of the zoo?")
	bob.askInSession("Who sleeps in the vault of the zoo?") // its folder keeps ids and no text
	if len(ada.marked(ada.Home, ada.Repo)) < 8 || !slices.ContainsFunc(bob.marked(bob.Repo), func(path string) bool { return strings.HasSuffix(path, "prompt.md") }) {
		t.Fatalf("the text is in %q and in %q: this test sees nothing", ada.marked(ada.Home, ada.Repo), bob.marked(bob.Repo))
	}

	var done api.Forgotten
	ada.JSON(&done, append([]string{"forget", "--purge", "--yes"}, ada.ids()...)...)
	ada.Agentflow("sync")
	bob.Agentflow("sync")
	ada.Git("-C", remote, "gc", "-q", "--prune=now")
	left := ada.marked(ada.Home, ada.Repo, remote, bob.Home, bob.Repo)
	want := []string{
		ada.Path("notes.md"),                    // a file of the user's, which was imported
		transcript,                              // the agent's own record of its session
		filepath.Join(ada.Home, "script.txtar"), // the agent's script of the test
	}
	slices.Sort(want)
	if !slices.Equal(left, want) {
		t.Errorf("the text is left in\n%s\nwant\n%s", strings.Join(left, "\n"), strings.Join(want, "\n"))
	}
	for _, place := range []string{transcript, "commits and files of your own", "the remote origin"} {
		if !slices.ContainsFunc(done.Left, func(u api.Unreached) bool { return strings.HasPrefix(u.Place, place) && u.Why != "" && u.Remedy != "" }) {
			t.Errorf("the purge does not name %s: %+v", place, done.Left)
		}
	}
}

// purgeLab is a repository with a text to purge, which has the word okapi.
type purgeLab struct{ *lab }

func newPurgeLab(t *testing.T, user string) *purgeLab {
	l := &purgeLab{newLab(t, "say Done.")}
	l.Git("config", "user.name", user)
	l.Settings("[share]\nauto = false\n")
	return l
}

func (l *purgeLab) storeByCommands() {
	l.T.Helper()
	l.Agentflow("remember", "The okapi sleeps in the vault of the zoo.")
	l.Agentflow("remember", "--namespace", "global", "My own okapi likes leaves from Kongo.")
	l.Agentflow("remember", "--namespace", "branch", "On this branch an okapi has stripes.")
	l.Write("notes.md", "# Notes\n\n- Imported: an okapi is related to the giraffe.\n")
	l.Agentflow("memory", "import", "notes.md")
	l.Script(`say "The keeper found that an okapi has a blue tongue."
say "<save_memory>Visitors must not feed any okapi at noon.</save_memory>"
write zoo.txt "An okapi in a file.\n"
sh "rm zoo.txt"
`)
	l.Agentflow("run", "Look where the okapi hides its food")
}

func (l *purgeLab) storeByServer() {
	l.T.Helper()
	s := l.serving()
	defer s.kill()
	web := httpDoor{s, "web"}
	text := "# Plan\n\nMove every okapi to the new stable.\n"
	tools := mcpDoor{l.T.(*testing.T), connectMCP(l.T, s.overHTTP())}
	for _, err := range []error{
		second(web.store("Posted: the okapi weighs 250 kilograms.")), web.note(memorytool.Command{Command: "create", Path: "/memories/plan.md", FileText: &text}),
		second(tools.store("Tools say that the okapi was described in 1901.")),
	} {
		if err != nil {
			l.T.Fatal(err)
		}
	}
}

func second(_ string, err error) error { return err }

func (l *purgeLab) storeByChat() {
	l.T.Helper()
	server := modeltest.New(l.T, modeltest.Script{Main: []modeltest.Turn{
		modeltest.Say("One moment.").Use("memory", map[string]any{"command": "create", "path": "/memories/chat.md", "file_text": "Chat: one okapi eats 20 kilograms a day.\n"}),
		modeltest.Say("I have noted it."),
	}})
	l.Settings(fmt.Sprintf("[chat]\nbase_url = %q\nkey_env = \"MY_KEY\"\n", server.URL))
	lab := l.With("MY_KEY=k")
	lab.Agentflow("chat", "what is it?")
}

func (l *purgeLab) storeBySession() (transcript string) {
	l.T.Helper()
	h := hooks{Lab: &l.Lab}
	p := sessiontest.New(&l.Lab, h.run)
	p.Start("startup")
	p.Turn("How tall does an okapi become in a zoo?", sessiontest.Write("tall.txt", "1.5 metres\n"), sessiontest.Say("The tallest okapi has 1.8 metres at the shoulder."))
	p.End("other")
	h.settle(l.T)
	return p.Transcript()
}

// askInSession has a session's hooks show memory for a question.
func (l *purgeLab) askInSession(question string) {
	l.T.Helper()
	h := hooks{Lab: &l.Lab}
	p := sessiontest.New(&l.Lab, h.run)
	p.Start("startup")
	p.Turn(question, sessiontest.Say("I do not know."))
	p.End("other")
	h.settle(l.T)
}

// ids returns the ids of all entries and facts with the text, and the files without ids.
func (l *purgeLab) ids() (ids []string) {
	l.T.Helper()
	var facts []struct{ ID, Text string }
	out := l.Agentflow("memory", "list", "--json", "-n", "0")
	if err := json.Unmarshal([]byte(out), &facts); err != nil {
		l.T.Fatalf("%v: %s", err, out)
	}
	for _, f := range facts {
		if strings.Contains(f.Text, "okapi") {
			ids = append(ids, f.ID)
		}
	}
	for _, r := range l.Runs() {
		ids = append(ids, r.ID)
	}
	return append(ids, "memory/notes/plan.md", "memory/notes/chat.md")
}

func (l *purgeLab) marked(folders ...string) []string {
	l.T.Helper()
	list, err := bytesearch.Find("okapi", folders...)
	if err != nil {
		l.T.Fatal(err)
	}
	slices.Sort(list)
	return list
}
