package main

import (
	"fmt"
	"go/ast"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/tools/go/packages"
)

// flagged matches the words that make this project's sentences hard to read:
// they take the place of a noun, an active verb or a term of the field. The
// list has no exceptions for good uses: what remains below the limit is for those.
var flagged = regexp.MustCompile(`(?i)\b(whoever|whatever|whose|what of|of what|of which|stands?|beside|told|tells?|nobody|anew|alone|(?:goes|go|going|gone|went) on|what is|comes? to|held back|hears?|heard|its own)\b`)

var (
	word      = regexp.MustCompile(`[A-Za-z']+`)
	xIs       = regexp.MustCompile(`^\w+ (is|are) `)
	standsFor = regexp.MustCompile(`(?i)\bstands? for\b`)
)

// An english value counts words and flagged words of some texts.
type english struct{ words, flagged int }

func (e *english) read(text string) {
	text = strings.Join(strings.Fields(text), " ")
	e.words += len(word.FindAllString(text, -1))
	e.flagged += len(flagged.FindAllString(text, -1)) - len(standsFor.FindAllString(text, -1))
}

// perThousand returns the flagged words per 1,000 words.
func (e *english) perThousand() float64 {
	return 1000 * float64(e.flagged) / float64(max(e.words, 1))
}

// readTexts measures comments, messages and documents of the repository.
func readTexts(root string, program []*packages.Package) ([]measured, error) {
	var comments, messages, docs english
	is, declared := 0, 0
	for _, p := range program {
		for _, file := range p.Syntax {
			for _, group := range file.Comments {
				comments.read(group.Text())
			}
			readMessages(file, &messages)
			for _, doc := range docComments(file) {
				declared++
				if xIs.MatchString(doc) {
					is++
				}
			}
		}
	}
	names, err := documents(root)
	if err != nil {
		return nil, err
	}
	longest := measured{name: "longest line of prose in Markdown"}
	for _, name := range names {
		text, err := os.ReadFile(name)
		if err != nil {
			return nil, err
		}
		prose := proseOf(string(text))
		docs.read(strings.Join(prose, "\n"))
		for _, line := range prose {
			if n := len([]rune(line)); float64(n) > longest.value {
				longest.value, longest.where = float64(n), filepath.Base(name)
			}
		}
	}
	architecture, err := os.ReadFile(filepath.Join(root, "ARCHITECTURE.md"))
	if err != nil {
		return nil, err
	}
	return []measured{
		{name: "flagged words per 1,000 of comments", value: comments.perThousand(), where: fmt.Sprint(comments.flagged)},
		{name: "flagged words per 1,000 of messages", value: messages.perThousand(), where: fmt.Sprint(messages.flagged)},
		{name: "flagged words per 1,000 of documents", value: docs.perThousand(), where: fmt.Sprint(docs.flagged)},
		{name: "percent of comments that begin X is", value: 100 * float64(is) / float64(max(declared, 1))},
		{name: "words of ARCHITECTURE.md", value: float64(len(strings.Fields(string(architecture))))},
		longest,
	}, nil
}

// readMessages counts the words of string literals that are sentences: three
// words or more with spaces between them.
func readMessages(file *ast.File, messages *english) {
	ast.Inspect(file, func(n ast.Node) bool {
		if literal, ok := n.(*ast.BasicLit); ok && literal.Kind == token.STRING {
			if text, err := strconv.Unquote(literal.Value); err == nil && len(strings.Fields(text)) > 2 {
				messages.read(text)
			}
		}
		return true
	})
}

// docComments returns the comments of the declarations at a file's top.
func docComments(file *ast.File) []string {
	var docs []string
	for _, declared := range file.Decls {
		switch d := declared.(type) {
		case *ast.FuncDecl:
			docs = append(docs, d.Doc.Text())
		case *ast.GenDecl:
			docs = append(docs, d.Doc.Text())
		}
	}
	return slices.DeleteFunc(docs, func(doc string) bool { return doc == "" })
}

// documents returns the Markdown files that people read: at the root, in docs and in docs/notes.
func documents(root string) ([]string, error) {
	var list []string
	for _, folder := range []string{".", "docs", "docs/notes"} {
		pages, err := filepath.Glob(filepath.Join(root, folder, "*.md"))
		if err != nil {
			return nil, err
		}
		list = append(list, pages...)
	}
	return list, nil
}

// proseOf returns the lines of a Markdown text outside code blocks and tables.
func proseOf(text string) []string {
	var prose []string
	fenced := false
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\n")
		if strings.HasPrefix(strings.TrimSpace(line), "```") {
			fenced = !fenced
			continue
		}
		if !fenced && !strings.HasPrefix(strings.TrimSpace(line), "|") {
			prose = append(prose, line)
		}
	}
	return prose
}
