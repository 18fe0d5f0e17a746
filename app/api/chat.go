package api

// ChatAnswer is the answer of a model to one question of a conversation.
type ChatAnswer struct {
	ID         string   `json:"id"`          // of the conversation; chat --resume goes on with it
	Model      string   `json:"model"`       // that was asked
	Answer     string   `json:"answer"`      // what it says in the end; empty where it came to no end
	Changed    []string `json:"changed"`     // what it changed in memory, a line each
	Turns      int      `json:"turns"`       // requests that were answered
	CostUSD    float64  `json:"cost_usd"`    // of this question, reckoned from the tokens
	StopReason string   `json:"stop_reason"` // of the last message, as the Messages API has it
}
