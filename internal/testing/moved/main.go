// Command moved proves that a change moved functions between packages and changed none of them. It compares the
// functions of a revision with those of the working tree, by hashes of their normal forms (see normal.go):
//
//	go run ./internal/testing/moved REVISION FOLDER…
//
// It prints each function that only one side has, and exits with 1 if there is one. For the division of package app:
//
//	git checkout d08d13a0
//	go run ./internal/testing/moved bf20b38f app cmd server mcp chat session internal/testing/apptest
package main

import (
	"archive/tar"
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

func main() {
	if len(os.Args) < 3 {
		fmt.Fprintln(os.Stderr, "usage: moved REVISION FOLDER…")
		os.Exit(2)
	}
	before, err := functionsOf(os.Args[1], os.Args[2:])
	if err == nil {
		var after functions
		if after, err = functionsHere(os.Args[2:]); err == nil && before.differ(after) {
			os.Exit(1)
		}
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "moved:", err)
		os.Exit(2)
	}
}

// functions counts functions by their normal forms.
type functions map[form]int

// add adds the functions of a Go file. It ignores other files.
func (f functions) add(path string, text []byte) error {
	if !strings.HasSuffix(path, ".go") {
		return nil
	}
	forms, err := formsOf(path, text)
	for _, form := range forms {
		f[form]++
	}
	return err
}

// differ prints the functions that only one side has, and reports whether there are any.
func (f functions) differ(after functions) bool {
	var lines []string
	for form, n := range f {
		if n > after[form] {
			lines = append(lines, form.name+" was there before")
		}
	}
	for form, n := range after {
		if n > f[form] {
			lines = append(lines, form.name+" is new")
		}
	}
	slices.Sort(lines)
	for _, line := range lines {
		fmt.Println(line)
	}
	return len(lines) > 0
}

// functionsHere reads the functions of the working tree in some folders.
func functionsHere(folders []string) (functions, error) {
	all := functions{}
	for _, folder := range folders {
		err := filepath.WalkDir(folder, func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() {
				return err
			}
			text, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			return all.add(path, text)
		})
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
	}
	return all, nil
}

// functionsOf reads the functions of a revision in those of the folders that it has.
func functionsOf(revision string, folders []string) (functions, error) {
	all := functions{}
	for _, folder := range folders {
		if exec.Command("git", "cat-file", "-e", revision+":"+folder).Run() != nil {
			continue
		}
		archive, err := exec.Command("git", "archive", revision, folder).Output()
		if err != nil {
			return nil, fmt.Errorf("reading %s of %s: %w", folder, revision, err)
		}
		for r := tar.NewReader(bytes.NewReader(archive)); ; {
			h, err := r.Next()
			if errors.Is(err, io.EOF) {
				break
			}
			text, e := io.ReadAll(r)
			if err = errors.Join(err, e); err == nil {
				err = all.add(h.Name, text)
			}
			if err != nil {
				return nil, err
			}
		}
	}
	return all, nil
}
