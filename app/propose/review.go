package propose

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"agentflow/app"
	"agentflow/app/api"
	"agentflow/app/fact"
	"agentflow/app/forget"
	"agentflow/app/lookup"
	"agentflow/app/memoryfiles"
	"agentflow/app/share"
	"agentflow/internal/lists"
	"agentflow/internal/propose/proposals"
	"agentflow/memory"
)

// ProposalKind is the origin of a proposal.
type ProposalKind = proposals.Kind

// The kinds of proposals.
const (
	FromCorrection = proposals.FromCorrection
	FromRepetition = proposals.FromRepetition
	FromAgent      = proposals.FromAgent
	ForRetirement  = proposals.ForRetirement
)

// ReviewRequest selects proposals that wait for a person.
type ReviewRequest struct {
	Kind  ProposalKind // only of this kind; empty: all kinds
	Limit int          // most proposals; 0: all
}

// ReviewResult lists the proposals.
type ReviewResult struct {
	Review   api.Review
	Degraded []string
}

// Review lists proposals: facts from corrections, facts that agents stored and no person stated yet, and facts to
// retire. It is for people: no agent can call it.
func Review(ctx context.Context, m *app.Memory, req ReviewRequest) (res ReviewResult, err error) {
	o := m.Begin(ctx)
	defer o.End(&res.Degraded, &err)
	defer o.OrNothing(&err)
	res.Review.Proposals = []api.Proposal{}
	s, err := o.OpenToRead(ctx)
	if err != nil {
		return res, err
	}
	list, err := review(ctx, s)
	if err != nil {
		return res, err
	}
	if req.Kind != "" {
		list = slices.DeleteFunc(list, func(p api.Proposal) bool { return p.Kind != string(req.Kind) })
	}
	res.Review.Total = len(list)
	if req.Limit > 0 {
		list = list[:min(req.Limit, len(list))]
	}
	for i, p := range list {
		if p.Kind == string(FromCorrection) || p.Kind == string(FromRepetition) {
			list[i].Close = lookup.CloseFacts(ctx, s, memory.Fact{ID: p.ID, Text: p.Text}, time.Now())
		}
	}
	res.Review.Proposals = append(res.Review.Proposals, list...)
	return res, nil
}

// review lists all proposals that wait.
func review(ctx context.Context, s *app.Repo) (list []api.Proposal, err error) {
	waiting, err := ReadProposals(s)
	if errors.Is(err, errDamaged) { // the facts of agents are still listed
		s.Degraded("review", []string{err.Error()})
	} else if err != nil {
		return nil, err
	}
	facts, err := lookup.Facts(ctx, s)
	if err != nil {
		return nil, err
	}
	now := time.Now()
	holds := map[string]bool{}
	var agents []api.Proposal
	fact.SortFacts(facts, "created", false)
	for _, k := range facts {
		if k.ID == "" || !k.Live(now) || k.File == lookup.Feedback {
			continue
		}
		holds[k.ID] = true
		if f := k.Owned(); !f.Stated() && !memoryfiles.IsUntrusted(s, k.Path) {
			agents = append(agents, ofAgent(k, f))
		}
	}
	for _, p := range slices.Backward(waiting.Waiting) {
		if p.Kind != ForRetirement || holds[p.Fact] {
			list = append(list, proposalObject(p))
		}
	}
	return append(list, agents...), nil
}

func proposalObject(p proposals.Proposal) api.Proposal {
	return api.Proposal{ID: p.ID, Kind: string(p.Kind), Text: p.Text, Sentence: p.Sentence, Refused: p.Refused, Reason: p.Reason,
		Agent: p.Agent, Session: p.Session, Entry: p.Entry, Turn: p.Turn, Time: p.At, Fact: p.Fact}
}

// ofAgent converts a fact that an agent stored to a proposal.
func ofAgent(k *lookup.StoredFact, f memory.Fact) api.Proposal {
	p := api.Proposal{ID: k.ID, Kind: string(FromAgent), Text: k.Whole(), Reason: f.Reason, Agent: f.Agent, Session: f.Session, Time: k.CreatedAt(), Fact: k.ID}
	if memory.IsID(f.Source) {
		p.Entry = f.Source
	}
	return p
}

