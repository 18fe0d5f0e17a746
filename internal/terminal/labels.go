package terminal

import (
	"slices"
	"strings"

	"agentflow/internal/textwidth"
)

// maxLabel bounds a label, in cells.
const maxLabel = 32

// Labels make titles short, and all as wide as the widest, so that they tell
// what has them apart: without the words that all of them begin with where they
// would not fit.
func Labels(titles []string) []string {
	labels, skip, width := make([]string, len(titles)), 0, 0
	if slices.ContainsFunc(titles, func(title string) bool { return textwidth.Cells(title) > maxLabel }) {
		skip = commonWords(titles)
	}
	for i, title := range titles {
		if skip > 0 {
			title = "…" + title[skip:]
		}
		labels[i] = textwidth.Cut(title, maxLabel)
		width = max(width, textwidth.Cells(labels[i]))
	}
	for i, label := range labels {
		labels[i] += strings.Repeat(" ", width-textwidth.Cells(label))
	}
	return labels
}

// commonWords is how many bytes of whole words several texts begin with alike.
func commonWords(texts []string) int {
	if len(texts) < 2 {
		return 0
	}
	first := texts[0]
	n := len(first)
	for _, text := range texts[1:] {
		n = min(n, len(text))
		for i := range n {
			if text[i] != first[i] {
				n = i
				break
			}
		}
	}
	return strings.LastIndexByte(first[:n], ' ') + 1
}
