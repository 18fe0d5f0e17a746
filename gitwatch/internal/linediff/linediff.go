// Package linediff counts and pairs the lines of two texts, and pairs renamed files, as git diff
// does.
//
// Not guaranteed: for files with more than a thousand changed lines the counts may differ from
// git's, because both searches are bounded.
package linediff

import "bytes"

// IsBinary decides as git does: by a NUL among the first 8000 bytes.
func IsBinary(content []byte) bool {
	return bytes.IndexByte(content[:min(len(content), 8000)], 0) >= 0
}

// Count returns the numbers of lines added and deleted from a to b, as git diff --numstat counts
// them.
func Count(a, b []byte) (added, deleted int) {
	x, y := numberLines(a, b)
	for len(x) > 0 && len(y) > 0 && x[0] == y[0] {
		x, y = x[1:], y[1:]
	}
	for len(x) > 0 && len(y) > 0 && x[len(x)-1] == y[len(y)-1] {
		x, y = x[:len(x)-1], y[:len(y)-1]
	}
	// Lines that the other side does not have are changed in every diff. Without them the search is
	// short.
	bothX, _ := shared(x, y)
	bothY, _ := shared(y, x)
	edits := countEdits(bothX, bothY)
	added = (edits + len(bothY) - len(bothX)) / 2
	return added + len(y) - len(bothY), edits - added + len(x) - len(bothX)
}

// numberLines gives equal lines equal numbers. A last line without a newline differs from one with
// it.
func numberLines(a, b []byte) (x, y []int32) {
	numbers := map[string]int32{}
	number := func(text []byte) []int32 {
		lines := make([]int32, 0, bytes.Count(text, []byte{'\n'})+1)
		for line := range bytes.Lines(text) {
			n, ok := numbers[string(line)]
			if !ok {
				n = int32(len(numbers)) //nolint:gosec // at most 10 MB of lines
				numbers[string(line)] = n
			}
			lines = append(lines, n)
		}
		return lines
	}
	return number(a), number(b)
}

// maxEdits keeps the result for ordinary files exact: only a search beyond this many edits may
// settle for a longer diff.
const maxEdits = 1 << 10

// countEdits returns the number of lines to remove and insert to turn x into y. It uses the greedy
// algorithm of Myers ("An O(ND) Difference Algorithm and Its Variations", 1986), which for counts
// needs only the furthest place on each diagonal. A search that takes too long starts again at the
// furthest place of all.
func countEdits(x, y []int32) (edits int) {
	limit := maxEdits
	for limit*limit < len(x)+len(y) {
		limit *= 2
	}
	furthest := make([]int, 2*limit+3)
	for {
		n, atX, atY := searchEdits(x, y, furthest, limit)
		edits += n
		if x, y = x[atX:], y[atY:]; len(x) == 0 || len(y) == 0 {
			return edits + len(x) + len(y)
		}
	}
}

// searchEdits goes as far as limit edits reach, and returns the number of edits and the place.
func searchEdits(x, y []int32, furthest []int, limit int) (edits, atX, atY int) {
	middle := limit + 1 // of furthest, which has a place in x for each diagonal
	furthest[middle+1] = 0
	for {
		atX, atY = 0, 0
		for k := -edits; k <= edits; k += 2 {
			i := furthest[middle+k-1] + 1
			if k == -edits || k != edits && i <= furthest[middle+k+1] {
				i = furthest[middle+k+1]
			}
			for i < len(x) && i-k < len(y) && x[i] == y[i-k] {
				i++
			}
			furthest[middle+k] = i
			if i <= len(x) && i-k <= len(y) && i+i-k >= atX+atY {
				atX, atY = i, i-k
			}
		}
		if edits == limit || atX == len(x) && atY == len(y) {
			return edits, atX, atY
		}
		edits++
	}
}
