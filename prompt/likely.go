package prompt

import (
	"slices"
	"strings"

	"agentflow/memory"
	"agentflow/memory/quote"
)

// Limits for the files that a task will likely touch.
const (
	maxFiles    = 10
	filesTokens = 150
)

// likelyHead is the line above them.
const likelyHead = "[files] likely involved, by earlier work and names\n"

// unnamed returns the files that the reader does not know yet, neither from an earlier block nor
// from the task.
func (in *Input) unnamed() []memory.LikelyFile {
	asked := PlacesOf("", in.Task, nil).Files
	return slices.DeleteFunc(slices.Clone(in.Files), func(f memory.LikelyFile) bool {
		return slices.Contains(asked, f.Path) || in.Named != nil && in.Named(f.Path)
	})
}

// likely shows the files that are sure enough, as many of the first ones as fit in
// at most so many tokens. It is empty if none fits.
func likely(files []memory.LikelyFile, tokens int) (text string, shown []memory.LikelyFile) {
	tokens = min(tokens, filesTokens)
	var b strings.Builder
	b.WriteString(likelyHead)
	for _, f := range files {
		line := quoteLine(quote.Path(f.Path) + ": " + quote.Line(f.Why))
		if !f.Sure {
			continue
		}
		if len(shown) == maxFiles || memory.Tokens(b.String()+line) > tokens {
			break
		}
		b.WriteString(line)
		shown = append(shown, f)
	}
	if len(shown) == 0 {
		return "", nil
	}
	return b.String(), shown
}