// AcceptRequest names the proposals that a person accepts.
type AcceptRequest struct {
	IDs  []string // replaces the text of the fact, for a single proposal; empty: unchanged
	Text string   // in place of the fact's, of one proposal; empty: as it is
	// Supersedes is the fact that the accepted one replaces, as in RememberRequest.
	Supersedes string
}

// AcceptResult lists the settled proposals.
type AcceptResult struct {
	Reviewed []api.Reviewed // never nil
	Refused  []error        // of several proposals, why some were not settled
	Degraded []string
}

// AcceptProposals accepts proposals. A proposed fact is stored as the person's, an agent's fact becomes the person's,
// and a fact to retire is forgotten. Each proposal is a separate change: one that is refused leaves the others
// accepted. An unknown id ends the call before any change. Errors have KindUsage or KindNotFound, or are those of
// Remember, Edit and ApplyForget; for several proposals the error has the kind of the first refusal.
func AcceptProposals(ctx context.Context, m *app.Memory, req AcceptRequest) (res AcceptResult, err error) {
	if len(req.IDs) > 1 && (req.Text != "" || req.Supersedes != "") {
		return AcceptResult{Reviewed: []api.Reviewed{}}, app.Usagef("a text and a fact to replace go with one proposal")
	}
	return settleEach(ctx, m, req.IDs, func(s *app.Repo, p api.Proposal) (api.Reviewed, error) { return accept(ctx, s, p, req) })
}

// DropProposals drops proposals for good. It forgets the facts of agents, which Restore can bring back, and keeps the
// facts that were proposed for retirement. Errors are as for AcceptProposals.
func DropProposals(ctx context.Context, m *app.Memory, ids []string) (res AcceptResult, err error) {
	return settleEach(ctx, m, ids, func(s *app.Repo, p api.Proposal) (done api.Reviewed, err error) {
		done = api.Reviewed{ID: p.ID, Done: "dropped", Text: p.Text}
		if p.Kind != string(FromAgent) {
			return done, settleProposal(ctx, s, func(all *proposals.List, now time.Time) { all.Settle(p.ID, now) })
		}
		done.Fact = p.Fact
		return done, forgetOne(ctx, s, p.Fact)
	})
}

// settleEach settles the named proposals in turn.
func settleEach(ctx context.Context, m *app.Memory, ids []string, settle func(*app.Repo, api.Proposal) (api.Reviewed, error)) (res AcceptResult, err error) {
	res.Reviewed = []api.Reviewed{}
	o := m.Begin(ctx)
	defer o.End(&res.Degraded, &err)
	end, err := app.Writing(ctx, o)
	if err != nil {
		return res, err
	}
	defer func() { // the changes before an error are sent to the remote too
		var late error
		if end(&late); err == nil {
			err = late
		}
	}()
	s, err := o.OpenRecovered(ctx)
	if err != nil {
		return res, err
	}
	list, err := proposalsNamed(ctx, s, ids)
	if err != nil {
		return res, err
	}
	for _, p := range list {
		done, err := settle(s, p)
		switch {
		case err == nil:
			res.Reviewed = append(res.Reviewed, done)
		case len(list) == 1 || ctx.Err() != nil:
			return res, err
		default:
			res.Refused = append(res.Refused, fmt.Errorf("%s %q: %w", memory.ShortID(p.ID), memory.Title(p.Text), err))
		}
	}
	return res, refusedOf(res.Refused, len(list))
}

// refusedOf returns the error for proposals that were not settled, of all that were named.
func refusedOf(refused []error, all int) error {
	if len(refused) == 0 {
		return nil
	}
	return &app.Error{Kind: app.AsError(refused[0]).Kind, Err: fmt.Errorf("%d of %d proposals wait still", len(refused), all), Hint: "the others are settled; 'agentflow review' lists what waits"}
}

