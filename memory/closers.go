package memory

// closers finds the line that closes a fence. Searches for one kind of fence
// only ever move on, so all searches of a text together are linear in it.
type closers struct {
	fences []fencedLine
	next   map[fence]int // first index in fences that may still close this kind
}

type fencedLine struct {
	fence
	line int
}

func findFences(l lines, from, to int) *closers {
	c := &closers{next: map[fence]int{}}
	for i := from; i < to; i++ {
		if f, ok := fenceOf(l.at(i), 3); ok {
			c.fences = append(c.fences, fencedLine{f, i})
		}
	}
	return c
}

// after is the line that closes the fence f opened on line, if it stands
// before limit. Calls for one kind of fence must not go backwards.
func (c *closers) after(f fence, line, limit int) (int, bool) {
	f.bare = false
	i := c.next[f]
	for ; i < len(c.fences); i++ {
		g := c.fences[i]
		if g.line > line && g.bare && g.char == f.char && g.size >= f.size {
			break
		}
	}
	c.next[f] = i
	if i == len(c.fences) || c.fences[i].line >= limit {
		return 0, false
	}
	return c.fences[i].line, true
}
