package prompt

import "testing"

func TestNamesTopic(t *testing.T) {
	for text, want := range map[string]bool{
		"":                false,
		"yes, fix it":     false,
		"Commit and push": false,
		"fix lint errors": false,
		"can you take a look at the PR comments?":                  false,
		"https://example.org/a/b/pull/190 address the PR feedback": false,
		"yes, let's go with A":                                     false,
		"/review-comments":                                         false,
		"skip 5, 7, 8 and do the rest":                             false,
		"check origin/main again":                                  false,
		"fix these:\nthe parser loses the last line":               false, // a title is one line
		"Make the retries configurable":                            true,
		"yes, and rename MaxWords":                                 true,
		"can you add it to CHANGELOG.md":                           true,
		"please add pagination":                                    true,
		"can you fix login?":                                       true,
		"yes, fix the GitHub comments":                             false,
		"fix it, e.g. in the tests":                                false,
		"修复登录":                                                     true,
		"yes please. is there no test for this behaviour?":         false,
		"Add a parser":                                             true,
		"add some tests":                                           false,
		"use max_words":                                            true,
		"let's completely remove `session trailer`":                true,
		"Behebe den Fehler beim Lesen der Einstellungen":           true,
		"修复设置文件的读取":                                                true,
		"继续":                                                       false,
	} {
		if got := NamesTopic(text); got != want {
			t.Errorf("%q: %v", text, got)
		}
	}
}
