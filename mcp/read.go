package mcp

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"agentflow/app/api"
	"agentflow/app/list"
	"agentflow/app/search"
	"agentflow/app/why"
	"agentflow/internal/describe"
	"agentflow/internal/duration"
	"agentflow/memory"
	"agentflow/memory/quote"
	"agentflow/memory/retrieval"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// addReading offers the tools that change nothing.
func (d *door) addReading(s *sdk.Server) {
	tool(s, "memory_search", "Search memory",
		"Search the memory of earlier work on this repository: runs, commits, facts and notes, best first, each with its id and its place. Use the words of the task, with the names of files and functions.", reads, d.search)
	tool(s, "memory_get", "Read memory",
		"Read one entry or fact of memory whole, by its id, or lines of a file of memory, by path and lines as memory_search gives them.", reads, d.get)
	tool(s, "memory_list", "List facts",
		"List the facts that hold, the newest first.", reads, d.list)
	tool(s, "files_for_task", "Files of a task",
		"List the files that a task will likely touch, the likeliest first, each with its chance and why: what was touched for tasks like it, what was changed with that, and names. Ask when you begin a task, before you search the tree.", reads, d.files)
	tool(s, "why", "Why a line is there",
		"Show which session, run or commit wrote a line of a file: for which task, and what the agent said about it. Without a line: which tasks made the file or folder. Ask before you change code whose reason you do not see.", reads, d.why)
}

type searchArguments struct {
	Query string `json:"query" jsonschema:"the words to look for"`
	Limit int    `json:"limit,omitempty" jsonschema:"at most this many hits, 1 to 50; 5 when it is left out"`
	Since string `json:"since,omitempty" jsonschema:"only items of this day or later: 2026-11-21, or how long ago: 30d"`
	Until string `json:"until,omitempty" jsonschema:"only items older than this day or time"`
	Path  string `json:"path,omitempty" jsonschema:"only entries that changed this file, or something below this folder"`
	Type  string `json:"type,omitempty" jsonschema:"only with a fact of this type: semantic, episodic or procedural"`
	Tag   string `json:"tag,omitempty" jsonschema:"only with a fact that has this tag"`

	K             int                `json:"k,omitempty" jsonschema:"the same as limit"`
	Tags          []string           `json:"tags,omitempty" jsonschema:"as tag, for several tags: each narrows"`
	Types         []memory.FactType  `json:"types,omitempty" jsonschema:"as type, for any of several types"`
	Category      string             `json:"category,omitempty" jsonschema:"only with a fact of this category"`
	MinImportance float64            `json:"min_importance,omitempty" jsonschema:"only entries at least so important, 0 to 1; 0.5 is plain"`
	MinScore      *float64           `json:"min_score,omitempty" jsonschema:"only hits with at least this score: the chance that a hit is of use, 0 to 1"`
	Offset        int                `json:"offset,omitempty" jsonschema:"leaves out so many of the first hits: with limit, the next page"`
	Sort          search.SearchOrder `json:"sort,omitempty" jsonschema:"relevance, time (newest first), importance or score; relevance when it is left out"`
}

// tags returns the tags of two arguments.
func tags(one string, more []string) []string {
	if one != "" {
		more = append(slices.Clip(more), one)
	}
	return more
}

// most limits the items that a tool lists.
const most = 50

func (d *door) search(ctx context.Context, _ *sdk.ServerSession, in searchArguments) (string, error) {
	req := search.SearchRequest{Text: in.Query, Limit: min(cmp.Or(in.Limit, in.K), most), Default: 5, Offset: in.Offset, MinScore: in.MinScore, Sort: in.Sort}
	req.Filter = retrieval.Filter{Path: in.Path, Types: in.Types, Tags: tags(in.Tag, in.Tags), Category: in.Category, MinImportance: in.MinImportance}
	if in.Type != "" {
		req.Filter.Types = append(req.Filter.Types, memory.FactType(in.Type))
	}
	for _, limit := range []struct {
		name, text string
		to         *time.Time
	}{{"since", in.Since, &req.Filter.Since}, {"until", in.Until, &req.Filter.Until}} {
		if err := date(limit.name, limit.text, limit.to); err != nil {
			return "", err
		}
	}
	res, err := search.Search(ctx, d.memory, req)
	if err != nil {
		return "", err
	}
	a := &answer{rest: "more was found: ask for fewer with limit, or read one whole with memory_get"}
	for _, h := range res.Hits {
		a.add(describe.Found(h, in.Sort == search.ByScore))
	}
	a.tell(res.Degraded)
	return a.text("nothing relevant"), nil
}

// date parses a day or a time. An empty text does not change to.
func date(name, text string, to *time.Time) (err error) {
	if text == "" {
		return nil
	}
	if *to, err = duration.ParseDate(text, time.Now()); err != nil {
		return fmt.Errorf("%s: %w: %s", name, err, duration.DateForms)
	}
	return nil
}

type filesArguments struct {
	Task string `json:"task" jsonschema:"the task in the words of who asked for it"`
}

// manyFiles limits the likely files that a tool lists.
const manyFiles = 10

