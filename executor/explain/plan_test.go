package explain

import "testing"

func TestOnlyPlans(t *testing.T) {
	said := []Message{
		asked("how do we number the files?"),
		wrote(final("I've updated the plan: names should come from a counter, because clocks jump.\n\nThe issue is that two writers share a file.")),
	}
	for name, c := range map[string]struct {
		files []string
		want  string
	}{
		"a plan":            {[]string{"docs/plans/names.md"}, "Only plans changed. I've updated the plan: names should come from a counter, because clocks jump. The issue is that two writers share a file."},
		"a plan and a file": {[]string{"docs/plans/names.md", "open.go"}, "I've updated the plan: names should come from a counter, because clocks jump. The issue is that two writers share a file."},
		"a program":         {[]string{"plans/names.go"}, "I've updated the plan: names should come from a counter, because clocks jump. The issue is that two writers share a file."},
	} {
		if got := Summary(said, c.files); got != c.want {
			t.Errorf("%s: %s", name, got)
		}
	}
	if got := Summary(nil, []string{"docs/plans/names.md"}); got != "" {
		t.Errorf("without a message: %s", got)
	}
}
