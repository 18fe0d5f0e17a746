package linediff

import "bytes"

// Match returns, for each line of b, the index of the same line of a, or -1 if a does not have it.
// Lines count from 0. The pairs are those of a shortest diff, in the same order in both texts. Line
// endings are ignored.
func Match(a, b []byte) []int {
	x, y := numberLines(ended(a), ended(b))
	match := make([]int, len(y))
	for i := range match {
		match[i] = -1
	}
	start, endX, endY := 0, len(x), len(y)
	for start < min(endX, endY) && x[start] == y[start] {
		match[start] = start
		start++
	}
	for min(endX, endY) > start && x[endX-1] == y[endY-1] {
		endX, endY = endX-1, endY-1
		match[endY] = endX
	}
	bothX, placeX := shared(x[start:endX], y[start:endY])
	bothY, placeY := shared(y[start:endY], x[start:endX])
	pair(bothX, bothY, func(i, j int) { match[start+placeY[j]] = start + placeX[i] })
	return match
}

// ended returns a text in which every line ends in a line feed.
func ended(text []byte) []byte {
	text = bytes.ReplaceAll(text, []byte("\r\n"), []byte("\n"))
	if len(text) > 0 && text[len(text)-1] != '\n' {
		text = append(bytes.Clone(text), '\n')
	}
	return text
}

// shared returns the lines that another text has too, and their indexes.
func shared(lines, other []int32) (kept []int32, places []int) {
	in := map[int32]bool{}
	for _, n := range other {
		in[n] = true
	}
	for i, n := range lines {
		if in[n] {
			kept, places = append(kept, n), append(places, i)
		}
	}
	return kept, places
}

// pair calls take with the indexes of each line that stays, using the algorithm of countEdits.
func pair(x, y []int32, take func(i, j int)) {
	limit := maxEdits
	for limit*limit < len(x)+len(y) {
		limit *= 2
	}
	doneX, doneY := 0, 0
	for doneX < len(x) && doneY < len(y) {
		atX, atY := pairSome(x[doneX:], y[doneY:], limit, func(i, j int) { take(doneX+i, doneY+j) })
		doneX, doneY = doneX+atX, doneY+atY
	}
}

// pairSome goes as far as limit edits reach.
func pairSome(x, y []int32, limit int, take func(i, j int)) (atX, atY int) {
	var trail [][]int32 // for each number of edits: the furthest place in x on each diagonal, from -edits on
	for edits := 0; ; edits++ {
		furthest := make([]int32, 2*edits+1)
		atX, atY = 0, 0
		for k := -edits; k <= edits; k += 2 {
			i := 0
			if edits > 0 {
				i, _ = step(trail[edits-1], k, edits)
			}
			for i < len(x) && i-k < len(y) && x[i] == y[i-k] {
				i++
			}
			furthest[edits+k] = int32(i) //nolint:gosec // at most 10 MB of lines
			if i <= len(x) && i-k <= len(y) && i+i-k >= atX+atY {
				atX, atY = i, i-k
			}
		}
		trail = append(trail, furthest)
		if edits == limit || atX == len(x) && atY == len(y) {
			retrace(trail, atX, atY, take)
			return atX, atY
		}
	}
}

// step returns the place that one more edit reaches on diagonal k, and the diagonal that it comes
// from. before holds the furthest places with one edit fewer.
func step(before []int32, k, edits int) (i, from int) {
	at := func(k int) int { return int(before[edits-1+k]) }
	if k == -edits || k != edits && at(k-1)+1 <= at(k+1) {
		return at(k + 1), k + 1
	}
	return at(k-1) + 1, k - 1
}

// retrace goes back from a place to the beginning.
func retrace(trail [][]int32, i, j int, take func(i, j int)) {
	for edits := len(trail) - 1; edits >= 0; edits-- {
		first, from := 0, 0
		k := i - j
		if edits > 0 {
			first, from = step(trail[edits-1], k, edits)
		}
		for ; i > first; i-- {
			take(i-1, i-1-k)
		}
		if edits > 0 {
			i = int(trail[edits-1][edits-1+from])
			j = i - from
		}
	}
}
