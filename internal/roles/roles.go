// Package roles decides by its path what a file is for: code, a test, a document, a change log,
// or the work of a tool. The index, the file model and prompts use the same table. It is pure.
package roles

import (
	"path"
	"strings"

	"agentflow/internal/words"
)

// Role is what a file is for.
type Role string

// The roles. Settings and data, such as go.mod, a workflow or a schema, are Other.
const (
	Source   Role = "source"
	Test     Role = "test"
	Document Role = "document"
	Log      Role = "log"  // a change log: each release or change adds a line
	Tool     Role = "tool" // a lock file or generated: a tool writes it
	Other    Role = "other"
)

// Part is a part of the work on a task.
type Part int

// The parts, in the order in which they are shown.
const (
	Change   Part = iota // where to change: sources and others
	Check                // which tests to run, or to change
	Describe             // which documents to update
)

// String returns the name of a part in a list of files.
func (p Part) String() string { return [...]string{"to change", "tests", "documents"}[p] }

// Part returns the part that a file with the role has in a task.
func (r Role) Part() Part {
	switch r {
	case Test:
		return Check
	case Document, Log:
		return Describe
	}
	return Change
}

// table lists for each role the endings, names and folders that decide it.
var (
	sourceEndings = words.Set(`.astro .awk .bash .bzl .c .cc .clj .cljs .coffee .cpp .cs .cu .cxx .dart .el .elm .erl .ex .exs .f .f90
		.fish .fs .go .groovy .h .hh .hpp .hs .inl .java .jl .js .jsx .kt .kts .lisp .lua .m .mjs .cjs .ml .mli .mm .mojo .nim .pas .php
		.pl .pm .proto .ps1 .py .pyi .pyx .pxd .r .rb .rs .scala .scm .sh .sol .sql .svelte .swift .tcl .ts .tsx .v .vb .vue .zig .zsh`)
	documentEndings = words.Set(`.md .markdown .mdx .rst .adoc .ipynb .texi`)
	logNames        = words.Set(`changes changelog history news releases release_notes releasenotes whatsnew`)
	testFolders     = words.Set(`test tests testing testdata __tests__ spec specs e2e fixtures`)
	lockNames       = words.Set(`bun.lock cargo.lock composer.lock flake.lock gemfile.lock go.sum mix.lock npm-shrinkwrap.json
		package-lock.json pdm.lock pipfile.lock pnpm-lock.yaml podfile.lock poetry.lock pubspec.lock uv.lock yarn.lock`)
	toolEndings  = []string{".min.js", ".min.css", ".min.mjs", ".js.map", ".css.map", ".pb.go", "_pb2.py", ".svg"}
	otherFolders = words.Set("vendor node_modules bower_components") // copies of other projects' code
)

// Of returns the role of a file. The path is relative to the work tree and slash-separated.
func Of(file string) Role {
	name := strings.ToLower(path.Base(file))
	ext := path.Ext(name)
	stem := strings.TrimSuffix(name, ext)
	switch {
	case IsForeign(file):
		return Tool
	case logNames[strings.ReplaceAll(stem, "-", "_")] && (documentEndings[ext] || ext == "" || ext == ".txt"):
		return Log
	case isDocument(name, ext):
		if inFolder(file, logNames) {
			return Log
		}
		return Document
	case isTest(stem, ext) || inFolder(file, testFolders):
		return Test
	case sourceEndings[ext]:
		return Source
	}
	return Other
}

// IsDocument reports whether a file is written for readers, a change log among them.
func IsDocument(file string) bool {
	r := Of(file)
	return r == Document || r == Log
}

// isDocument decides by the ending; those of manual pages are .1 to .8.
func isDocument(name, ext string) bool {
	return documentEndings[ext] || len(ext) == 2 && ext[1] >= '1' && ext[1] <= '8' && strings.Count(name, ".") == 1
}

func isTest(stem, ext string) bool {
	return sourceEndings[ext] && (strings.HasPrefix(stem, "test_") || strings.HasSuffix(stem, "_test") || strings.HasSuffix(stem, ".test") ||
		strings.HasSuffix(stem, ".spec") || strings.HasSuffix(stem, "_spec") || strings.HasSuffix(stem, "test") && ext == ".java" || stem == "conftest")
}

// IsForeign reports whether a tool wrote a file or it was copied from another project, by its name:
// a lock file, generated code, or a folder of other projects' code.
func IsForeign(file string) bool {
	name := strings.ToLower(path.Base(file))
	if lockNames[name] {
		return true
	}
	for _, ending := range toolEndings {
		if strings.HasSuffix(name, ending) {
			return true
		}
	}
	return inFolder(file, otherFolders)
}

// inFolder reports whether one of the folders above a file has one of the names.
func inFolder(file string, names map[string]bool) bool {
	for {
		folder, rest, ok := strings.Cut(file, "/")
		if !ok {
			return false
		}
		if names[strings.ToLower(folder)] {
			return true
		}
		file = rest
	}
}

// IsEnding reports whether an ending, with its point, is one of source code or documents, so that
// a word with it names a file.
func IsEnding(ext string) bool {
	ext = strings.ToLower(ext)
	return sourceEndings[ext] || documentEndings[ext] || settingEndings[ext]
}

var settingEndings = words.Set(".cfg .conf .css .html .ini .json .lock .mod .scss .sum .tmpl .toml .tpl .txt .xml .yaml .yml")
