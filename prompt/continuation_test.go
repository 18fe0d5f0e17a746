package prompt

import (
	"strings"
	"testing"
)

func TestIsContinuation(t *testing.T) {
	for _, text := range []string{"yes", "Yes!", "go on", "ok, go ahead please", "2", "no thanks", "y", "continue", "", " … ", "LGTM, proceed", "the first one please", "ja, bitte weiter", "d'accord, continuez",
		"sí, sigue", "да, продолжай", "好的", "继续", "はい、お願いします", "👍", "perfect, thank you!", "try again", "do it"} {
		if !IsContinuation(text) {
			t.Errorf("%q says something new", text)
		}
	}
	for _, text := range []string{"yes, and add a test", "what is this?", "fix it in main.go", "why?", "commit", "run the tests", "go on with the parser", "12345", "Add a flag", "revert that", "ja, aber ohne den Test",
		"weiter mit dem Parser", "no, use tabs", "请添加测试", strings.Repeat("yes ", 7), "use option 2 for the cache"} {
		if IsContinuation(text) {
			t.Errorf("%q says nothing new", text)
		}
	}
}

func TestOnlyCommits(t *testing.T) {
	for text, want := range map[string]bool{"please commit": true, "Commit and push.": true, "ok, push it now": true, "commit the parser": false, "fix the pre-commit config": false, "": false} {
		if OnlyCommits(text) != want {
			t.Errorf("%q: %v", text, !want)
		}
	}
}
