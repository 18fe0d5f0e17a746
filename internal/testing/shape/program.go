package main

import (
	"bytes"
	"errors"
	"go/ast"
	"go/types"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/tools/go/packages"
)

// load returns the packages of the program in root with syntax and types:
// those of the module, without tests and what only tests import.
func load(root string) ([]*packages.Package, error) {
	mode := packages.NeedName | packages.NeedFiles | packages.NeedSyntax | packages.NeedTypes | packages.NeedTypesInfo | packages.NeedImports
	all, err := packages.Load(&packages.Config{Mode: mode, Dir: root}, "./...")
	if err != nil {
		return nil, err
	}
	var program []*packages.Package
	for _, p := range all {
		if len(p.Errors) > 0 {
			return nil, p.Errors[0]
		}
		if !forTests(folder(p)) && len(p.GoFiles) > 0 {
			program = append(program, p)
		}
	}
	if len(program) == 0 {
		return nil, errors.New("no packages in " + root)
	}
	return program, nil
}

// folder returns the path of a package below the module's root.
func folder(p *packages.Package) string {
	return strings.TrimPrefix(p.PkgPath, "agentflow/")
}

// forTests reports whether a folder holds what only tests and measurements use.
func forTests(folder string) bool {
	return strings.HasPrefix(folder, "internal/testing") || strings.HasPrefix(folder, "testdata") || strings.Contains(folder, "/testdata/")
}

func files(p *packages.Package) int { return len(p.GoFiles) }

// lines counts the lines of a package's files.
func lines(p *packages.Package) int {
	total := 0
	for _, name := range p.GoFiles {
		if text, err := os.ReadFile(name); err == nil {
			total += bytes.Count(text, []byte("\n"))
		}
	}
	return total
}

// exported counts the exported names of a package's scope: types, functions,
// variables and constants. Methods and fields belong to their type.
func exported(p *packages.Package) int {
	total := 0
	for _, name := range p.Types.Scope().Names() {
		if ast.IsExported(name) {
			total++
		}
	}
	return total
}

// mostMethods finds the type with the largest method set. Methods that an
// embedded type of this program adds count, as a reader sees all of them.
func mostMethods(program []*packages.Package) measured {
	most := measured{name: "methods of a type"}
	for _, p := range program {
		for _, name := range p.Types.Scope().Names() {
			object, ok := p.Types.Scope().Lookup(name).(*types.TypeName)
			if !ok || object.IsAlias() {
				continue
			}
			if n := methods(object.Type()); float64(n) > most.value {
				most.value, most.where = float64(n), folder(p)+"."+name
			}
		}
	}
	return most
}

// methods counts the methods of a type that this module declares.
func methods(t types.Type) int {
	if !types.IsInterface(t) {
		t = types.NewPointer(t)
	}
	set, total := types.NewMethodSet(t), 0
	for i := range set.Len() {
		if of := set.At(i).Obj().Pkg(); of != nil && strings.HasPrefix(of.Path(), "agentflow/") {
			total++
		}
	}
	return total
}

// topFolders counts the folders at the top of the repository that hold code.
func topFolders(program []*packages.Package) int {
	tops := map[string]bool{}
	for _, p := range program {
		top, _, _ := strings.Cut(filepath.ToSlash(folder(p)), "/")
		tops[top] = true
	}
	return len(tops)
}
