package server

import (
	"context"

	"agentflow/app/api"
	"agentflow/app/list"
	"agentflow/app/serving"
	"agentflow/app/setup"
	"agentflow/app/upkeep"
)

// Stats counts the contents of memory.
type Stats struct {
	api.Stats
	Repository string   `json:"repository"`
	Degraded   []string `json:"degraded"`
}

func stats(ctx context.Context, c call, _ empty) (Stats, error) {
	res, err := list.Stats(ctx, c.Memory)
	return Stats{res.Stats, c.Name, res.Degraded}, err
}

// Status describes the contents and the health of memory.
type Status struct {
	api.Status
	Repository string `json:"repository"`
	Version    string `json:"version"` // of the program
}

func status(ctx context.Context, c call, _ empty) (Status, error) {
	res, err := setup.Status(ctx, c.Memory, setup.StatusRequest{})
	res.Status.Degraded = append([]string{}, res.Degraded...)
	return Status{res.Status, c.Name, c.server.options.Version}, err
}

// Sync requests an update of the index.
type Sync struct {
	Rebuild bool `json:"rebuild,omitempty" doc:"rebuild it from the Markdown"`
}

// Synced is the result of a Sync.
type Synced struct {
	api.IndexReport
	Repository string   `json:"repository"`
	Degraded   []string `json:"degraded"`
}

func syncIndex(ctx context.Context, c call, in Sync) (out Synced, err error) {
	res, err := upkeep.Index(ctx, c.Memory, upkeep.IndexRequest{Rebuild: in.Rebuild})
	if res.Report != nil {
		out.IndexReport = *res.Report
	}
	out.Skipped, out.Repository, out.Degraded = append([]string{}, out.Skipped...), c.Name, res.Degraded
	return out, err
}

// Repositories lists the visible repositories. A request that names none means
// the first one.
type Repositories struct {
	Repositories []string `json:"repositories"`
}

func repositories(ctx context.Context, s *Server) (Repositories, error) {
	out := Repositories{[]string{}}
	for _, r := range serving.Visible(ctx, s.options.Repositories) {
		out.Repositories = append(out.Repositories, r.Name)
	}
	return out, nil
}
