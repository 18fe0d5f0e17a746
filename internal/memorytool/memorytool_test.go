package memorytool

import (
	"fmt"
	"strings"
	"testing"

	"agentflow/memory"
)

// asItIs stores text unchanged.
func asItIs(_, after string) (string, error) { return after, nil }

// whole shows all of a text.
func whole(text string) string { return text }

func of[T any](v T) *T { return &v }

// stored returns the files for the table, by their names in memory.
func stored() map[string][]byte {
	return map[string][]byte{
		"MEMORY.md":              []byte("- not for agents\n"),
		"2026-11-21.md":          []byte("a day\n"),
		"notes/prefs.txt.md":     []byte("color: blue\nsize: 4\nshape: round\nlast"),
		"notes/plan.md":          []byte("# Plan\n\n- one\n- two\n- one\n"),
		"notes/empty.txt.md":     {},
		"notes/todo..md":         []byte("no ending\n"),
		"notes/work/a.xml.md":    []byte("<a>\n"),
		"notes/work/deep/b.md":   []byte("b\n"),
		"notes/work/deep/x/c.md": []byte("deeper\n"),
		"notes/win.txt.md":       []byte("one\r\ntwo\r\nthree\r\n"),
		"notes/.hidden.md":       []byte("hidden"),
	}
}

// large is a file with one line more than view shows.
var large = []byte(strings.Repeat("x\n", MaxLines) + "x")

const snippetAt = "The memory file has been edited.\n"

