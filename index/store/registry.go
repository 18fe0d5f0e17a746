package store

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
)

// Options configure a store.
type Options struct {
	Path    string // of a store in a file; "" means in memory
	DSN     string // of a store on a server
	ReadDSN string // of a replica of the server, for reading only; "" means DSN
	// Repository names the index on a server; "" means those of all
	// repositories, for reading only.
	Repository string
	Identity   string // settings that an existing index must have been built with to be used
	Embedder   string // key of the embedder of the vectors; "" means none
	ReadOnly   bool   // do not change the index
	// Notice receives each repair and its reason once.
	Notice func(string)
}

// Kind is a kind of store.
type Kind struct {
	// Open opens a store, and creates it if it is absent.
	Open func(ctx context.Context, o Options) (Store, error)
	Can  Abilities
}

// Abilities describe what a kind of store can do. All kinds keep documents and
// their words.
type Abilities struct {
	Vectors      bool // finds the documents nearest by meaning
	Transactions bool // readers see a change completely or not at all
	Shared       bool // processes of several machines may use one index at once
	Texts        bool // stores the texts, which can be shown without their files
}

var registry = struct {
	sync.Mutex
	kinds map[string]Kind
}{kinds: map[string]Kind{}}

// Register registers a kind of store under a name. Init functions call it.
func Register(name string, k Kind) {
	registry.Lock()
	defer registry.Unlock()
	registry.kinds[name] = k
}

// KindOf returns the kind of store with a name.
func KindOf(name string) (Kind, error) {
	registry.Lock()
	defer registry.Unlock()
	if k, ok := registry.kinds[name]; ok {
		return k, nil
	}
	names := slices.Sorted(maps.Keys(registry.kinds))
	return Kind{}, fmt.Errorf("there is no index store %q, only %s", name, strings.Join(names, ", "))
}

// Open opens a store by its name.
func Open(ctx context.Context, name string, o Options) (Store, error) {
	k, err := KindOf(name)
	if err != nil {
		return nil, err
	}
	return k.Open(ctx, o)
}
