package memorytool

import (
	"strings"

	"agentflow/memory"
)

func (f *folder) remove(c Command) (Result, error) {
	at, err := cleanPath(c.Path)
	if err != nil {
		return Result{}, err
	}
	if at == Root {
		return Result{}, errorf(Refused, "Cannot delete the %s directory itself", Root)
	}
	files := f.at(at)
	if len(files) == 0 {
		return Result{}, errorf(NotFound, "Error: The path %s does not exist", named(at))
	}
	return Result{Text: "Successfully deleted " + named(at), Edits: f.without(files)}, nil
}

// at returns the files at a path: itself, or those below it.
func (f *folder) at(path string) []string {
	if _, ok := f.files[path]; ok {
		return []string{path}
	}
	return f.below(path)
}

// without returns the edits that remove files.
func (f *folder) without(files []string) (edits []memory.FileEdit) {
	for _, path := range files {
		edits = append(edits, memory.FileEdit{File: storedName(path), Before: f.files[path]})
	}
	return edits
}

func (f *folder) rename(c Command) (Result, error) {
	from, err := cleanPath(c.OldPath)
	if err != nil {
		return Result{}, err
	}
	to, err := cleanPath(c.NewPath)
	if err != nil {
		return Result{}, err
	}
	if from == Root {
		return Result{}, errorf(Refused, "Cannot rename the %s directory itself", Root)
	}
	files := f.at(from)
	if len(files) == 0 {
		return Result{}, errorf(NotFound, "Error: The path %s does not exist", named(from))
	}
	if to == Root || len(f.at(to)) > 0 || f.vacant(to) != nil && fold(to) == fold(from) {
		return Result{}, errorf(Refused, "Error: The destination %s already exists", named(to))
	}
	if strings.HasPrefix(fold(to), fold(from)+"/") {
		return Result{}, errorf(Refused, "The path %s cannot be moved into itself", named(from))
	}
	edits := make([]memory.FileEdit, 0, 2*len(files))
	for _, path := range files {
		moved, err := cleanPath(to + strings.TrimPrefix(path, from))
		if err == nil {
			err = f.vacant(moved)
		}
		if err != nil {
			return Result{}, err
		}
		edits = append(edits, memory.FileEdit{File: storedName(moved), After: f.files[path]})
	}
	return Result{Text: "Successfully renamed " + named(from) + " to " + named(to), Edits: append(edits, f.without(files)...)}, nil
}
