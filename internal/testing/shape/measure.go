package main

import (
	"cmp"
	"os"
	"path/filepath"
	"slices"

	"golang.org/x/tools/go/packages"
)

// A measured value is a measure of the repository, with the place of the
// largest value where one place has it.
type measured struct {
	name  string
	value float64
	where string
	free  bool // it has no limit: growth by features is no fault
}

// moduleRoot returns the folder of the module around the current folder.
func moduleRoot() (string, error) {
	folder, err := os.Getwd()
	if err != nil {
		return "", err
	}
	for {
		if _, err := os.Stat(filepath.Join(folder, "go.mod")); err == nil {
			return folder, nil
		}
		parent := filepath.Dir(folder)
		if parent == folder {
			return "", os.ErrNotExist
		}
		folder = parent
	}
}

// measure returns all measures of the repository in root.
func measure(root string) ([]measured, error) {
	program, err := load(root)
	if err != nil {
		return nil, err
	}
	texts, err := readTexts(root, program)
	if err != nil {
		return nil, err
	}
	subject, err := longestSubject(root)
	if err != nil {
		return nil, err
	}
	measures := []measured{
		{name: "lines of Go", value: sum(program, lines), free: true},
		largest("lines in a package", program, lines),
		largest("files in a package", program, files),
		largest("exported names in a package", withoutAPI(program), exported),
		largest("files in a component", program, component),
		mostMethods(program),
		{name: "folders with code at the top", value: float64(topFolders(program))},
	}
	return append(append(measures, texts...), subject), nil
}

// largest measures the package with the largest value.
func largest(name string, program []*packages.Package, value func(*packages.Package) int) measured {
	p := slices.MaxFunc(program, func(a, b *packages.Package) int { return cmp.Compare(value(a), value(b)) })
	return measured{name: name, value: float64(value(p)), where: folder(p)}
}

func sum(program []*packages.Package, value func(*packages.Package) int) float64 {
	total := 0
	for _, p := range program {
		total += value(p)
	}
	return float64(total)
}

// withoutAPI leaves out package api, which may export more: it holds the types
// of all requests and answers.
func withoutAPI(program []*packages.Package) []*packages.Package {
	return slices.DeleteFunc(slices.Clone(program), func(p *packages.Package) bool { return folder(p) == "app/api" })
}
