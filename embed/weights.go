package embed

// The share of the vector in a fused score, by provider: a neural model knows
// more than spelling does. Starting values; measurements decide.
const (
	weightLocal  = 0.3
	weightClaude = 0.3
	weightStatic = 0.4
	weightRemote = 0.5 // ollama, openai and what is compatible
)

// How many texts one Embed is best given. Those of remote providers are also
// the most that one request carries.
const (
	batchLocal  = 256
	batchStatic = 256
	batchOllama = 32
	batchOpenAI = 64
	batchClaude = 4
)
