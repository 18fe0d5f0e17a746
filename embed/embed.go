// Package embed turns texts into vectors, so that what means the same is near
// even where no word is shared.
//
// Every provider keeps one contract (Embedder), held by one test: as many
// vectors as texts, in order, of one dimension and of length 1, or an error;
// never a wrong vector. No provider is needed: without one, search is by
// keywords.
package embed

import "context"

// Role says what a text is: some models embed the two differently.
type Role int

// The roles of a text.
const (
	Document Role = iota // a chunk of memory
	Query                // what is searched for
)

// Embedder makes vectors of texts. It may be used by several goroutines.
type Embedder interface {
	// Info says what the embedder is; it costs nothing.
	Info() Info
	// Embed returns a unit-length vector for each text, in order, all of the
	// same dimension. An empty text, or one without a word that says anything
	// to the embedder, has a nil vector. More texts than Info().Batch are
	// split. What is too long for the model is cut.
	// The error tells what was asked of whom, and which setting may help; it
	// never holds a key; it is ErrRefused when a text may be to blame. The
	// vectors of all texts come back, or none.
	Embed(ctx context.Context, role Role, texts []string) ([][]float32, error)
}

// Info describes an embedder.
type Info struct {
	// Identity names all that vectors depend on: provider, model, version,
	// endpoint, wanted dimension. Vectors of two identities are never
	// compared.
	Identity string
	// Dimensions of a vector; 0 when only the first answer tells.
	Dimensions int
	// Inline is true for what is computed in this process without waiting:
	// it may run inside a write transaction.
	Inline bool
	// Batch is how many texts are embedded in one step or request. Who keeps
	// vectors as they come gives Embed so many at a time: an error takes along
	// what was answered before it.
	Batch int
	// Weight is the share (0 to 1) of the vector in a hit's fused score.
	Weight float64
}
