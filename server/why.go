package server

import (
	"context"

	"agentflow/app/api"
	appwhy "agentflow/app/why"
)

// Why requests the origins of lines of a file, or of a path.
type Why struct {
	Path  string `query:"path" json:"-" doc:"a file or a folder, relative to the folder of the repository that is served; it may end in :LINE or :LINE-LINE"`
	Line  int    `query:"line" json:"-" doc:"a line of the file, from 1; the whole path when it is left out"`
	To    int    `query:"to" json:"-" doc:"the last line, when several are asked about"`
	Limit int    `query:"limit" json:"-" doc:"of a whole path at most this many origins, 1 to 200; 10 when it is left out"`
}

// Origins is the answer to Why.
type Origins struct {
	api.Why
	Repository string   `json:"repository"`
	Degraded   []string `json:"degraded"`
}

// manyOrigins is the default number of origins of a path.
const manyOrigins = 10

func why(ctx context.Context, c call, in Why) (out Origins, err error) {
	if in.Limit == 0 {
		in.Limit = manyOrigins
	}
	if in.Limit < 1 || in.Limit > maxHits {
		return out, usagef("limit: want 1 to %d, have %d", maxHits, in.Limit)
	}
	res, err := appwhy.Why(ctx, c.Memory, appwhy.WhyRequest{Path: in.Path, From: in.Line, To: in.To, Limit: in.Limit})
	return Origins{res.Why, c.Name, res.Degraded}, err
}
