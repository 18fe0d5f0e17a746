package eval

import (
	"context"

	"agentflow/memory"
)

// Index is the index under measure, over the Markdown of one folder.
type Index interface {
	// Sync takes in what has changed in the folder. What could not be taken
	// in is an error: a figure over half a memory would be no figure.
	Sync(ctx context.Context) error
	Search(ctx context.Context, q memory.Query) ([]memory.Hit, error)
	Close() error
}

// Opener opens an index over the Markdown in dir. It is called from several
// goroutines, each with a folder of its own.
type Opener func(ctx context.Context, dir string) (Index, error)
