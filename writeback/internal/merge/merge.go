package merge

import (
	"bytes"
	"slices"
	"strings"

	"agentflow/memory/markdown"
)

// Merge applies to ours the changes between base and theirs. Facts and lines are merged whole. ok
// is false if both changed the same place. Text that ours has after the end of base does not count
// as such a place.
func Merge(base, ours, theirs []byte) (merged []byte, ok bool) {
	switch {
	case bytes.Equal(base, ours):
		return theirs, true
	case bytes.Equal(base, theirs), bytes.Equal(ours, theirs):
		return ours, true
	}
	b, o, t := pieces(base), pieces(ours), pieces(theirs)
	inOurs, inTheirs := matches(b, o), matches(b, t)
	var out []string
	for i, j, k := 0, 0, 0; ; i, j, k = i+1, j+1, k+1 {
		next := i
		for next < len(b) && (inOurs[next] < 0 || inTheirs[next] < 0) {
			next++
		}
		nextOurs, nextTheirs := len(o), len(t)
		if next < len(b) {
			nextOurs, nextTheirs = inOurs[next], inTheirs[next]
		}
		was, mine, other := b[i:next], o[j:nextOurs], t[k:nextTheirs]
		switch {
		case slices.Equal(was, mine), slices.Equal(mine, other):
			out = append(out, other...)
		case slices.Equal(was, other):
			out = append(out, mine...)
		case next == len(b) && len(mine) > len(was) && slices.Equal(was, mine[:len(was)]):
			other = withHeadings(other, was)
			out = joined(append(out, other...), mine[len(was):], other)
		default:
			return nil, false
		}
		if next == len(b) {
			return []byte(strings.Join(out, "")), true
		}
		out = append(out, b[next])
		i, j, k = next, nextOurs, nextTheirs
	}
}

// withHeadings adds the headings of was that other lacks, because the text appended after was is
// below them.
func withHeadings(other, was []string) []string {
	headings := slices.DeleteFunc(slices.Clone(was), func(piece string) bool {
		return !strings.HasPrefix(strings.TrimLeft(piece, "\r\n"), "#") || slices.Contains(other, piece)
	})
	if n := len(other); len(headings) > 0 && n > 0 {
		end := strings.TrimRight(other[n-1], "\r\n")
		if other = slices.Clone(other[:n-1]); end != "" {
			other = append(other, end+"\n")
		}
	}
	return slices.Concat(other, headings)
}

// joined appends text to out, without the pieces that other begins with too, such as the heading of
// a file.
func joined(out, appended, other []string) []string {
	for len(other) > 0 && len(appended) > 0 && appended[0] == other[0] {
		appended, other = appended[1:], other[1:]
	}
	if n := len(out); n > 0 && len(appended) > 0 && !strings.HasPrefix(appended[0], "\n") {
		if !strings.HasSuffix(out[n-1], "\n") {
			out = append(out, "\n")
		}
		if len(other) > 0 {
			out = append(out, "\n")
		}
	}
	return append(out, appended...)
}

// pieces splits a file into its facts and its other lines, each with the blank lines above it.
func pieces(text []byte) []string {
	var list []string
	lines := slices.Collect(strings.Lines(string(text)))
	ends := map[int]int{} // of facts, by the line on which they begin
	for _, f := range markdown.Parse(text).Facts() {
		ends[f.StartLine-1] = f.EndLine
	}
	from := 0
	for i := 0; i < len(lines); i++ {
		if strings.TrimSpace(lines[i]) == "" && i+1 < len(lines) {
			continue
		}
		end := min(max(i+1, ends[i]), len(lines))
		list = append(list, strings.Join(lines[from:end], ""))
		from, i = end, end-1
	}
	return list
}

// matches returns, for each piece of a, its index in b, or -1. It matches the common beginning and
// end and, between them, the longest sequence of pieces that occur once in both.
func matches(a, b []string) []int {
	at := make([]int, len(a))
	first := 0
	for first < len(a) && first < len(b) && a[first] == b[first] {
		at[first] = first
		first++
	}
	endA, endB := len(a), len(b)
	for endA > first && endB > first && a[endA-1] == b[endB-1] {
		endA, endB = endA-1, endB-1
		at[endA] = endB
	}
	count, where := map[string]int{}, map[string]int{}
	for i, piece := range b[first:endB] {
		count[piece] += 2
		where[piece] = first + i
	}
	for _, piece := range a[first:endA] {
		count[piece] += 3
	}
	// ends[n] is the last piece of the sequence of n+1 pieces that ends earliest in b. before[i] is
	// the piece before piece i in its sequence.
	var ends []int
	before := map[int]int{}
	for i := first; i < endA; i++ {
		at[i] = -1
		if count[a[i]] != 2+3 {
			continue
		}
		n, _ := slices.BinarySearchFunc(ends, where[a[i]], func(end, to int) int { return where[a[end]] - to })
		if before[i] = -1; n > 0 {
			before[i] = ends[n-1]
		}
		ends = append(ends[:n], append([]int{i}, ends[min(n+1, len(ends)):]...)...)
	}
	if len(ends) > 0 {
		for i := ends[len(ends)-1]; i >= 0; i = before[i] {
			at[i] = where[a[i]]
		}
	}
	return at
}
