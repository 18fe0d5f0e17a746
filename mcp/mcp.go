// Package mcp offers memory to agents as tools, over the Model Context
// Protocol (https://modelcontextprotocol.io).
package mcp

import (
	"context"
	"fmt"
	"io"
	"strings"

	"agentflow/app"
	"agentflow/memory"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// Options say how memory is offered.
type Options struct {
	Version string // of the program
	Run     string // id of the run that the agent works for; empty: none
	Session string // id of the agent's session; empty: not known
}

// New is a server whose tools work on one memory.
func New(m *app.Memory, options Options) *sdk.Server {
	s := sdk.NewServer(&sdk.Implementation{Name: "agentflow", Title: "AgentFlow memory", Version: options.Version},
		&sdk.ServerOptions{Instructions: instructions, Capabilities: &sdk.ServerCapabilities{}})
	d := door{memory: m, options: options}
	no := false
	sdk.AddTool(s, &sdk.Tool{Name: "memory_search", Description: "Search what earlier work on this repository has shown.",
		Annotations: &sdk.ToolAnnotations{Title: "Search memory", ReadOnlyHint: true, OpenWorldHint: &no}}, d.search)
	return s
}

const instructions = `Search memory with memory_search before you answer about earlier work.`

// door holds what the tools of a server work with.
type door struct {
	memory  *app.Memory
	options Options
}

type searchArguments struct {
	Query string `json:"query" jsonschema:"the words to look for"`
	Limit int    `json:"limit,omitempty" jsonschema:"at most this many hits; 5 when it is left out"`
}

func (d door) search(ctx context.Context, _ *sdk.CallToolRequest, in searchArguments) (*sdk.CallToolResult, any, error) {
	limit := in.Limit
	if limit == 0 {
		limit = 5
	}
	res, err := d.memory.Search(ctx, app.SearchRequest{Text: in.Query, Limit: limit})
	if err != nil {
		return nil, nil, err
	}
	if len(res.Hits) == 0 {
		return answer("nothing relevant"), nil, nil
	}
	var b strings.Builder
	for _, h := range res.Hits {
		fmt.Fprintf(&b, "%s · %s:%d-%d · id %s\n%s\n\n", memory.Clean(h.Heading), h.Path, h.StartLine, h.EndLine, memory.ShortID(h.EntryID), memory.Clean(h.Text))
	}
	return answer(b.String()), nil, nil
}

func answer(text string) *sdk.CallToolResult {
	return &sdk.CallToolResult{Content: []sdk.Content{&sdk.TextContent{Text: text}}}
}

// Serve answers the requests that come from in on out, until in ends or ctx.
func Serve(ctx context.Context, s *sdk.Server, in io.ReadCloser, out io.WriteCloser) error {
	return s.Run(ctx, &sdk.IOTransport{Reader: in, Writer: out})
}
