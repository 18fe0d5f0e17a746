package page

import (
	"context"
	"strconv"
	"strings"

	"agentflow/app/api"
	applist "agentflow/app/list"
	"agentflow/memory"
)

// textPage is the view Memory.
type textPage struct {
	Files []api.MemoryFile
	File  string
	Text  *applist.PassageResult // nil if there is none
	Lines []numbered
	Next  int // the line in which the rest begins; 0 if there is none
}

// numbered is a line of Markdown with its number.
type numbered struct {
	Number  int
	Text    string
	Comment string // the comment for programs at its end
	Head    bool   // it is a heading
}

func numberedLine(number int, text string) numbered {
	n := numbered{Number: number, Text: text, Head: strings.HasPrefix(text, "#")}
	if at := strings.Index(text, "<!--"); at >= 0 && strings.HasSuffix(text, "-->") {
		n.Text, n.Comment = text[:at], text[at:]
	}
	return n
}

func memoryText(ctx context.Context, q request) (a answer, err error) {
	list, err := applist.MemoryFiles(ctx, q.Memory)
	if err != nil {
		return a, err
	}
	p := textPage{Files: list.Files, File: q.get("file")}
	a = answer{Title: "Memory", Degraded: list.Degraded}
	if p.File == "" && len(p.Files) > 0 {
		p.File = p.Files[0].Name
	}
	if p.File == "" {
		a.Data = p
		return a, nil
	}
	from, _ := strconv.Atoi(q.get("from")) // an invalid number means the first line
	res, err := applist.Passage(ctx, q.Memory, applist.PassageRequest{File: p.File, From: max(from, 0)})
	if err != nil {
		return a, err
	}
	p.Text = &res
	for i, text := range strings.Split(res.Text, "\n") {
		p.Lines = append(p.Lines, numberedLine(res.From+i, text))
	}
	if res.To < res.Lines {
		p.Next = res.To + 1
	}
	a.Title, a.Data = "Memory: "+memory.Clean(p.File), p
	a.Degraded = append(a.Degraded, res.Degraded...)
	return a, nil
}
