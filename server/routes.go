package server

// routes returns all routes of the API.
func routes() []route {
	return []route{
		on(post, base+"/memory/search", "Search memory: the best entries and texts for some words", search),
		on(post, base+"/recall", "The block of memory that a run of a task would get", recall),
		on(get, base+"/preview", "What the next session would be given, and with a task what its first prompt would add", preview),
		on(post, base+"/files", "The files that a task will likely touch, each with why", likelyFiles),
		on(post, base+"/batch", "Up to 100 searches, recalls and facts to remember in one request", batch),

		on(get, facts, "List facts, page by page", listFacts),
		on(post, facts, "Remember a fact; one that memory holds already is not written again", remember),
		on(get, oneFact, "One fact", showFact),
		on(patch, oneFact, "Change a fact", editFact),
		on(remove, oneFact, "Forget a fact; restore brings it back", forgetFact),
		on(post, oneFact+"/restore", "Bring back what was forgotten", restoreFact),
		on(post, oneFact+"/pin", "Let a fact or an entry not age", pinFact),
		on(post, oneFact+"/unpin", "Let a fact or an entry age again", unpinFact),
		on(get, oneFact+"/similar", "What memory holds that is like a fact or an entry", similar),
		on(get, base+"/memory/lost", "What was forgotten or vanished, and can be restored", lostItems),

		on(get, base+"/review", "The facts that wait for a person: proposed by corrections, stored by agents, or to be taken out", listReview),
		on(post, base+"/review/{id}/accept", "State a proposal as a fact; a fact to retire is forgotten", acceptProposal),
		on(post, base+"/review/{id}/drop", "Drop a proposal for good; a fact of an agent is forgotten, and restore brings it back", dropProposal),

		on(get, entries, "List runs, commits and notes, the newest first, page by page", listEntries),
		on(get, oneEntry, "One entry, with its Markdown", showEntry),
		on(get, oneEntry+"/diff", "What a run or a commit changed", diffEntry),
		on(get, oneEntry+"/recalled", "What memory put in front of a run, numbered", recalled),
		on(post, oneEntry+"/recalled/{n}/useless", "Say that something recalled was of no use: it ranks lower for such tasks", useless),

		on(get, base+"/why", "Which session, run or commit wrote lines of a file, or made a path what it is", why),

		on(post, base+"/memory/tool", "One command of Anthropic's memory tool, on the notes of agents", memoryTool),
		on(get, base+"/memory/files", "The Markdown files of memory", memoryFiles),
		on(get, base+"/memory/files/{name...}", "Lines of a Markdown file of memory", memoryFile),
		on(get, base+"/memory/stats", "Count facts by type, tag, namespace, source and age, and list the most used", stats),
		on(get, base+"/memory/counts", "Count the facts that a list would hold", counts),

		ofServer(base+"/repositories", "The repositories of the memory shown", repositories),
		on(get, base+"/status", "What memory holds, and whether all is well", status),
		on(post, base+"/sync", "Bring the index up to date", syncIndex),

		eventsRoute(),
		ofServer(openAPIPath, "This description", openAPI),
	}
}
