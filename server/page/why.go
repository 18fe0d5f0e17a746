package page

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"agentflow/app"
	"agentflow/app/api"
	appwhy "agentflow/app/why"
	"agentflow/internal/describe"
	"agentflow/internal/plural"
)

// whyPart is the part of a path's view that explains the origin of the path, or
// of a line in it. It is empty until the user asks.
type whyPart struct {
	Asked   bool
	Line    string // as the user entered it; empty means the whole path
	Problem error  // why there is no answer, or only a part of one
	Hint    string // remedy for the problem; may be empty
	api.Why
	Told []origin // of the answer; the most important origins of a path first
}

// origin is one origin in an answer, with its description.
type origin struct {
	api.WhyOrigin
	Share string // of a file: how many of its lines stem from it; of another path: how many it added
	Title string // of the entry, or else of the commit; empty without either
	Since time.Time
	describe.OriginText
}

// Limits of an answer: how many origins of a path are shown, and how long the
// page waits. It waits longer than why.Why lets git examine a file,
// because Why then answers with what git has found.
const (
	mostOrigins = 20
	whyWait     = 15 * time.Second
)

// why answers the "line" or "why" of a request. When the script refreshes the
// history, why does nothing, because the script keeps the existing answer.
func why(ctx context.Context, q request, path string) (p whyPart, degraded []string) {
	p.Asked = !q.values.Has("part") && (q.values.Has("why") || q.values.Has("line"))
	if p.Line = strings.TrimSpace(q.get("line")); !p.Asked {
		return p, nil
	}
	req := appwhy.WhyRequest{Path: path, Limit: mostOrigins}
	if p.Line != "" {
		n, err := strconv.Atoi(p.Line)
		if err != nil || n < 1 {
			p.Problem = errors.New("a line is a whole number from 1")
			return p, nil
		}
		req.From = n
	}
	ctx, cancel := context.WithTimeout(ctx, whyWait)
	defer cancel()
	res, err := appwhy.Why(ctx, q.Memory, req)
	p.fill(res.Why)
	switch {
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		p.Problem, p.Hint = fmt.Errorf("the answer took longer than %v", whyWait), "'agentflow why' in a terminal waits until it is there"
	case err != nil:
		known := app.AsError(err)
		p.Problem, p.Hint = known, known.Hint
	}
	return p, res.Degraded
}

// fill stores an answer.
func (p *whyPart) fill(w api.Why) {
	p.Why = w
	for _, o := range w.Origins {
		told := origin{WhyOrigin: o, OriginText: describe.Origin(w, o)}
		switch {
		case w.Kind == "file" && w.Lines > 0:
			told.Share = plural.Count(o.Lines, "line")
		case o.Lines > 0:
			told.Share = fmt.Sprintf("+%d", o.Lines)
		}
		switch {
		case o.Entry != nil:
			told.Title, told.Since = o.Entry.Title, o.Entry.StartedAt
		case o.Commit != nil:
			told.Title, told.Since = o.Commit.Subject, o.Commit.Time
		}
		p.Told = append(p.Told, told)
	}
}
