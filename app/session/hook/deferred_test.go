package hook

import (
	"os"
	"strings"
	"testing"
	"time"

	"agentflow/app/commit"
	. "agentflow/internal/testing/sessiontest"
)

const (
	deferredFile = ".git/agentflow/deferred.json"
	ofSession    = "session: Change it | | M walk.rs |"
)

// TestAPersonCommitsOpenWork: the commit of what an open session wrote gets no entry next to the
// session's. A commit with something else gets one.
func TestAPersonCommitsOpenWork(t *testing.T) {
	commits := func(l *lab, p *Player) { l.person("git commit -qam '2 is shorter'") }
	for name, c := range map[string]struct {
		person func(l *lab, p *Player)
		open   []string // the entries while the session is open
		want   []string
	}{
		"its work": {commits, nil, []string{ofSession}},
		"the work of another name": {func(l *lab, p *Player) {
			l.person("echo mine >mine; git add mine; git commit -qm mine mine")
			commits(l, p)
		},
			[]string{"commit: mine | A mine | | | commit "}, []string{"commit: mine | A mine | | | commit ", ofSession + " A mine"}},
		"more than its work": {func(l *lab, p *Player) { l.person("echo mine >mine; git add mine; git commit -qam both") },
			[]string{"commit: both | A mine M walk.rs | | | commit "}, []string{"commit: both | A mine M walk.rs | | | commit ", ofSession + " A mine"}},
		"with a reason": {func(l *lab, p *Player) { l.person("git commit -qam '2 is shorter' -m 'Because of the width.'") },
			[]string{"commit: 2 is shorter | M walk.rs | | | commit "}, []string{"commit: 2 is shorter | M walk.rs | | | commit ", ofSession}},
		"another text": {func(l *lab, p *Player) { l.person("echo three >>walk.rs; git commit -qam three") },
			nil, []string{ofSession + " M walk.rs", "commit: three | M walk.rs | | | commit "}},
		"amended": {func(l *lab, p *Player) {
			commits(l, p)
			l.look()
			l.person("git commit -q --amend -m 'It is 2'")
		}, nil, []string{ofSession}},
		"backfill does not wait": {func(l *lab, p *Player) { commits(l, p); l.backfill() },
			[]string{"commit: base?", "commit: start?", "commit: 2 is shorter?"}, []string{"commit: base?", "commit: start?", "commit: 2 is shorter?", ofSession}},
		"too long ago": {func(l *lab, p *Player) {
			commits(l, p)
			l.look()
			l.Write(deferredFile, strings.ReplaceAll(l.Read(deferredFile), time.Now().Format("2006"), "2020"))
		}, []string{"commit: 2 is shorter | M walk.rs | | | commit "}, []string{"commit: 2 is shorter | M walk.rs | | | commit ", ofSession}},
		"killed before the marks": {func(l *lab, p *Player) {
			commits(l, p)
			marks := ".git/agentflow/reflogs.json"
			before := l.Read(marks)
			l.must(os.Remove(l.Path(marks)))
			l.must(os.Mkdir(l.Path(marks), 0o700))
			l.Write(marks+"/x", "")
			l.look()
			if !strings.Contains(l.Read(deferredFile), "segments") {
				t.Error("the marks were written before the list")
			}
			l.must(os.RemoveAll(l.Path(marks)))
			l.Write(marks, before)
		}, nil, []string{ofSession}},
		"the session's folder is lost": {func(l *lab, p *Player) {
			commits(l, p)
			l.look()
			l.must(os.RemoveAll(l.Path(".git/agentflow/runs")))
		}, []string{"commit: 2 is shorter | M walk.rs | | | commit "}, []string{"commit: 2 is shorter | M walk.rs | | | commit "}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l := newLab(t)
			p := l.based()
			m, err := l.open(l.Repo)
			l.must(err)
			_, err = commit.InstallHooks(t.Context(), m)
			l.must(cmpErr(err, m.Close()))
			p.Turn("Change it", Edit("walk.rs", "two", "2"), Say("It is 2, because that is shorter."))
			c.person(l, p)
			l.look()
			l.want(c.open...)
			p.End("prompt_input_exit")
			l.look()
			l.want(c.want...)
			if _, err := os.Lstat(l.Path(deferredFile)); err == nil {
				t.Error("the list is left")
			}
			if name == "its work" {
				l.backfill()
				l.want("commit: base?", ofSession, "commit: start?")
			}
		})
	}
}
