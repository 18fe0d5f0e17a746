// Package docs holds the pages of documentation in the program.
package docs

import (
	"bufio"
	"embed"
	"strings"
)

//go:embed *.md
var pages embed.FS

// Names returns the names of the pages, without ".md", sorted.
func Names() []string {
	files, _ := pages.ReadDir(".") // it is in the program
	names := make([]string, len(files))
	for i, f := range files {
		names[i] = strings.TrimSuffix(f.Name(), ".md")
	}
	return names
}

// Page returns a page in Markdown, by its name; empty if there is none.
func Page(name string) string {
	text, _ := pages.ReadFile(name + ".md") // empty without a page
	return string(text)
}

// Title returns the first heading of a page. It reads only that: every command
// asks for all titles, and reading the pages was a fifteenth of a start.
func Title(name string) string {
	page, err := pages.Open(name + ".md")
	if err != nil {
		return ""
	}
	defer page.Close()
	line, _ := bufio.NewReaderSize(page, 128).ReadString('\n') // what comes before an error is the heading
	return strings.TrimPrefix(strings.TrimSuffix(line, "\n"), "# ")
}
