// Package priced makes an agent tell what its run cost, where it tells only how
// many tokens it took.
package priced

import (
	"cmp"

	"agentflow/executor/agent"
	"agentflow/internal/price"
)

// Bill is what an agent's own output does not tell.
type Bill struct {
	Model  string       // where the agent names none; empty: not known
	Prices price.List   // of models
	Before agent.Tokens // what its session had taken before the run, for an agent that counts those too
}

type priced struct {
	agent.Agent
	bill Bill
}

// New returns an agent whose results have the tokens of the run alone, and a
// cost where the agent tells none and the price of its model is known.
func New(a agent.Agent, bill Bill) agent.Agent { return priced{a, bill} }

func (p priced) Decoder() agent.Decoder {
	inner := p.Agent.Decoder()
	d := &decoder{Decoder: inner, bill: p.bill}
	if reader, reads := inner.(agent.StderrDecoder); reads {
		return stderrDecoder{d, reader}
	}
	return d
}

type decoder struct {
	agent.Decoder
	bill Bill
}

func (d *decoder) Feed(p []byte) []agent.Event { return d.all(d.Decoder.Feed(p)) }

func (d *decoder) Close() []agent.Event { return d.all(d.Decoder.Close()) }

// stderrDecoder is a decoder of an agent whose standard error is read too.
type stderrDecoder struct {
	*decoder
	inner agent.StderrDecoder
}

func (d stderrDecoder) FeedStderr(p []byte) []agent.Event { return d.all(d.inner.FeedStderr(p)) }

func (d *decoder) all(events []agent.Event) []agent.Event {
	for i := range events {
		d.add(&events[i])
	}
	return events
}

func (d *decoder) add(ev *agent.Event) {
	switch ev.Kind {
	case agent.Session, agent.Usage:
		ev.Model = cmp.Or(ev.Model, d.bill.Model)
		d.bill.Model = ev.Model
	case agent.Result:
		t := ev.Tokens.Less(d.bill.Before)
		ev.Tokens = t
		if p, known := d.bill.Prices.Of(d.bill.Model); known && ev.CostUSD == 0 {
			ev.CostUSD = p.Of(float64(t.Input-t.Cached), float64(t.Cached), float64(t.Output))
		}
	}
}
