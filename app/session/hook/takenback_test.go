package hook

import (
	"testing"

	. "agentflow/internal/testing/sessiontest"
)

// TestTakenBack: an entry does not list a file with an edit that was taken back later in the
// session, in the same turn or another one, by the agent or the user.
func TestTakenBack(t *testing.T) {
	const because = "The port is 8080, because the proxy expects it."
	for name, c := range map[string]struct {
		play func(l *lab, p *Player)
		then string // of the title
	}{
		"by another edit": {func(_ *lab, p *Player) {
			p.Turn("Change it", Edit("walk.rs", "two", "2"), Edit("walk.rs", "2", "two"), Write("port.rs", "8080\n"), Say(because))
		}, ""},
		"by a checkout": {func(_ *lab, p *Player) {
			p.Turn("Change it", Edit("walk.rs", "two", "2"), Run("git checkout -q -- walk.rs"), Write("port.rs", "8080\n"), Say(because))
		}, ""},
		"in a later turn": {func(_ *lab, p *Player) {
			p.Turn("Change it", Edit("walk.rs", "two", "2"), Write("port.rs", "8080\n"), Say(because))
			p.Turn("Take walk.rs back", Run("git restore walk.rs"), Say("Restored `walk.rs`."))
		}, "; then Take walk.rs back"},
		"by the user": {func(l *lab, p *Player) {
			p.Turn("Change it", Edit("walk.rs", "two", "2"), Write("port.rs", "8080\n"), Say(because))
			l.person("git checkout -q -- walk.rs")
			p.Turn("I took walk.rs back", Say("Fine."))
		}, "; then I took walk.rs back"},
		"a new file": {func(_ *lab, p *Player) {
			p.Turn("Change it", Write("try.rs", "1\n"), Run("rm try.rs"), Write("port.rs", "8080\n"), Say(because))
		}, ""},
		"a new file, in a later turn": {func(_ *lab, p *Player) {
			p.Turn("Change it", Write("try.rs", "1\n"), Write("port.rs", "8080\n"), Say(because))
			p.Turn("Remove try.rs", Run("rm try.rs"), Say("Removed it."))
		}, "; then Remove try.rs"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l := newLab(t)
			p := l.based()
			c.play(l, p)
			p.End("prompt_input_exit")
			l.want("session: Change it" + c.then + " | | A port.rs |")
		})
	}
}
