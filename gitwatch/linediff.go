package gitwatch

import "bytes"

// isBinary says what git does: a NUL among the first 8000 bytes.
func isBinary(content []byte) bool {
	return bytes.IndexByte(content[:min(len(content), 8000)], 0) >= 0
}

// countLines says how many lines lead from a to b: those added and deleted,
// as git diff --numstat counts them.
func countLines(a, b []byte) (added, deleted int) {
	x, y := numberLines(a, b)
	for len(x) > 0 && len(y) > 0 && x[0] == y[0] {
		x, y = x[1:], y[1:]
	}
	for len(x) > 0 && len(y) > 0 && x[len(x)-1] == y[len(y)-1] {
		x, y = x[:len(x)-1], y[:len(y)-1]
	}
	x, y, goneX, goneY := dropUnmatched(x, y)
	d := differ{x: x, y: y}
	d.prepare()
	d.compare(0, len(x), 0, len(y))
	return d.added + goneY, d.deleted + goneX
}

// numberLines gives equal lines equal numbers. A last line without a newline
// differs from one with it.
func numberLines(a, b []byte) (x, y []int32) {
	numbers := map[string]int32{}
	number := func(text []byte) []int32 {
		lines := make([]int32, 0, bytes.Count(text, []byte{'\n'})+1)
		for len(text) > 0 {
			end := bytes.IndexByte(text, '\n') + 1
			if end == 0 {
				end = len(text)
			}
			n, ok := numbers[string(text[:end])]
			if !ok {
				n = int32(len(numbers)) //nolint:gosec // at most 10 MB of lines
				numbers[string(text[:end])] = n
			}
			lines = append(lines, n)
			text = text[end:]
		}
		return lines
	}
	return number(a), number(b)
}

// dropUnmatched takes out the lines that the other side does not have: they
// are changed in every diff, and without them the search is short.
func dropUnmatched(x, y []int32) (keptX, keptY []int32, goneX, goneY int) {
	inX, inY := map[int32]bool{}, map[int32]bool{}
	for _, n := range x {
		inX[n] = true
	}
	for _, n := range y {
		inY[n] = true
	}
	keptX, keptY = make([]int32, 0, len(x)), make([]int32, 0, len(y))
	for _, n := range x {
		if inY[n] {
			keptX = append(keptX, n)
		}
	}
	for _, n := range y {
		if inX[n] {
			keptY = append(keptY, n)
		}
	}
	return keptX, keptY, len(x) - len(keptX), len(y) - len(keptY)
}

// differ runs Myers' linear-space difference algorithm ("An O(ND) Difference
// Algorithm and Its Variations", 1986), counting what it finds.
type differ struct {
	x, y           []int32
	forward, back  []int // furthest x on each diagonal, from either end
	offset         int
	limit          int // edits after which a good split is taken for the best
	added, deleted int
}

// minLimit keeps ordinary files exact: only a search past this many edits may
// settle for a longer diff.
const minLimit = 1 << 10

func (d *differ) prepare() {
	n := len(d.x) + len(d.y) + 3
	d.forward, d.back = make([]int, n), make([]int, n)
	d.offset = len(d.y) + 1
	d.limit = minLimit
	for d.limit*d.limit < n {
		d.limit *= 2
	}
}

func (d *differ) compare(x0, x1, y0, y1 int) {
	for x0 < x1 && y0 < y1 && d.x[x0] == d.y[y0] {
		x0, y0 = x0+1, y0+1
	}
	for x0 < x1 && y0 < y1 && d.x[x1-1] == d.y[y1-1] {
		x1, y1 = x1-1, y1-1
	}
	if x0 == x1 || y0 == y1 {
		d.deleted += x1 - x0
		d.added += y1 - y0
		return
	}
	x, y := d.split(x0, x1, y0, y1)
	d.compare(x0, x, y0, y)
	d.compare(x, x1, y, y1)
}

// split finds a point that a shortest path crosses, by searching from both
// ends until the searches meet.
func (d *differ) split(x0, x1, y0, y1 int) (int, int) {
	lo, hi := x0-y1, x1-y0 // diagonals x−y inside the box
	mid0, mid1 := x0-y0, x1-y1
	f0, f1, b0, b1 := mid0, mid0, mid1, mid1
	odd := (mid0-mid1)&1 != 0
	d.forward[mid0+d.offset], d.back[mid1+d.offset] = x0, x1
	for edits := 1; ; edits++ {
		f0, f1 = d.widen(d.forward, f0, f1, lo, hi, -1)
		for k := f1; k >= f0; k -= 2 {
			x := d.forwardStep(k, x1, y1)
			if odd && b0 <= k && k <= b1 && d.back[k+d.offset] <= x {
				return x, x - k
			}
		}
		b0, b1 = d.widen(d.back, b0, b1, lo, hi, 1<<60)
		for k := b1; k >= b0; k -= 2 {
			x := d.backStep(k, x0, y0)
			if !odd && f0 <= k && k <= f1 && x <= d.forward[k+d.offset] {
				return x, x - k
			}
		}
		if edits >= d.limit {
			return d.furthest(f0, f1, b0, b1, x0, x1, y0, y1)
		}
	}
}

// widen moves the range of diagonals one out on each side, or one in where it
// stands at the edge of the box; edge marks a diagonal not yet reached.
func (d *differ) widen(v []int, from, to, lo, hi, edge int) (int, int) {
	if from > lo {
		from--
		v[from-1+d.offset] = edge
	} else {
		from++
	}
	if to < hi {
		to++
		v[to+1+d.offset] = edge
	} else {
		to--
	}
	return from, to
}

func (d *differ) forwardStep(k, x1, y1 int) int {
	below, above := d.forward[k-1+d.offset], d.forward[k+1+d.offset]
	x := max(below+1, above)
	for x < x1 && x-k < y1 && d.x[x] == d.y[x-k] {
		x++
	}
	d.forward[k+d.offset] = x
	return x
}

func (d *differ) backStep(k, x0, y0 int) int {
	below, above := d.back[k-1+d.offset], d.back[k+1+d.offset]
	x := min(below, above-1)
	for x > x0 && x-k > y0 && d.x[x-1] == d.y[x-1-k] {
		x--
	}
	d.back[k+d.offset] = x
	return x
}

// furthest settles for the point that has come furthest from its end.
func (d *differ) furthest(f0, f1, b0, b1, x0, x1, y0, y1 int) (int, int) {
	bestX, bestY, best := x0, y0, -1
	for k := f0; k <= f1; k += 2 {
		x := min(d.forward[k+d.offset], x1)
		if y := x - k; y >= y0 && y <= y1 && x-x0+y-y0 > best {
			bestX, bestY, best = x, y, x-x0+y-y0
		}
	}
	for k := b0; k <= b1; k += 2 {
		x := max(d.back[k+d.offset], x0)
		if y := x - k; y >= y0 && y <= y1 && x1-x+y1-y > best {
			bestX, bestY, best = x, y, x1-x+y1-y
		}
	}
	return bestX, bestY
}
