package server

import (
	"context"

	"agentflow/app/api"
	"agentflow/app/propose"
)

// ReviewList requests the facts and proposals that wait for a person.
type ReviewList struct {
	Kind  propose.ProposalKind `query:"kind" json:"-" doc:"only of this kind: correction, repeated, retirement or agent"`
	Limit int                  `query:"limit" json:"-" doc:"at most this many, 1 to 500; 100 when it is left out"`
}

// Review lists the facts and proposals that wait for a person.
type Review struct {
	api.Review
	Repository string   `json:"repository"`
	Degraded   []string `json:"degraded"`
}

func listReview(ctx context.Context, c call, in ReviewList) (Review, error) {
	if in.Limit == 0 {
		in.Limit = 100
	}
	if in.Limit < 1 || in.Limit > 500 {
		return Review{}, usagef("limit: want 1 to 500, have %d", in.Limit)
	}
	res, err := propose.Review(ctx, c.Memory, propose.ReviewRequest{Kind: in.Kind, Limit: in.Limit})
	return Review{res.Review, c.Name, res.Degraded}, err
}

// OneProposal identifies a proposal.
type OneProposal struct {
	ID id `path:"id" json:"-" doc:"its id, or the last 4 or more digits of it"`
}

// AcceptedProposal describes how a person accepts a proposal.
type AcceptedProposal struct {
	OneProposal
	Text       string `json:"text,omitempty" doc:"in place of the fact's; at most 65536 bytes"`
	Supersedes id     `json:"supersedes,omitempty" doc:"id of the fact that it replaces"`
}

// Reviewed is the result for a proposal.
type Reviewed struct {
	api.Reviewed
	Repository string   `json:"repository"`
	Degraded   []string `json:"degraded"`
}

func acceptProposal(ctx context.Context, c call, in AcceptedProposal) (Reviewed, error) {
	res, err := propose.AcceptProposals(ctx, c.Memory, propose.AcceptRequest{IDs: []string{string(in.ID)}, Text: in.Text, Supersedes: string(in.Supersedes)})
	return c.reviewed(res, err)
}

func dropProposal(ctx context.Context, c call, in OneProposal) (Reviewed, error) {
	res, err := propose.DropProposals(ctx, c.Memory, []string{string(in.ID)})
	return c.reviewed(res, err)
}

func (c call) reviewed(res propose.AcceptResult, err error) (Reviewed, error) {
	if err != nil {
		return Reviewed{}, err
	}
	return Reviewed{res.Reviewed[0], c.Name, append([]string{}, res.Degraded...)}, nil
}
