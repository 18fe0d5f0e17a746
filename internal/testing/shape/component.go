package main

import (
	"go/types"
	"maps"
	"slices"

	"golang.org/x/tools/go/packages"
)

// component returns the size of the largest strongly connected component of a
// package's files: how many files refer to each other in a circle, so that
// none of them can be read or moved without the others.
func component(p *packages.Package) int {
	largest := 0
	for _, c := range components(references(p)) {
		largest = max(largest, len(c))
	}
	return largest
}

// references returns, for each file of a package, the other files that declare
// the package's names that it uses: functions, types, variables, constants,
// methods and fields.
func references(p *packages.Package) map[string][]string {
	uses := map[string][]string{}
	for _, file := range p.Syntax {
		uses[p.Fset.File(file.Pos()).Name()] = nil
	}
	for name, object := range p.TypesInfo.Uses {
		if object.Pkg() != p.Types || isLocal(object, p.Types) {
			continue
		}
		from, to := p.Fset.File(name.Pos()).Name(), p.Fset.File(object.Pos()).Name()
		if from != to && !slices.Contains(uses[from], to) {
			uses[from] = append(uses[from], to)
		}
	}
	return uses
}

// isLocal reports whether an object is a variable of a function.
func isLocal(object types.Object, in *types.Package) bool {
	v, ok := object.(*types.Var)
	return ok && !v.IsField() && v.Parent() != in.Scope()
}

// components returns the strongly connected components of a graph, by Tarjan's
// algorithm ("Depth-first search and linear graph algorithms", 1972).
func components(edges map[string][]string) [][]string {
	t := tarjan{edges: edges, index: map[string]int{}, low: map[string]int{}}
	for _, node := range slices.Sorted(maps.Keys(edges)) {
		if t.index[node] == 0 {
			t.visit(node)
		}
	}
	return t.found
}

type tarjan struct {
	edges map[string][]string
	index map[string]int // order of the first visit, from 1
	low   map[string]int // smallest index that the node reaches
	stack []string
	found [][]string
}

func (t *tarjan) visit(node string) {
	t.index[node] = len(t.index) + 1
	t.low[node] = t.index[node]
	t.stack = append(t.stack, node)
	for _, next := range t.edges[node] {
		switch {
		case t.index[next] == 0:
			t.visit(next)
			t.low[node] = min(t.low[node], t.low[next])
		case slices.Contains(t.stack, next):
			t.low[node] = min(t.low[node], t.index[next])
		}
	}
	if t.low[node] == t.index[node] {
		at := slices.Index(t.stack, node)
		t.found = append(t.found, slices.Clone(t.stack[at:]))
		t.stack = t.stack[:at]
	}
}
