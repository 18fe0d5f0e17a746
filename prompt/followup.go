package prompt

import "agentflow/internal/words"

// maxVague is how many common words a prompt without a subject may have. More of them may
// name one together.
const maxVague = 3

// IsFollowUp reports whether a prompt refers to earlier text of the conversation and names no
// subject itself: "ok and add the changelog entry for it". A search for its words would only
// match by chance.
func IsFollowUp(text string) bool {
	vague, refers := map[string]bool{}, false
	for _, t := range words.Scan(words.Fold(text)) {
		switch w := t.Text; {
		case t.Named:
			return false
		case refersBack[w]:
			refers = true
		case goesOn[w] || words.IsStopword(w) || isNumber(w):
		case finishes[w] || words.IsCommonplace(w):
			vague[words.Stem(w)] = true
		default:
			return false
		}
	}
	return refers && len(vague) <= maxVague
}

var (
	refersBack = wordsOf("also it its same that them these they this those too")
	// finishes are verbs for the last steps of existing work.
	finishes = wordsOf("commit push undo write")
)
