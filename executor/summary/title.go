package summary

import (
	"slices"
	"strings"

	"agentflow/executor/explain"
	"agentflow/memory"
	"agentflow/prompt"
)

// Title returns the title of a session's entry, and the summary below it. The title is the beginning of
// the task, unless that names no topic or replies to something, as "yes, fix it". Then it is the subject of the last commit that
// is no merge, or else what the summary says was done. A summary that begins with the title loses
// that sentence, if it has more of them.
func Title(e memory.Entry) (title, below string) {
	if e.Task == "" || prompt.NamesTopic(e.Title) && !prompt.IsReply(e.Title) {
		return e.Title, e.Summary
	}
	for _, c := range slices.Backward(e.Commits) {
		if c.Subject != "" && !strings.HasPrefix(c.Subject, "Merge ") {
			return memory.Title(c.Subject), without(e.Summary, c.Subject)
		}
	}
	if done := explain.Done(e.Summary); prompt.NamesTopic(done) {
		title = memory.Title(strings.TrimSuffix(done, "."))
		return title, without(e.Summary, title)
	}
	return e.Title, e.Summary
}

// without returns a summary without the sentence that it begins with, if there are others.
func without(said, sentence string) string {
	text, _ := explain.WithoutMark(said)
	if rest, begins := strings.CutPrefix(text, strings.TrimSuffix(sentence, ".")+". "); begins {
		return strings.TrimSuffix(said, text) + rest
	}
	return said
}
