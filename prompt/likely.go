package prompt

import (
	"path"
	"slices"
	"strings"
	"unicode"

	"agentflow/internal/roles"
	"agentflow/memory"
	"agentflow/memory/quote"
	"agentflow/memory/retrieval"
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
func (in *Input) unnamed() []retrieval.LikelyFile {
	asked, words := PlacesOf("", in.Task, nil).Files, " "+spaced(in.Task)+" "
	return slices.DeleteFunc(slices.Clone(in.Files), func(f retrieval.LikelyFile) bool {
		return slices.Contains(asked, f.Path) || isSpokenOf(f, words) || in.Named != nil && in.Named(f.Path)
	})
}

// leastName is the least length of a file's name that is also a word for the file: "readme".
const leastName = 5

// isSpokenOf reports whether the words of a task name a file at the root that is neither source
// nor test: "the pre-commit config", "README".
func isSpokenOf(f retrieval.LikelyFile, words string) bool {
	name := spaced(strings.TrimSuffix(f.Path, path.Ext(f.Path)))
	change := roles.Role(f.Role) == roles.Source || roles.Role(f.Role) == roles.Test
	return !change && !strings.Contains(f.Path, "/") && len(name) >= leastName && strings.Contains(words, " "+name+" ")
}

// spaced returns the letters and digits of a text, folded, with one blank for all between them.
func spaced(text string) string {
	return strings.Join(strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }), " ")
}

// likely shows the files that are sure enough, as many of the first ones as fit in
// at most so many tokens. It is empty if none fits.
func likely(files []retrieval.LikelyFile, tokens int) (text string, shown []retrieval.LikelyFile) {
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
