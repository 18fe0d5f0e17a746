package explain

import "slices"

// answer picks the first statement of the answer to a turn's question, because changes do not
// show it.
func (p *picker) answer(turn, limit int) {
	p.take(slices.IndexFunc(p.list, func(s sentence) bool {
		return s.answer && s.turn == turn && (s.reason || !s.before || problems().MatchString(s.text)) && !s.plan && !s.pending && s.nth == 0 && s.words > 4 && s.words <= 45 && !s.refers()
	}), limit)
}

// question finds a prompt that asks for an answer.
var question = lazy(`(?i)\?\s*$|^(what|why|how|is|are|do|does|did|was|which|where|who|can you (review|check|explain|see|tell))\b`)