// proposalsNamed finds the proposals with the given ids.
func proposalsNamed(ctx context.Context, s *app.Repo, ids []string) (list []api.Proposal, err error) {
	if len(ids) == 0 {
		return nil, app.Usagef("nothing says which proposals")
	}
	all, err := review(ctx, s)
	if err != nil {
		return nil, err
	}
	for _, id := range ids {
		var found []api.Proposal
		for _, p := range all {
			if share.EndsID(p.ID, id) {
				found = append(found, p)
			}
		}
		switch len(found) {
		case 0:
			return nil, &app.Error{Kind: app.KindNotFound, Err: fmt.Errorf("no proposal has the id %s", memory.Clean(id)), Hint: "'agentflow review' lists what waits"}
		case 1:
			list = append(list, found[0])
		default:
			return nil, lookup.Ambiguous("reviewing %s: more than one id ends so", id)
		}
	}
	return list, nil
}

// accept carries out one proposal.
func accept(ctx context.Context, s *app.Repo, p api.Proposal, req AcceptRequest) (done api.Reviewed, err error) {
	done = api.Reviewed{ID: p.ID, Done: "accepted", Text: cmp.Or(req.Text, p.Text), Fact: p.Fact}
	switch ProposalKind(p.Kind) {
	case FromAgent:
		edit := fact.EditRequest{ID: p.Fact, Change: fact.Change{Accept: true}}
		if req.Text != "" {
			edit.Text = &req.Text
		}
		_, err = fact.EditAnywhere(ctx, s, edit)
		return done, err
	case ForRetirement:
		if req.Text != "" || req.Supersedes != "" {
			return done, app.Usagef("%s proposes to take a fact out: it has no text to change", memory.ShortID(p.ID))
		}
		err = forgetOne(ctx, s, p.Fact)
	default:
		var stored fact.RememberResult
		stored, err = fact.RememberIn(ctx, s.Operation, fact.RememberRequest{Change: fact.Change{Text: &done.Text}, Supersedes: req.Supersedes, Reason: p.Sentence}, func(a0 context.Context) (*app.Repo, error) { return toWrite(a0, s) })
		done.Fact, done.Struck = stored.Fact.ID, stored.Struck
	}
	if err == nil {
		err = settleProposal(ctx, s, func(all *proposals.List, now time.Time) { all.Accept(p.ID, done.Fact, now) })
	}
	return done, err
}

// toWrite prepares an open memory for writing, like OpenToWrite.
func toWrite(_ context.Context, s *app.Repo) (*app.Repo, error) {
	if err := s.Store.Folder.Prepare(); err != nil {
		s.Degraded("review", []string{err.Error()}) // the log may still accept the entry
	}
	return s, nil
}

// forgetOne forgets a fact in a way that Restore can reverse.
func forgetOne(ctx context.Context, s *app.Repo, id string) error {
	targets, err := forget.TargetsOf(ctx, s, forget.Request{IDs: []string{id}})
	if err == nil {
		_, err = forget.ForgetPlanned(ctx, s, forget.Plan{Targets: targets})
	}
	return err
}

// settleProposal records that a person accepted or dropped a proposal, so that it is not proposed again.
func settleProposal(ctx context.Context, s *app.Repo, settle func(*proposals.List, time.Time)) error {
	now := time.Now()
	return changeProposals(ctx, s, now, func(p *proposals.List) bool {
		settle(p, now)
		return true
	})
}

// reviewAgain has accepted proposals wait again if an undo reverted their effect.
func reviewAgain(ctx context.Context, s *app.Repo, added, removed []api.Entry) error {
	p, err := ReadProposals(s)
	if err != nil || len(p.Accepted) == 0 {
		return err
	}
	ids := func(list []api.Entry) []string { return lists.Mapped(list, func(e api.Entry) string { return e.ID }) }
	now := time.Now()
	return changeProposals(ctx, s, now, func(p *proposals.List) bool { return p.Undone(ids(added), ids(removed), now) })
}
