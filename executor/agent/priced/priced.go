// Package priced adds the cost of a run to an agent that only reports the number of tokens.
package priced

import (
	"cmp"

	"agentflow/executor/agent"
	"agentflow/internal/price"
)

// Bill holds the data that the agent's output lacks.
type Bill struct {
	Model  string       // for an agent that does not report it; empty: unknown
	Prices price.List   // of models
	Before agent.Tokens // the tokens of the session before the run, for an agent that counts them too
}

type priced struct {
	agent.Agent
	bill Bill
}

// New returns an agent with results that only count the tokens of the run. They have a cost, if
// the agent reports none and the price of its model is known.
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

// stderrDecoder is a decoder of an agent that also has events on standard error.
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
