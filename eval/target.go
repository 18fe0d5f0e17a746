package eval

// paths counted over the commits that memory holds.
type pathCounts struct {
	commits int
	seen    map[string]int // commits that touched the path
}

func (p *pathCounts) add(paths []string) {
	p.commits++
	for _, path := range paths {
		p.seen[path]++
	}
}

// common says whether more than a tenth of all earlier commits touched the
// path: naming a change log is no recall.
func (p *pathCounts) common(path string) bool { return 10*p.seen[path] > p.commits }

// targets are the paths that could be found and are worth finding: not
// common, and seen before.
func (p *pathCounts) targets(paths []string) map[string]bool {
	out := map[string]bool{}
	for _, path := range paths {
		if p.seen[path] > 0 && !p.common(path) {
			out[path] = true
		}
	}
	return out
}
