package server

import (
	"context"

	"agentflow/app/api"
	"agentflow/app/list"
)

// Files lists the Markdown files of memory, MEMORY.md first.
type Files struct {
	Files      []api.MemoryFile `json:"files"`
	Repository string           `json:"repository"`
	Degraded   []string         `json:"degraded"`
}

func memoryFiles(ctx context.Context, c call, _ empty) (Files, error) {
	res, err := list.MemoryFiles(ctx, c.Memory)
	return Files{res.Files, c.Name, res.Degraded}, err
}

// FileLines identifies lines of a file.
type FileLines struct {
	Name string `path:"name" json:"-" doc:"as hits name it: memory/2026-11-21.md, global:memory/MEMORY.md"`
	From int    `query:"from" json:"-" doc:"the first line, from 1"`
	To   int    `query:"to" json:"-" doc:"the last line"`
}

// Passage is a part of a file, verbatim except for control characters.
type Passage struct {
	File       string   `json:"file"`
	From       int      `json:"from"`
	To         int      `json:"to"`
	Lines      int      `json:"lines"` // of the whole file
	Text       string   `json:"text"`
	Cut        bool     `json:"cut"`       // the text was longer: the rest begins in line to, or after it
	Untrusted  bool     `json:"untrusted"` // it came with the repository and was not accepted
	Repository string   `json:"repository"`
	Degraded   []string `json:"degraded"`
}

func memoryFile(ctx context.Context, c call, in FileLines) (Passage, error) {
	res, err := list.Passage(ctx, c.Memory, list.PassageRequest{File: in.Name, From: in.From, To: in.To})
	return Passage{res.File, res.From, res.To, res.Lines, res.Text, res.Cut, res.Untrusted, c.Name, res.Degraded}, err
}
