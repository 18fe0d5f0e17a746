package prompt

import "testing"

func TestIsFollowUp(t *testing.T) {
	for _, text := range []string{"ok and add the changelog entry for it", "yes do it, and write a test for that", "great, commit this please", "undo that", "and update the docs too", "the same again",
		"Commit it and push", "run these tests again", "can you rename it to the same name as that?"} {
		if !IsFollowUp(text) {
			t.Errorf("%q names a subject", text)
		}
	}
	for _, text := range []string{"", "run the tests", "how do I run the tests?", "update the README", "fix it in main.go", "add it to parseFlags", "and the same for the mutually exclusive ones",
		"now the same for prompts, they should accept the names too", "is it possible that the lexer loses a token?", "also show an error message when the config file has no name", "それを直して"} {
		if IsFollowUp(text) {
			t.Errorf("%q names no subject", text)
		}
	}
}
