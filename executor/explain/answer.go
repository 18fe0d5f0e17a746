package explain

import "slices"

// answer picks the verdict of the answer to a turn's question, and its first statement, because
// changes do not show them.
func (p *picker) answer(turn, limit int) {
	meets := func(s sentence) bool {
		return s.answer && !s.loose && s.turn == turn && !s.plan && !s.pending && s.words <= 45 && !today().MatchString(s.text)
	}
	p.take(slices.IndexFunc(p.list, func(s sentence) bool { return meets(s) && verdict().MatchString(s.text) }), limit)
	p.take(slices.IndexFunc(p.list, func(s sentence) bool {
		return meets(s) && !verdict().MatchString(s.text) && (s.reason || !s.before || problems().MatchString(s.text)) && s.nth == 0 && s.words > 4 && !s.refers()
	}), limit)
}

var (
	// today finds a time that means another one to a later reader.
	today = lazy(`(?i)\b(this (morning|afternoon|evening)|today|tonight|yesterday|(earlier|later) (today|in this (session|conversation)))\b`)
	// question finds a prompt that asks for an answer.
	question = lazy(`(?i)\?\s*$|^(please |now |ok(ay)?,? )?(what|why|how|is|are|do|does|did|was|which|where|who|can you (review|check|explain|see|tell)|review|check|explain|investigate|evaluate|analy[sz]e|verify|compare|look (at|into))\b|^/([\w-]+:)?[\w-]*review\b|\blet'?s (review|investigate|look (at|into))\b`)
)
