// Package memorytool is Anthropic's memory tool, memory_20250818: six commands
// by which a model reads and writes the files of a directory that it knows as
// /memories. What the commands are, and the texts of their answers and errors,
// is documented at
// https://docs.claude.com/en/docs/agents-and-tools/tool-use/memory-tool.
//
// The package decides, over the files as they are given to it, and changes
// none: Do returns the answer and the edits that make it true. The files are
// those of the folder notes of memory, which holds Markdown alone. So a name
// whose only dot is that of .md is stored as it is (plan.md); any other with
// .md behind it (prefs.txt as prefs.txt.md), and one without a dot with ..md
// (todo as todo..md): no two names are stored as one.
//
// Guarantees: no path leads out of the folder, in whatever way it is written,
// and each is one that Windows takes too; what is no such name in the folder
// is not shown. A directory is there as long as a file is in it.
//
// Not guaranteed: that a file is no symlink. Whoever reads the files leaves
// links out, and whoever makes the edits follows none.
package memorytool

import (
	"fmt"
	"slices"
	"strings"

	"agentflow/memory"
)

// Command is a call of the tool, as the model sends it.
type Command struct {
	Command    string  `json:"command" jsonschema:"view, create, str_replace, insert, delete or rename"`
	Path       string  `json:"path,omitempty" jsonschema:"of every command but rename: /memories or a path below it"`
	ViewRange  []int   `json:"view_range,omitempty" jsonschema:"of view: the first and the last line to show, counted from 1; -1 as the last is the end of the file"`
	FileText   *string `json:"file_text,omitempty" jsonschema:"of create: what the new file is to hold"`
	OldStr     string  `json:"old_str,omitempty" jsonschema:"of str_replace: the text to replace, which stands in the file once"`
	NewStr     string  `json:"new_str,omitempty" jsonschema:"of str_replace: the text to put in its place"`
	InsertLine *int    `json:"insert_line,omitempty" jsonschema:"of insert: the line behind which to insert; 0 is the top of the file"`
	InsertText *string `json:"insert_text,omitempty" jsonschema:"of insert: the lines to insert"`
	OldPath    string  `json:"old_path,omitempty" jsonschema:"of rename: the file or directory"`
	NewPath    string  `json:"new_path,omitempty" jsonschema:"of rename: its new path, where nothing stands yet"`
}

// The commands.
const (
	View       = "view"
	Create     = "create"
	StrReplace = "str_replace"
	Insert     = "insert"
	Delete     = "delete"
	Rename     = "rename"
)

// Writes says whether the command changes files.
func (c Command) Writes() bool { return c.Command != View }

// TakesAway says whether the command takes text out of a place where it stood.
func (c Command) TakesAway() bool {
	return c.Command == StrReplace || c.Command == Delete || c.Command == Rename
}

// String is the command with its paths, on one line.
func (c Command) String() string {
	if c.Command == Rename {
		return Rename + " " + said(c.OldPath) + " to " + said(c.NewPath)
	}
	return c.Command + " " + said(c.Path)
}

// Result is the answer to a command, and the edits that make it true: none for
// view.
type Result struct {
	Text  string
	Edits []memory.FileEdit // files by their names in memory: "notes/prefs.txt.md"
}

// Bounds of the folder. A file that a person made larger is shown, and may get
// smaller.
const (
	MaxFile  = 1 << 20  // bytes of a file
	MaxFiles = 1000     // files
	MaxTotal = 10 << 20 // bytes of all files
	MaxLines = 999_999  // lines of a file
)

// Why says what an error means to whoever sent the command.
type Why int

// What errors mean.
const (
	Invalid  Why = iota + 1 // the command cannot be understood
	NotFound                // nothing stands at the path
	Refused                 // as the files are, it is not done
)

// Error is an error that the model reads: its text is that of the tool's
// documentation, where that has one.
type Error struct {
	Why  Why
	Text string
}

func (e *Error) Error() string { return e.Text }

// ErrLink is what a path means that leads through a link. Do does not see links:
// it is for whoever reads the files and makes the edits.
var ErrLink = &Error{Refused, "Path would escape " + Root + " directory via symlink"}

func errorf(why Why, format string, args ...any) *Error {
	return &Error{why, fmt.Sprintf(format, args...)}
}

// Store says what is stored of a text.
type Store func(before, after string) (string, error)

// Show is a file's text as the model sees it, with as many lines as it has.
type Show func(text string) string

// Do decides what a command does to files, which are those of memory by their
// names in it; only those below memory.NotesFolder count, and none is changed.
// store says what is stored of a text that is to take the place of before,
// which is empty for a new file, and show what of that, and of other files, the
// model sees: what show leaves out is not found by str_replace either. Errors
// are of type *Error, or those of store.
func Do(files map[string][]byte, c Command, store Store, show Show) (Result, error) {
	do, known := map[string]func(*folder, Command) (Result, error){
		View: (*folder).view, Create: (*folder).create, StrReplace: (*folder).strReplace, Insert: (*folder).insert, Delete: (*folder).remove, Rename: (*folder).rename,
	}[c.Command]
	if !known {
		return Result{}, errorf(Invalid, "Unknown command: %s. It should be one of view, create, str_replace, insert, delete and rename", said(c.Command))
	}
	result, err := do(newFolder(files, store, show), c)
	if err != nil {
		return Result{}, err
	}
	return result, nil
}

// folder is the directory as the model sees it.
type folder struct {
	files map[string][]byte // by path: "/memories/prefs.txt"
	paths []string          // of the files, sorted
	store Store
	show  Show
	total int // bytes of all files
}

func newFolder(files map[string][]byte, store Store, show Show) *folder {
	f := &folder{files: map[string][]byte{}, store: store, show: show}
	for name, content := range files {
		if path, ok := shownPath(name); ok {
			f.files[path] = content
			f.paths = append(f.paths, path)
			f.total += len(content)
		}
	}
	slices.Sort(f.paths)
	return f
}

// below are the paths of the files in a directory, and below it.
func (f *folder) below(dir string) []string {
	from, _ := slices.BinarySearch(f.paths, dir+"/")
	to := from
	for to < len(f.paths) && strings.HasPrefix(f.paths[to], dir+"/") {
		to++
	}
	return f.paths[from:to]
}

// file is the content of the file at a path.
func (f *folder) file(path string) (string, bool) {
	content, ok := f.files[path]
	return string(content), ok
}
