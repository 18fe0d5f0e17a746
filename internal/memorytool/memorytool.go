// Package memorytool is Anthropic's memory tool, memory_20250818: six commands with which a
// model reads and writes the files of a directory that it knows as /memories. The commands, and
// the texts of their answers and errors, are documented at
// https://docs.claude.com/en/docs/agents-and-tools/tool-use/memory-tool.
//
// The package decides over the files that it is given, and changes none: Do returns the answer
// and the edits that make it true. The files are those of memory's folder notes, which holds
// only Markdown. So a name with no dot except that of .md is stored unchanged (plan.md).
// Another name with a dot is stored with an additional .md (prefs.txt as prefs.txt.md), and a
// name without a dot with ..md (todo as todo..md). No two names are stored as one.
//
// Guarantees: no path leads out of the folder, in any way of writing it, and each name is valid
// on Windows too. Files in the folder with other names are not shown. A directory exists as
// long as it contains a file.
//
// Not guaranteed: that a file is no symlink. The caller must leave links out when it reads the
// files, and must not follow any when it applies the edits.
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
	OldStr     string  `json:"old_str,omitempty" jsonschema:"of str_replace: the text to replace, which the file has exactly once"`
	NewStr     string  `json:"new_str,omitempty" jsonschema:"of str_replace: the text to put in its place"`
	InsertLine *int    `json:"insert_line,omitempty" jsonschema:"of insert: the line behind which to insert; 0 is the top of the file"`
	InsertText *string `json:"insert_text,omitempty" jsonschema:"of insert: the lines to insert"`
	OldPath    string  `json:"old_path,omitempty" jsonschema:"of rename: the file or directory"`
	NewPath    string  `json:"new_path,omitempty" jsonschema:"of rename: its new path, which does not exist yet"`
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

// Writes reports whether the command changes files.
func (c Command) Writes() bool { return c.Command != View }

// TakesAway reports whether the command removes text from a place.
func (c Command) TakesAway() bool {
	return c.Command == StrReplace || c.Command == Delete || c.Command == Rename
}

// String returns the command with its paths, on one line.
func (c Command) String() string {
	if c.Command == Rename {
		return Rename + " " + clipped(c.OldPath) + " to " + clipped(c.NewPath)
	}
	return c.Command + " " + clipped(c.Path)
}

// Result is the answer to a command, and the edits that make it true. View has no edits.
type Result struct {
	Text  string
	Edits []memory.FileEdit // files by their names in memory: "notes/prefs.txt.md"
}

// Limits of the folder. A larger file from a person is shown, and may become smaller.
const (
	MaxFile  = 1 << 20  // bytes of a file
	MaxFiles = 1000     // files
	MaxTotal = 10 << 20 // bytes of all files
	MaxLines = 999_999  // lines of a file
)

// Why is the kind of an error, for the caller.
type Why int

// The kinds of errors.
const (
	Invalid  Why = iota + 1 // the command is not valid
	NotFound                // there is no file at the path
	Refused                 // the state of the files does not allow it
)

// Error is an error that the model reads. Its text is that of the tool's documentation, if that
// has one.
type Error struct {
	Why  Why
	Text string
}

func (e *Error) Error() string { return e.Text }

// ErrLink rejects a path that leads through a link. Do does not see links: the error
// is for the code that reads the files and applies the edits.
var ErrLink = &Error{Refused, "Path would escape " + Root + " directory via symlink"}

func errorf(why Why, format string, args ...any) *Error {
	return &Error{why, fmt.Sprintf(format, args...)}
}

// Store returns the stored form of a text.
type Store func(before, after string) (string, error)

// Show returns the form of a file's text that the model sees, with the same number of lines.
type Show func(text string) string

// Do decides the effect of a command on files, which are those of memory by name. Only those
// below memory.NotesFolder count, and Do changes none. store returns the stored form of a text
// that replaces before, which is empty for a new file. show returns the part of stored text
// that the model sees: str_replace does not find text that show omits. Errors are of type
// *Error, or those of store.
func Do(files map[string][]byte, c Command, store Store, show Show) (Result, error) {
	do, known := map[string]func(*folder, Command) (Result, error){
		View: (*folder).view, Create: (*folder).create, StrReplace: (*folder).strReplace, Insert: (*folder).insert, Delete: (*folder).remove, Rename: (*folder).rename,
	}[c.Command]
	if !known {
		return Result{}, errorf(Invalid, "Unknown command: %s. It should be one of view, create, str_replace, insert, delete and rename", clipped(c.Command))
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

// below returns the paths of the files at any depth below a directory.
func (f *folder) below(dir string) []string {
	from, _ := slices.BinarySearch(f.paths, dir+"/")
	to := from
	for to < len(f.paths) && strings.HasPrefix(f.paths[to], dir+"/") {
		to++
	}
	return f.paths[from:to]
}

// file returns the content of the file at a path.
func (f *folder) file(path string) (string, bool) {
	content, ok := f.files[path]
	return string(content), ok
}
