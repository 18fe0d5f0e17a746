package memorytool

import (
	"fmt"
	"slices"
	"strings"

	"agentflow/memory"
	"agentflow/memory/quote"
)

func (f *folder) create(c Command) (Result, error) {
	at, err := cleanPath(c.Path)
	if err != nil {
		return Result{}, err
	}
	if c.FileText == nil {
		return Result{}, missing(Create, "file_text")
	}
	if _, there := f.file(at); there || at == Root || len(f.below(at)) > 0 {
		return Result{}, errorf(Refused, "Error: File %s already exists", named(at))
	}
	if err := f.vacant(at); err != nil {
		return Result{}, err
	}
	if len(f.files) >= MaxFiles {
		return Result{}, errorf(Refused, "File %s was not created: %s holds %d files already, and no more are kept. Delete some first", named(at), Root, len(f.files))
	}
	edit, err := f.edit(at, memory.Clean(*c.FileText))
	return Result{Text: "File created successfully at: " + named(at), Edits: edit}, err
}

// missing returns the error for a command that lacks a parameter.
func missing(command, parameter string) error {
	return errorf(Invalid, "%s needs the parameter `%s`", command, parameter)
}

func (f *folder) strReplace(c Command) (Result, error) {
	at, err := cleanPath(c.Path)
	if err != nil {
		return Result{}, err
	}
	content, ok := f.file(at)
	if !ok {
		return Result{}, errorf(NotFound, "Error: The path %s does not exist. Please provide a valid path.", named(at))
	}
	if c.OldStr == "" {
		return Result{}, missing(StrReplace, "old_str")
	}
	old, with := c.OldStr, memory.Clean(c.NewStr)
	if strings.Contains(content, "\r\n") && !strings.Contains(content, old) {
		old, with = withCarriageReturns(old), withCarriageReturns(with) // like the line ends of an editor on Windows
	}
	if !strings.Contains(content, old) {
		old = strings.ReplaceAll(old, quote.Opened, "<") // as view shows a tag
	}
	switch count := strings.Count(content, old); {
	case count == 0 || strings.Count(f.show(content), old) != count: // view does not show a part of it
		return Result{}, errorf(Refused, "No replacement was performed, old_str `%s` did not appear verbatim in %s.", quoted(c.OldStr), named(at))
	case count > 1:
		return Result{}, errorf(Refused, "No replacement was performed. Multiple occurrences of old_str `%s` in lines: %s. Please ensure it is unique", quoted(c.OldStr), places(content, old))
	}
	before, behind, _ := strings.Cut(content, old)
	edits, err := f.edit(at, before+with+behind)
	if err != nil {
		return Result{}, err
	}
	for _, e := range edits {
		content = string(e.After)
	}
	return Result{Text: "The memory file has been edited.\n" + snippet(f.show(content), countLines(before+"x"), strings.Count(with, "\n")), Edits: edits}, nil
}

// quoted returns a text of the model for an answer, unchanged but of limited length.
func quoted(s string) string {
	const most = 10_000
	if s = memory.Clean(s); len(s) > most {
		s = strings.ToValidUTF8(s[:most], "") + "…"
	}
	return s
}

func withCarriageReturns(s string) string {
	return strings.ReplaceAll(strings.ReplaceAll(s, "\r\n", "\n"), "\n", "\r\n")
}

// maxPlaces limits the lines that an error names.
const maxPlaces = 100

// places returns the lines on which old begins, each once.
func places(content, old string) string {
	var lines []string
	line, last := 1, 0
	for at := 0; len(lines) <= maxPlaces; {
		next := strings.Index(content[at:], old)
		if next < 0 {
			break
		}
		line += strings.Count(content[at:at+next], "\n")
		if line != last {
			lines, last = append(lines, fmt.Sprint(line)), line
		}
		at += next + len(old)
		line += strings.Count(old, "\n")
	}
	if len(lines) > maxPlaces {
		lines[maxPlaces] = "…"
	}
	return strings.Join(lines, ", ")
}

// snippet shows a change that begins on a line and has more additional lines, with two lines
// before and after it.
func snippet(content string, line, more int) string {
	const around, most = 2, 10_000
	lines := linesOf(content)
	text, _ := numbered(lines, max(1, min(line-around, len(lines))), min(line+more+around, len(lines)), most)
	return text
}

func (f *folder) insert(c Command) (Result, error) {
	at, err := cleanPath(c.Path)
	if err != nil {
		return Result{}, err
	}
	content, ok := f.file(at)
	if !ok {
		return Result{}, errorf(NotFound, "Error: The path %s does not exist", named(at))
	}
	if c.InsertLine == nil {
		return Result{}, missing(Insert, "insert_line")
	}
	if c.InsertText == nil {
		return Result{}, missing(Insert, "insert_text")
	}
	n := countLines(content)
	if *c.InsertLine < 0 || *c.InsertLine > n {
		return Result{}, errorf(Invalid, "Error: Invalid `insert_line` parameter: %d. It should be within the range of lines of the file: [0, %d]", *c.InsertLine, n)
	}
	lines := slices.Collect(strings.Lines(content))
	before, behind := strings.Join(lines[:*c.InsertLine], ""), strings.Join(lines[*c.InsertLine:], "")
	text := onLines(memory.Clean(*c.InsertText))
	if before != "" {
		before = onLines(before)
	}
	if strings.Contains(content, "\r\n") {
		text = withCarriageReturns(text)
	}
	edit, err := f.edit(at, before+text+behind)
	return Result{Text: fmt.Sprintf("The file %s has been edited.", named(at)), Edits: edit}, err
}

// onLines returns text with the end of a line at its end.
func onLines(text string) string {
	if strings.HasSuffix(text, "\n") {
		return text
	}
	return text + "\n"
}

// edit returns the change of one file, or an error that says which limit it exceeds.
func (f *folder) edit(at, after string) ([]memory.FileEdit, error) {
	content, there := f.files[at]
	after, err := f.store(string(content), after)
	if err != nil {
		return nil, err
	}
	grows := len(after) > len(content)
	switch total := f.total - len(content) + len(after); {
	case !grows:
	case len(after) > MaxFile:
		return nil, errorf(Refused, "File %s would have %s, and a file has at most %s. Use several files", named(at), sizeText(len(after)), sizeText(MaxFile))
	case countLines(after) > MaxLines:
		return nil, tooManyLines(at)
	case total > MaxTotal:
		return nil, errorf(Refused, "File %s was not written: the files of %s would have %s, and have at most %s. Delete some first", named(at), Root, sizeText(total), sizeText(MaxTotal))
	}
	if !there {
		content = nil
	} else if string(content) == after {
		return nil, nil
	}
	return []memory.FileEdit{{File: storedName(at), Before: content, After: []byte(after)}}, nil
}
