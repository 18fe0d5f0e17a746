package app

import (
	"slices"
	"testing"

	"agentflow/api"
)

func TestReadmeFieldsOfForgetAndImport(t *testing.T) {
	text := readme(t)
	for name, c := range map[string]struct {
		from, to string
		value    any
	}{
		"forget": {"`forget --json`: `", "`; `pinned`", api.Forgotten{}},
		"import": {"`memory import --json`: `", "`; `standing`", api.Imported{}},
	} {
		if named, have := documented(text, c.from, c.to), fields(t, c.value); !slices.Equal(named, have) {
			t.Errorf("%s\nREADME  %v\nprogram %v", name, named, have)
		}
	}
}
