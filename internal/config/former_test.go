package config

import (
	"path/filepath"
	"strings"
	"testing"
)

// TestFormerShares checks that the shares of former versions determine
// recall.standing unless it is set, and that each is reported as replaced.
func TestFormerShares(t *testing.T) {
	for text, want := range map[string]int{
		"[prompt]\nfacts_share = 0.5\n":                                     1200,
		"[prompt]\nfacts_share = 0\nnotes_share = 0\n":                      0,
		"[recall]\nbudget = 1000\n[prompt]\nnotes_share = 1\n":              1250,
		"[recall]\nstanding = 300\n[prompt]\nfacts_share = 1\n":             300,
		"[prompt]\nfacts_share = \"all\"\nformat = \"compact\"\n":           700,
		"[prompt]\nfacts_share = 9223372036854775807\nnotes_share = -0.5\n": 700,
	} {
		file := write(t, filepath.Join(t.TempDir(), "config.toml"), text)
		c, problems, err := Load(Layers{UserFile: file})
		if err != nil || c.Recall.Standing != want || len(problems) != strings.Count(text, "_share") {
			t.Errorf("%q: standing is %d, want %d; problems %v, err %v", text, c.Recall.Standing, want, problems, err)
		}
		for _, p := range problems {
			if p.Fatal || !strings.Contains(p.Message, "replaced by recall.standing") {
				t.Errorf("%q: %+v", text, p)
			}
		}
	}
	c, problems, err := Load(Layers{Environ: []string{"AGENTFLOW_PROMPT_FACTS_SHARE=0", "AGENTFLOW_PROMPT_NOTES_SHARE=0.5"}})
	if err != nil || c.Recall.Standing != 1000 || len(problems) != 2 {
		t.Errorf("from variables: standing is %d; problems %v, err %v", c.Recall.Standing, problems, err)
	}
}
