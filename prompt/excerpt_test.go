package prompt

import "testing"

// An excerpt prefers what changed and why to how things are and were, and leaves out no sentence that
// another one needs.
func TestExcerpt(t *testing.T) {
	const (
		change = "get_proxies() now drops the star of *.example.com, because a pattern takes a second star as a letter."
		is     = "get_proxies() in utils.py splits NO_PROXY at commas, and makes one whole pattern of each host in that list."
		cause  = "curl reads it as .example.com, and here it matched nothing at all."
	)
	for name, c := range map[string]struct{ text, want string }{
		"how it is":          {"Accept stars. " + cause + " " + is + " " + change, "Accept stars. " + cause + " " + change},
		"how it was":         {"Before: hosts were compared. " + change + " " + is, change},
		"about another one":  {is + " Ports come from a table. Its rows are sorted now. Names stay.", is + " Ports come from a table. Its rows are sorted now. Names stay."},
		"its sentence first": {is + " " + is + " It is read once now. Ports are read now, so it starts at once.", is + " Ports are read now, so it starts at once."},
		"behind a gap":       {is + " " + is + " Names stay as they are.", is},
		"a date":             {is + " " + is + " No port was read since May.", is},
	} {
		if got := reasons(c.text, "x", 200); got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}
