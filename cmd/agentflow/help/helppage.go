package help

import (
	"fmt"
	"io"
	"strings"

	"agentflow/docs"

	"github.com/spf13/cobra"
)

// Pages returns the pages of docs/ as help topics. A page with the name of a command is
// found by its file name, such as connect.md.
func Pages(root *cobra.Command) (list []*cobra.Command) {
	taken := map[string]bool{}
	for _, cmd := range root.Commands() {
		taken[cmd.Name()] = true
	}
	for _, name := range docs.Names() {
		page := &cobra.Command{Use: name, Aliases: []string{name + ".md", "docs/" + name + ".md"}, Short: docs.Title(name)}
		if taken[name] {
			page.Use = name + ".md"
		}
		page.SetHelpFunc(func(page *cobra.Command, _ []string) { writePage(page.OutOrStdout(), docs.Page(name)) })
		list = append(list, page)
	}
	return list
}

// writePage writes Markdown as text for a terminal: lines are folded, code and the rows of
// tables are indented, links are their text.
func writePage(out io.Writer, markdown string) {
	var b strings.Builder
	code := false
	for line := range strings.Lines(markdown) {
		line = strings.TrimRight(line, "\n")
		switch {
		case strings.HasPrefix(strings.TrimSpace(line), "```"):
			code = !code
		case code:
			b.WriteString("    " + line + "\n")
		case strings.HasPrefix(line, "|--"), strings.HasPrefix(line, "!["):
		case strings.HasPrefix(line, "|"):
			foldLine(&b, "  "+tableRow(line), "      ")
		default:
			text := strings.TrimLeft(line, " ")
			indent := strings.Repeat(" ", len(line)-len(text))
			if strings.HasPrefix(text, "- ") {
				foldLine(&b, indent+linkText(text), indent+"  ")
			} else {
				foldLine(&b, indent+linkText(text), indent)
			}
		}
	}
	fmt.Fprint(out, b.String())
}

// tableRow returns a row of a table with its cells side by side.
func tableRow(line string) string {
	line = strings.ReplaceAll(linkText(line), `\|`, "\x00")
	cells := strings.Split(strings.Trim(line, "| "), "|")
	for i, cell := range cells {
		cells[i] = strings.ReplaceAll(strings.TrimSpace(cell), "\x00", "|")
	}
	return strings.Join(cells, "  ")
}

// linkText replaces each link by its text.
func linkText(line string) string {
	var b strings.Builder
	for {
		before, rest, found := strings.Cut(line, "[")
		text, after, isLink := strings.Cut(rest, "](")
		target, tail, closed := strings.Cut(after, ")")
		if !found || !isLink || !closed || strings.ContainsAny(text, "[]") || strings.Contains(target, " ") {
			b.WriteString(before)
			if !found {
				return b.String()
			}
			b.WriteString("[")
			line = rest
			continue
		}
		b.WriteString(before + text)
		line = tail
	}
}

// foldLine writes a line in as many as it takes, those after the first one indented.
func foldLine(b *strings.Builder, line, indent string) {
	for len(line) > HelpWidth {
		at := strings.LastIndex(line[:HelpWidth], " ")
		if at <= len(indent) {
			break
		}
		b.WriteString(strings.TrimRight(line[:at], " ") + "\n")
		line = indent + strings.TrimLeft(line[at:], " ")
	}
	b.WriteString(line + "\n")
}
