package app

import "agentflow/api"

// object is the fact with where it stands. One that a person wrote is as old
// as its entry.
func (k storedFact) object() api.Fact {
	o := api.NewFact(k.Fact)
	o.Created, o.File, o.Line, o.Pinned = k.created(), k.File, k.StartLine, k.pinned()
	o.Namespace = k.Namespace
	if u := k.used; u.Count() > 0 {
		o.Uses = &api.Uses{Prompt: u.Prompt, Search: u.Search, Get: u.Get, Last: u.Last}
	}
	return o
}
