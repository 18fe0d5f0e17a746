package why

import (
	"strings"
	"testing"
	"time"

	"agentflow/app/api"
)

// TestLimited checks that the newest origin has one of several places.
func TestLimited(t *testing.T) {
	at := func(day int) time.Time { return time.Date(2026, 11, day, 0, 0, 0, 0, time.UTC) }
	commit := func(id string, day int) api.WhyOrigin {
		return api.WhyOrigin{Commit: &api.WhyCommit{ID: id, Time: at(day)}}
	}
	session := api.WhyOrigin{Entry: &api.WhyEntry{ID: "session", StartedAt: at(20)}}
	for _, c := range []struct {
		limit int
		list  []api.WhyOrigin
		want  string
	}{
		{0, []api.WhyOrigin{commit("a", 1), session}, "a session"},
		{2, []api.WhyOrigin{commit("a", 1), session}, "a session"},
		{2, []api.WhyOrigin{commit("a", 1), commit("b", 9), commit("c", 3)}, "a b"},
		{2, []api.WhyOrigin{commit("a", 1), commit("b", 9), commit("c", 2), session}, "a session"},
		{2, []api.WhyOrigin{commit("a", 1), commit("b", 9), {}, session}, "a uncommitted"},
		{1, []api.WhyOrigin{commit("a", 1), commit("b", 9)}, "a"},
	} {
		var got []string
		for _, o := range limited(c.list, c.limit) {
			switch {
			case o.Commit != nil:
				got = append(got, o.Commit.ID)
			case o.Entry != nil:
				got = append(got, o.Entry.ID)
			default:
				got = append(got, "uncommitted")
			}
		}
		if strings.Join(got, " ") != c.want {
			t.Errorf("of %d at most %d: %q, want %q", len(c.list), c.limit, got, c.want)
		}
	}
}
