package prompt

import "agentflow/internal/words"

// maxVague is how many words of any project a prompt may hold that names no subject of its
// own. More of them may name one together.
const maxVague = 3

// IsFollowUp reports whether a prompt refers to what was said before it and names no subject
// of its own: "ok and add the changelog entry for it". A search by its words finds what shares
// them by chance.
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
	// finishes are words of what is done with work that exists.
	finishes = wordsOf("commit push undo write")
)
