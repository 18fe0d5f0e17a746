package mcp

import (
	"context"
	"net/url"
	"strings"

	"agentflow/app"
	appconnect "agentflow/app/connect"
	"agentflow/app/list"
	"agentflow/app/recall"
	"agentflow/internal/memorytool"
	"agentflow/memory"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// addMemoryTool offers Anthropic's memory tool.
func (d *door) addMemoryTool(s *sdk.Server) {
	tool(s, "memory", "Memory directory",
		"Read and write the files below /memories, where notes last beyond this conversation: view, create, str_replace, insert, delete, rename. Look there before you begin; write down what the next conversation needs.",
		sdk.ToolAnnotations{},
		func(ctx context.Context, session *sdk.ServerSession, c memorytool.Command) (string, error) {
			return d.agent(session).MemoryTool(ctx, c)
		})
}

// The prefixes of the URIs of resources.
const (
	entryURI = "agentflow://entry/"
	fileURI  = "agentflow://file/"
)

// addResources offers entries and files as resources, and the prompt.
func (d *door) addResources(s *sdk.Server) {
	s.AddResource(&sdk.Resource{URI: fileURI + "memory/" + memory.LastingFile, Name: memory.LastingFile, Title: "The facts that last", MIMEType: "text/markdown"},
		d.resource(fileURI, func(name string) list.PassageRequest { return list.PassageRequest{File: name} }))
	s.AddResourceTemplate(&sdk.ResourceTemplate{URITemplate: entryURI + "{id}", Name: "entry", Title: "An entry or fact of memory", MIMEType: "text/markdown"},
		d.resource(entryURI, func(name string) list.PassageRequest { return list.PassageRequest{Ref: name} }))
	s.AddResourceTemplate(&sdk.ResourceTemplate{URITemplate: fileURI + "{+path}", Name: "file", Title: "A file of memory", MIMEType: "text/markdown"},
		d.resource(fileURI, func(name string) list.PassageRequest { return list.PassageRequest{File: name} }))
	s.AddPrompt(&sdk.Prompt{Name: "recall", Title: "Recall", Description: "What memory holds about a task, as a run would get it",
		Arguments: []*sdk.PromptArgument{{Name: "task", Description: "what you are about to do", Required: true}}}, d.recall)
}

// withoutSecondRecall omits the prompt from the list for Claude Code, if that has the command
// /recall: its menu would show both.
func withoutSecondRecall(m *app.Memory) sdk.Middleware {
	return func(next sdk.MethodHandler) sdk.MethodHandler {
		return func(ctx context.Context, method string, req sdk.Request) (sdk.Result, error) {
			if session, ok := req.GetSession().(*sdk.ServerSession); ok && method == "prompts/list" && clientOf(session) == "claude-code" && appconnect.HasCommand(m, "/recall") {
				return &sdk.ListPromptsResult{Prompts: []*sdk.Prompt{}}, nil
			}
			return next(ctx, method, req)
		}
	}
}

func (d *door) resource(prefix string, request func(name string) list.PassageRequest) sdk.ResourceHandler {
	return func(ctx context.Context, req *sdk.ReadResourceRequest) (*sdk.ReadResourceResult, error) {
		uri := req.Params.URI
		name, err := url.PathUnescape(strings.TrimPrefix(uri, prefix))
		if err != nil {
			return nil, sdk.ResourceNotFoundError(uri)
		}
		res, err := list.Passage(app.Quiet(ctx), d.memory, request(name))
		if known := app.AsError(err); known != nil && (known.Kind == app.KindNotFound || known.Kind == app.KindUsage) {
			return nil, sdk.ResourceNotFoundError(uri)
		}
		if err != nil {
			return nil, modelError(err)
		}
		return &sdk.ReadResourceResult{Contents: []*sdk.ResourceContents{{URI: uri, MIMEType: "text/markdown", Text: passage(res, "")}}}, nil
	}
}

func (d *door) recall(ctx context.Context, req *sdk.GetPromptRequest) (*sdk.GetPromptResult, error) {
	task := req.Params.Arguments["task"]
	if task == "" {
		return nil, &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: "the task is empty: say what you are about to do"}
	}
	res, err := recall.Recall(app.Quiet(ctx), d.memory, recall.Request{Task: task, MaxBudget: MaxAnswer - reserve})
	if err != nil {
		return nil, modelError(err)
	}
	text := res.Recall.Block
	if text == "" {
		text = "Memory holds nothing relevant for this task."
	}
	if res.Shortened {
		text += "\n(Memory has more for this task than fits here: find it with memory_search, and read on with memory_get.)"
	}
	return &sdk.GetPromptResult{Description: "What memory holds about the task",
		Messages: []*sdk.PromptMessage{{Role: "user", Content: &sdk.TextContent{Text: text + "\n\n" + task}}}}, nil
}
