package files

import (
	"math"
	"path"
	"slices"
	"strings"

	"agentflow/index/contents"
	"agentflow/index/question"
	"agentflow/internal/roles"
)

// Values of a name that leads to a file, before division by the number of files that it leads to.
const (
	wholePath = 1   // the path, or a longer one that ends with it
	pathEnd   = 0.9 // its last two elements or more
	baseOnly  = 0.6 // only the base name
	otherBase = 0.2 // the base name of a path that ends otherwise
	oneModule = 0.4 // a module by its last element only
)

// exact is how well the names of the task lead to each path.
type exact struct{ quoted, traced, dotted []float64 }

// exactNames compares the names of the task with all paths.
func (m *model) exactNames() exact {
	x := exact{m.zero(), m.zero(), m.zero()}
	named := m.query.named
	if len(named.Paths) > 0 {
		bases := m.byName(func(p question.Path) string { return p.Parts[len(p.Parts)-1] })
		for _, p := range named.Paths {
			value, places := m.ends(p.Parts, bases[p.Parts[len(p.Parts)-1]])
			for _, place := range places {
				x.quoted[place] = max(x.quoted[place], value)
				x.traced[place] = max(x.traced[place], value*p.Frame)
			}
		}
	}
	if len(named.Modules) > 0 {
		m.modules(x.dotted)
	}
	return x
}

// byName returns the places of the paths with the base names that the task's paths have.
func (m *model) byName(of func(question.Path) string) map[string][]int32 {
	list := map[string][]int32{}
	for _, p := range m.query.named.Paths {
		list[of(p)] = nil
	}
	for i := range m.paths {
		name := m.paths[i].name
		base := name[strings.LastIndexByte(string(name), '/')+1:]
		if places, ok := list[string(base)]; ok {
			list[string(base)] = append(places, int32(i))
		}
	}
	return list
}

// ends returns those of some paths that share the longest end with a name, and their value.
func (m *model) ends(parts []string, places []int32) (value float64, best []int32) {
	longest := 0
	for _, p := range places {
		of := strings.Split(string(m.paths[p].name), "/")
		n := 0
		for n < min(len(of), len(parts)) && of[len(of)-1-n] == parts[len(parts)-1-n] {
			n++
		}
		if n == len(of) && n < len(parts) {
			n++ // it is whole, and better than a longer path with the same end
		}
		switch {
		case n > longest:
			longest, best = n, []int32{p}
		case n == longest:
			best = append(best, p)
		}
	}
	if len(best) == 0 {
		return 0, nil
	}
	elements := strings.Count(string(m.paths[best[0]].name), "/") + 1
	switch {
	case longest >= elements:
		value = wholePath
	case longest >= 2:
		value = pathEnd
	case len(parts) == 1:
		value = baseOnly
	default:
		value = otherBase
	}
	return value / float64(len(best)), best
}

// modules sets for each path how well the task's dotted names lead to it.
func (m *model) modules(x []float64) {
	last := map[string][]int32{}
	for _, name := range m.query.named.Modules {
		for _, part := range name {
			last[part] = nil
		}
	}
	for i := range m.paths {
		of := contents.ModuleOf(string(m.paths[i].name))
		base := path.Base(of)
		if places, ok := last[base]; ok && roles.Of(string(m.paths[i].name)) != roles.Document {
			last[base] = append(places, int32(i))
		}
	}
	for _, name := range m.query.named.Modules {
		for k := len(name); k > 0; k-- {
			if m.module(name[:k], last[name[k-1]], x) {
				break
			}
		}
	}
}

// module adds a prefix of a dotted name, and reports whether it is a module.
func (m *model) module(parts []string, places []int32, x []float64) bool {
	var best []int32
	for _, p := range places {
		of := strings.Split(contents.ModuleOf(string(m.paths[p].name)), "/")
		if len(of) >= len(parts) && slices.Equal(of[len(of)-len(parts):], parts) {
			best = append(best, p)
		}
	}
	value := float64(wholePath)
	if len(parts) == 1 {
		value = oneModule
	}
	for _, p := range best {
		x[p] = max(x[p], value/float64(len(best)))
	}
	return len(best) > 0
}

func quoted(m *model) []float64 { return m.exact.quoted }
func traced(m *model) []float64 { return m.exact.traced }
func dotted(m *model) []float64 { return m.exact.dotted }

// heat: ln(1 + entries that name the file), divided by that of all entries.
func heat(m *model) []float64 {
	x := m.zero()
	all := math.Log(2 + float64(len(m.entries)))
	for i := range x {
		x[i] = math.Log(1+float64(m.paths[i].touches)) / all
	}
	return x
}

// source: 1 for source code.
func source(m *model) []float64 { return m.ofRole(roles.Source) }

// test: 1 for tests.
func test(m *model) []float64 { return m.ofRole(roles.Test) }

func (m *model) ofRole(role roles.Role) []float64 {
	x := m.zero()
	for i := range x {
		if m.paths[i].role == role {
			x[i] = 1
		}
	}
	return x
}