func (d *door) files(ctx context.Context, _ *sdk.ServerSession, in filesArguments) (string, error) {
	res, err := search.LikelyFiles(ctx, d.memory, search.LikelyFilesRequest{Task: in.Task, Limit: manyFiles})
	if err != nil {
		return "", err
	}
	a := &answer{}
	for _, f := range res.Files {
		a.add(fmt.Sprintf("%s  %s  %.0f %%  %s", quote.Path(f.Path), f.Role, 100*f.Chance, quote.Text(f.Why)))
	}
	a.tell(res.Degraded)
	return a.text("memory knows no files for this task"), nil
}

type getArguments struct {
	ID    string `json:"id,omitempty" jsonschema:"the id of an entry or a fact, or its end"`
	Path  string `json:"path,omitempty" jsonschema:"a file of memory, as memory_search gives it: .agentflow/memory/2026-11-21.md"`
	Lines string `json:"lines,omitempty" jsonschema:"lines of the file: 12-40; the whole file when it is left out"`
}

func (d *door) get(ctx context.Context, _ *sdk.ServerSession, in getArguments) (string, error) {
	req := list.PassageRequest{Ref: in.ID, File: in.Path}
	if in.Lines != "" {
		from, to, ranged := strings.Cut(in.Lines, "-")
		if _, err := fmt.Sscan(from+" "+cmp.Or(to, from), &req.From, &req.To); err != nil {
			return "", fmt.Errorf("lines: want 12 or 12-40, have %q", in.Lines)
		}
		if ranged && to == "" {
			req.To = 0
		}
	}
	res, err := list.Passage(ctx, d.memory, req)
	if err != nil {
		return "", err
	}
	head := fmt.Sprintf("%s of %d lines", describe.Place(res.File, res.From, res.To), res.Lines)
	if res.Author != "" {
		head += " · shared by " + quote.Name(res.Author)
	}
	if len(res.Under) > 0 {
		head += " · under " + quote.Text(strings.Join(res.Under, ": "))
	}
	if res.Untrusted {
		head += " · " + describe.NotTheUsers
	}
	return passage(res, head), nil
}

// passage returns the lines of a file that fit, after a head if there is one, and how to read
// the rest.
func passage(res list.PassageResult, head string) string {
	a := &answer{rest: "there is more: read on with memory_get, path " + describe.Place(res.File, 0, 0) + " and lines"}
	if head != "" {
		a.add(head)
	}
	a.lines(res.From, quote.Block(strings.TrimSuffix(res.Text, "\n")))
	a.cut = a.cut || res.Cut
	return a.text("")
}

type listArguments struct {
	Type   string `json:"type,omitempty" jsonschema:"only facts of this type: semantic, episodic or procedural"`
	Tag    string `json:"tag,omitempty" jsonschema:"only facts with this tag"`
	Limit  int    `json:"limit,omitempty" jsonschema:"at most this many, 1 to 50; 20 when it is left out"`
	Cursor string `json:"cursor,omitempty" jsonschema:"the cursor of an earlier list, to continue it"`

	Tags []string `json:"tags,omitempty" jsonschema:"as tag, for several tags: each narrows"`
}

func (d *door) list(ctx context.Context, _ *sdk.ServerSession, in listArguments) (string, error) {
	res, err := list.List(ctx, d.memory, list.Request{Type: memory.FactType(in.Type), Tags: tags(in.Tag, in.Tags), Limit: min(cmp.Or(in.Limit, 20), most), Cursor: in.Cursor})
	if err != nil {
		return "", err
	}
	a := &answer{rest: "there are more: ask for fewer with limit"}
	for _, f := range res.Facts {
		a.add(factText(f))
	}
	a.tell(res.Degraded)
	if res.Next != "" {
		a.end = fmt.Sprintf("%d in all; continue with cursor %s", res.Total, res.Next)
	}
	return a.text("no facts"), nil
}

// factText returns a fact with the attributes that help to judge it.
func factText(f api.Fact) string {
	line := fmt.Sprintf("%s · id %s · %s · importance %.2g", describe.Place(f.File, f.Line, f.Line), memory.ShortID(f.ID), quote.Path(string(cmp.Or(f.Type, memory.Semantic))), f.Importance)
	for _, part := range []struct{ name, value string }{
		{"key", f.Key}, {"tags", strings.Join(f.Tags, ", ")}, {"category", f.Category}, {"namespace", f.Namespace}, {"agent", f.Agent},
	} {
		if part.value != "" {
			line += " · " + part.name + " " + quote.Name(part.value)
		}
	}
	if !f.Created.IsZero() {
		line += " · " + describe.Day(f.Created)
	}
	return line + "\n" + quote.Block(f.Whole())
}

type whyArguments struct {
	Path string `json:"path" jsonschema:"a file or folder of the repository"`
	Line int    `json:"line,omitempty" jsonschema:"a line of the file, from 1; the whole path when it is left out"`
}

func (d *door) why(ctx context.Context, _ *sdk.ServerSession, in whyArguments) (string, error) {
	res, err := why.Why(ctx, d.memory, why.WhyRequest{Path: in.Path, From: in.Line, Limit: most})
	if err != nil {
		return "", err
	}
	a := &answer{rest: "there is more: read an entry with memory_get, or ask about a line"}
	for _, o := range res.Origins {
		a.add(describe.QuotedOrigin(res.Why, o))
	}
	for _, note := range res.Notes {
		a.add("(note: " + quote.Text(note) + ")")
	}
	a.tell(res.Degraded)
	return a.text("memory holds nothing that had to do with it"), nil
}
