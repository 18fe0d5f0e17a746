package config

// Prompt holds how what memory knows is put before a task.
type Prompt struct {
	Format     string  // "compact", "detailed" or "structured"
	FactsShare float64 // most of recall.budget that facts of MEMORY.md may take, 0 to 1; 0: none are shown
}