func TestCommands(t *testing.T) {
	tooMuch := strings.Repeat("x", MaxFile+1)
	for name, c := range map[string]struct {
		do    Command
		text  string            // of the answer
		fails string            // text of the error
		files map[string]string // what these files hold afterwards; "-": they are gone
	}{
		"view the root": {do: Command{Command: View, Path: "/memories"}, text: "Here're the files and directories up to 2 levels deep in /memories, excluding hidden items and node_modules:\n" +
			"1.9M\t/memories\n0B\t/memories/empty.txt\n1.9M\t/memories/large.txt\n26B\t/memories/plan.md\n37B\t/memories/prefs.txt\n10B\t/memories/todo\n17B\t/memories/win.txt\n13B\t/memories/work\n4B\t/memories/work/a.xml\n9B\t/memories/work/deep"},
		"view a directory": {do: Command{Command: View, Path: "/memories/work/"}, text: "Here're the files and directories up to 2 levels deep in /memories/work, excluding hidden items and node_modules:\n" +
			"13B\t/memories/work\n4B\t/memories/work/a.xml\n9B\t/memories/work/deep\n2B\t/memories/work/deep/b.md\n7B\t/memories/work/deep/x"},
		"view a file":             {do: Command{Command: View, Path: "/memories/prefs.txt"}, text: "Here's the content of /memories/prefs.txt with line numbers:\n     1\tcolor: blue\n     2\tsize: 4\n     3\tshape: round\n     4\tlast"},
		"view lines":              {do: Command{Command: View, Path: "/memories/prefs.txt", ViewRange: []int{2, 3}}, text: "Here's the content of /memories/prefs.txt with line numbers:\n     2\tsize: 4\n     3\tshape: round"},
		"view to the end":         {do: Command{Command: View, Path: "/memories/prefs.txt", ViewRange: []int{3, -1}}, text: "Here's the content of /memories/prefs.txt with line numbers:\n     3\tshape: round\n     4\tlast"},
		"view beyond the end":     {do: Command{Command: View, Path: "/memories/prefs.txt", ViewRange: []int{4, 99}}, text: "Here's the content of /memories/prefs.txt with line numbers:\n     4\tlast"},
		"view an empty file":      {do: Command{Command: View, Path: "/memories/empty.txt"}, text: "Here's the content of /memories/empty.txt with line numbers:\n"},
		"view nothing":            {do: Command{Command: View, Path: "/memories/none.txt"}, fails: "The path /memories/none.txt does not exist. Please provide a valid path."},
		"view too many lines":     {do: Command{Command: View, Path: "/memories/large.txt"}, fails: "File /memories/large.txt exceeds maximum line limit of 999,999 lines."},
		"view from line 0":        {do: Command{Command: View, Path: "/memories/prefs.txt", ViewRange: []int{0, 2}}, fails: "Invalid `view_range` parameter: [0, 2]. It should be two lines within the range of lines of the file: [1, 4]"},
		"view lines backwards":    {do: Command{Command: View, Path: "/memories/prefs.txt", ViewRange: []int{3, 2}}, fails: "Invalid `view_range` parameter: [3, 2]. It should be two lines within the range of lines of the file: [1, 4]"},
		"view behind the end":     {do: Command{Command: View, Path: "/memories/prefs.txt", ViewRange: []int{5, -1}}, fails: "Invalid `view_range` parameter: [5, -1]. It should be two lines within the range of lines of the file: [1, 4]"},
		"view one number":         {do: Command{Command: View, Path: "/memories/prefs.txt", ViewRange: []int{1}}, fails: "Invalid `view_range` parameter: [1]. It should be two lines within the range of lines of the file: [1, 4]"},
		"view what is not notes":  {do: Command{Command: View, Path: "/memories/MEMORY.md"}, fails: "The path /memories/MEMORY.md does not exist. Please provide a valid path."},
		"view elsewhere":          {do: Command{Command: View, Path: "/etc/passwd"}, fails: "Path must start with /memories, got: /etc/passwd"},
		"view a neighbour":        {do: Command{Command: View, Path: "/memoriesX"}, fails: "Path must start with /memories, got: /memoriesX"},
		"view above":              {do: Command{Command: View, Path: "/memories/../MEMORY.md"}, fails: "Path /memories/../MEMORY.md would escape /memories directory"},
		"view above, encoded":     {do: Command{Command: View, Path: "/memories/%2e%2e%2fMEMORY.md"}, fails: "Path /memories/%2e%2e%2fMEMORY.md would escape /memories directory"},
		"view above, with \\":     {do: Command{Command: View, Path: `/memories/..\MEMORY.md`}, fails: `Path /memories/..\MEMORY.md would escape /memories directory`},
		"view above and back":     {do: Command{Command: View, Path: "/memories/work/../plan.md"}, fails: "Path /memories/work/../plan.md would escape /memories directory"},
		"view with doubled /":     {do: Command{Command: View, Path: "/memories//./todo"}, text: "Here's the content of /memories/todo with line numbers:\n     1\tno ending"},
		"create":                  {do: Command{Command: Create, Path: "/memories/new.txt", FileText: of("hello\n")}, text: "File created successfully at: /memories/new.txt", files: map[string]string{"notes/new.txt.md": "hello\n"}},
		"create Markdown":         {do: Command{Command: Create, Path: "/memories/new.md", FileText: of("hello")}, text: "File created successfully at: /memories/new.md", files: map[string]string{"notes/new.md": "hello"}},
		"create without ending":   {do: Command{Command: Create, Path: "/memories/new", FileText: of("hello")}, text: "File created successfully at: /memories/new", files: map[string]string{"notes/new..md": "hello"}},
		"create two endings":      {do: Command{Command: Create, Path: "/memories/prefs.txt.md", FileText: of("hello")}, text: "File created successfully at: /memories/prefs.txt.md", files: map[string]string{"notes/prefs.txt.md.md": "hello"}},
		"create in a directory":   {do: Command{Command: Create, Path: "/memories/x/y/new.txt", FileText: of("")}, text: "File created successfully at: /memories/x/y/new.txt", files: map[string]string{"notes/x/y/new.txt.md": ""}},
		"create what is there":    {do: Command{Command: Create, Path: "/memories/prefs.txt", FileText: of("x")}, fails: "Error: File /memories/prefs.txt already exists"},
		"create a directory":      {do: Command{Command: Create, Path: "/memories/work", FileText: of("x")}, fails: "Error: File /memories/work already exists"},
		"create the root":         {do: Command{Command: Create, Path: "/memories", FileText: of("x")}, fails: "Error: File /memories already exists"},
		"create below a file":     {do: Command{Command: Create, Path: "/memories/prefs.txt/x", FileText: of("x")}, fails: "The path /memories/prefs.txt is a file"},
		"create in other letters": {do: Command{Command: Create, Path: "/memories/PREFS.txt", FileText: of("x")}, fails: "The path /memories/PREFS.txt differs from the file /memories/prefs.txt only in how letters are written"},
		"create with a long s":    {do: Command{Command: Create, Path: "/memories/pref\u017f.txt", FileText: of("x")}, fails: "The path \"/memories/pref\u017f.txt\" differs from the file /memories/prefs.txt only in how letters are written"},
		"create in WORK":          {do: Command{Command: Create, Path: "/memories/WORK/n.txt", FileText: of("x")}, fails: "The path /memories/WORK/n.txt differs from the directory /memories/work only in how letters are written"},
		"create without text":     {do: Command{Command: Create, Path: "/memories/new.txt"}, fails: "create needs the parameter `file_text`"},
		"create too much":         {do: Command{Command: Create, Path: "/memories/new.txt", FileText: &tooMuch}, fails: "File /memories/new.txt would have 1.0M, and a file has at most 1M. Use several files"},
		"replace": {do: Command{Command: StrReplace, Path: "/memories/prefs.txt", OldStr: "blue", NewStr: "green"}, text: snippetAt + "     1\tcolor: green\n     2\tsize: 4\n     3\tshape: round",
			files: map[string]string{"notes/prefs.txt.md": "color: green\nsize: 4\nshape: round\nlast"}},
		"replace with lines": {do: Command{Command: StrReplace, Path: "/memories/prefs.txt", OldStr: "shape: round\n", NewStr: "a\nb\n"}, text: snippetAt + "     1\tcolor: blue\n     2\tsize: 4\n     3\ta\n     4\tb\n     5\tlast",
			files: map[string]string{"notes/prefs.txt.md": "color: blue\nsize: 4\na\nb\nlast"}},
		"replace with nothing":  {do: Command{Command: StrReplace, Path: "/memories/todo", OldStr: "no ending\n"}, text: snippetAt, files: map[string]string{"notes/todo..md": ""}},
		"replace with the same": {do: Command{Command: StrReplace, Path: "/memories/todo", OldStr: "ending", NewStr: "ending"}, text: snippetAt + "     1\tno ending"},
		"replace lines of Windows": {do: Command{Command: StrReplace, Path: "/memories/win.txt", OldStr: "one\ntwo", NewStr: "1\n2"}, text: snippetAt + "     1\t1\n     2\t2\n     3\tthree",
			files: map[string]string{"notes/win.txt.md": "1\r\n2\r\nthree\r\n"}},
		"replace what is not there": {do: Command{Command: StrReplace, Path: "/memories/prefs.txt", OldStr: "red", NewStr: "x"}, fails: "No replacement was performed, old_str `red` did not appear verbatim in /memories/prefs.txt."},
		"replace what is twice":     {do: Command{Command: StrReplace, Path: "/memories/plan.md", OldStr: "one", NewStr: "x"}, fails: "No replacement was performed. Multiple occurrences of old_str `one` in lines: 3, 5. Please ensure it is unique"},
		"replace twice over lines":  {do: Command{Command: StrReplace, Path: "/memories/plan.md", OldStr: "\n- ", NewStr: "x"}, fails: "No replacement was performed. Multiple occurrences of old_str `\n- ` in lines: 2, 3, 4. Please ensure it is unique"},
		"replace nothing":           {do: Command{Command: StrReplace, Path: "/memories/plan.md", NewStr: "x"}, fails: "str_replace needs the parameter `old_str`"},
		"replace in no file":        {do: Command{Command: StrReplace, Path: "/memories/none", OldStr: "a"}, fails: "Error: The path /memories/none does not exist. Please provide a valid path."},
		"replace in a directory":    {do: Command{Command: StrReplace, Path: "/memories/work", OldStr: "a"}, fails: "Error: The path /memories/work does not exist. Please provide a valid path."},
		"insert at the top":         {do: Command{Command: Insert, Path: "/memories/todo", InsertLine: of(0), InsertText: of("first")}, text: "The file /memories/todo has been edited.", files: map[string]string{"notes/todo..md": "first\nno ending\n"}},
		"insert between":            {do: Command{Command: Insert, Path: "/memories/prefs.txt", InsertLine: of(1), InsertText: of("a\nb\n")}, text: "The file /memories/prefs.txt has been edited.", files: map[string]string{"notes/prefs.txt.md": "color: blue\na\nb\nsize: 4\nshape: round\nlast"}},
		"insert at the end":         {do: Command{Command: Insert, Path: "/memories/prefs.txt", InsertLine: of(4), InsertText: of("end")}, text: "The file /memories/prefs.txt has been edited.", files: map[string]string{"notes/prefs.txt.md": "color: blue\nsize: 4\nshape: round\nlast\nend\n"}},
		"insert a blank line":       {do: Command{Command: Insert, Path: "/memories/todo", InsertLine: of(1), InsertText: of("")}, text: "The file /memories/todo has been edited.", files: map[string]string{"notes/todo..md": "no ending\n\n"}},
		"insert in an empty file":   {do: Command{Command: Insert, Path: "/memories/empty.txt", InsertLine: of(0), InsertText: of("a")}, text: "The file /memories/empty.txt has been edited.", files: map[string]string{"notes/empty.txt.md": "a\n"}},
		"insert for Windows":        {do: Command{Command: Insert, Path: "/memories/win.txt", InsertLine: of(1), InsertText: of("a\nb")}, text: "The file /memories/win.txt has been edited.", files: map[string]string{"notes/win.txt.md": "one\r\na\r\nb\r\ntwo\r\nthree\r\n"}},
		"insert beyond the end":     {do: Command{Command: Insert, Path: "/memories/prefs.txt", InsertLine: of(5), InsertText: of("x")}, fails: "Error: Invalid `insert_line` parameter: 5. It should be within the range of lines of the file: [0, 4]"},
		"insert before the top":     {do: Command{Command: Insert, Path: "/memories/prefs.txt", InsertLine: of(-1), InsertText: of("x")}, fails: "Error: Invalid `insert_line` parameter: -1. It should be within the range of lines of the file: [0, 4]"},
		"insert nowhere":            {do: Command{Command: Insert, Path: "/memories/prefs.txt", InsertText: of("x")}, fails: "insert needs the parameter `insert_line`"},
		"insert nothing":            {do: Command{Command: Insert, Path: "/memories/prefs.txt", InsertLine: of(1)}, fails: "insert needs the parameter `insert_text`"},
		"insert in no file":         {do: Command{Command: Insert, Path: "/memories/none", InsertLine: of(0), InsertText: of("x")}, fails: "Error: The path /memories/none does not exist"},
		"insert in a directory":     {do: Command{Command: Insert, Path: "/memories/work", InsertLine: of(0), InsertText: of("x")}, fails: "Error: The path /memories/work does not exist"},
		"delete a file":             {do: Command{Command: Delete, Path: "/memories/prefs.txt"}, text: "Successfully deleted /memories/prefs.txt", files: map[string]string{"notes/prefs.txt.md": "-"}},
		"delete a directory":        {do: Command{Command: Delete, Path: "/memories/work"}, text: "Successfully deleted /memories/work", files: map[string]string{"notes/work/a.xml.md": "-", "notes/work/deep/b.md": "-", "notes/work/deep/x/c.md": "-"}},
		"delete nothing":            {do: Command{Command: Delete, Path: "/memories/none"}, fails: "Error: The path /memories/none does not exist"},
		"delete the root":           {do: Command{Command: Delete, Path: "/memories/"}, fails: "Cannot delete the /memories directory itself"},
		"rename a file": {do: Command{Command: Rename, OldPath: "/memories/prefs.txt", NewPath: "/memories/x/final.md"}, text: "Successfully renamed /memories/prefs.txt to /memories/x/final.md",
			files: map[string]string{"notes/prefs.txt.md": "-", "notes/x/final.md": "color: blue\nsize: 4\nshape: round\nlast"}},
		"rename a directory": {do: Command{Command: Rename, OldPath: "/memories/work", NewPath: "/memories/old"}, text: "Successfully renamed /memories/work to /memories/old",
			files: map[string]string{"notes/work/a.xml.md": "-", "notes/work/deep/b.md": "-", "notes/work/deep/x/c.md": "-", "notes/old/a.xml.md": "<a>\n", "notes/old/deep/b.md": "b\n", "notes/old/deep/x/c.md": "deeper\n"}},
		"rename nothing":           {do: Command{Command: Rename, OldPath: "/memories/none", NewPath: "/memories/x"}, fails: "Error: The path /memories/none does not exist"},
		"rename over a file":       {do: Command{Command: Rename, OldPath: "/memories/todo", NewPath: "/memories/prefs.txt"}, fails: "Error: The destination /memories/prefs.txt already exists"},
		"rename over a directory":  {do: Command{Command: Rename, OldPath: "/memories/todo", NewPath: "/memories/work"}, fails: "Error: The destination /memories/work already exists"},
		"rename to itself":         {do: Command{Command: Rename, OldPath: "/memories/todo", NewPath: "/memories/todo"}, fails: "Error: The destination /memories/todo already exists"},
		"rename in other letters":  {do: Command{Command: Rename, OldPath: "/memories/todo", NewPath: "/memories/TODO"}, fails: "Error: The destination /memories/TODO already exists"},
		"rename the root":          {do: Command{Command: Rename, OldPath: "/memories", NewPath: "/memories/x"}, fails: "Cannot rename the /memories directory itself"},
		"rename to the root":       {do: Command{Command: Rename, OldPath: "/memories/work", NewPath: "/memories"}, fails: "Error: The destination /memories already exists"},
		"rename into itself":       {do: Command{Command: Rename, OldPath: "/memories/work", NewPath: "/memories/work/x"}, fails: "The path /memories/work cannot be moved into itself"},
		"rename out of here":       {do: Command{Command: Rename, OldPath: "/memories/work", NewPath: "/memories/../x"}, fails: "Path /memories/../x would escape /memories directory"},
		"rename what is elsewhere": {do: Command{Command: Rename, OldPath: "/etc/passwd", NewPath: "/memories/x"}, fails: "Path must start with /memories, got: /etc/passwd"},
		"no command":               {do: Command{Command: "format", Path: "/memories"}, fails: "Unknown command: format. It should be one of view, create, str_replace, insert, delete and rename"},
	} {
		t.Run(name, func(t *testing.T) {
			files := stored()
			files["notes/large.txt.md"] = large
			result, err := Do(files, c.do, asItIs, whole)
			if got := fmt.Sprint(err); c.fails != "" && got != c.fails || c.fails == "" && err != nil {
				t.Errorf("fails with\n%s\nnot with\n%s", got, c.fails)
			}
			if result.Text != c.text {
				t.Errorf("says\n%s\nnot\n%s", result.Text, c.text)
			}
			checkEdits(t, stored(), result.Edits, c.files)
		})
	}
}

// checkEdits compares the files after the edits with the wanted ones: "-" stands for a removed
// file.
func checkEdits(t *testing.T, files map[string][]byte, edits []memory.FileEdit, want map[string]string) {
	t.Helper()
	got := map[string]string{}
	for _, e := range edits {
		now, there := files[e.File]
		if there != (e.Before != nil) || string(now) != string(e.Before) {
			t.Errorf("%s holds %q, and the edit is of %q", e.File, now, e.Before)
		}
		if got[e.File] = string(e.After); e.After == nil {
			got[e.File] = "-"
		}
	}
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("makes\n%q\nnot\n%q", got, want)
	}
}
