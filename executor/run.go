package executor

import "context"

// Run does one whole run: recall, prompt, begin, the agent, verify, finish,
// record. The error is only set when nothing was run (see Begin); how a run
// went, and what of memory did not work, is in the Record.
func Run(ctx context.Context, deps Deps, req Request) (Record, error) {
	r, err := Begin(ctx, deps, req)
	if err != nil {
		return Record{}, err
	}
	r.Execute(ctx)
	return r.Finish(ctx), nil
}
