package server

import (
	"context"
	"encoding/json"
	"net/http"
	"reflect"
	"regexp"
	"strings"
	"sync"
)

// openAPI returns the description of the routes.
func openAPI(_ context.Context, s *Server) (json.RawMessage, error) { return s.document() }

// describe returns the OpenAPI 3.1 document
// (https://spec.openapis.org/oas/v3.1.0) for a table of routes.
func describe(table []route) (json.RawMessage, error) {
	types := newSchemas()
	failure := schema{"description": "not done: error.kind says why", "content": jsonContent(types.of(reflect.TypeFor[Failure]()))}
	paths := schema{}
	for _, r := range table {
		path := strings.ReplaceAll(r.path, "...}", "}")
		if paths[path] == nil {
			paths[path] = schema{}
		}
		operation := schema{"summary": r.summary, "operationId": r.name(), "parameters": types.parameters(r.in),
			"responses": schema{"200": schema{"description": "done", "content": types.answer(r)}, "default": failure}}
		if hasBody(r.method) {
			operation["requestBody"] = schema{"content": jsonContent(types.of(r.in))}
		}
		paths[path].(schema)[strings.ToLower(r.method)] = operation
	}
	return json.Marshal(schema{
		"openapi":    "3.1.0",
		"info":       schema{"title": "AgentFlow", "version": "1", "description": "The memory of the coding agents that work on a repository."},
		"paths":      paths,
		"security":   []schema{{"token": []string{}}},
		"components": schema{"schemas": types.defs, "securitySchemes": schema{"token": schema{"type": "http", "scheme": "bearer"}}},
	})
}

func jsonContent(s schema) schema { return schema{"application/json": schema{"schema": s}} }

func (s *schemas) answer(r route) schema {
	if r.stream {
		return schema{"text/event-stream": schema{"schema": s.of(r.out)}}
	}
	return jsonContent(s.of(r.out))
}

// parameters returns the parameters in the path and the query.
func (s *schemas) parameters(in reflect.Type) []schema {
	list := []schema{{"name": "repository", "in": "query", "description": "the repository of the memory; a search and a recall may name * for all. The default is the first one; a server of a team needs a name, unless the token is for only one repository", "schema": schema{"type": "string"}}}
	for f, p := range tagged(in) {
		one := schema{"name": p.name, "in": p.place, "required": p.place == "path", "schema": s.of(f.Type)}
		if doc := f.Tag.Get("doc"); doc != "" {
			one["description"] = doc
		}
		list = append(list, one)
	}
	return list
}

var notLetters = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`[^A-Za-z]+`) })

// name returns a unique name for a route.
func (r route) name() string {
	words := strings.Fields(notLetters().ReplaceAllString(strings.TrimPrefix(r.path, base), " "))
	name := strings.ToLower(r.method)
	if r.method == http.MethodPatch {
		name = "change"
	}
	for _, w := range words {
		name += strings.ToUpper(w[:1]) + w[1:]
	}
	return name
}
