package store

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
)

// Options say how a store is opened.
type Options struct {
	Path    string // of a store that is a file; "" means in memory
	DSN     string // of a store that is a server
	ReadDSN string // of a replica of it, for what only reads; "" means DSN
	// Repository is what the index in a server is of; "" stands for those of all
	// repositories, and only reads.
	Repository string
	Identity   string // what else an index must agree in to be used as it is
	Embedder   string // key of the embedder that vectors are made with; "" means none
	ReadOnly   bool   // leave the index alone
	// Notice receives, once, what was repaired and why.
	Notice func(string)
}

// Kind is a kind of store.
type Kind struct {
	// Open opens a store. One that is absent is made.
	Open func(ctx context.Context, o Options) (Store, error)
	Can  Abilities
}

// Abilities are what a kind of store can do. All keep documents, and which words stand
// in which.
type Abilities struct {
	Vectors      bool // finds the documents nearest in meaning
	Transactions bool // a change is seen whole or not at all
	Shared       bool // processes of several machines may use one index at once
	Texts        bool // keeps the texts: they are shown without their files
}

var registry = struct {
	sync.Mutex
	kinds map[string]Kind
}{kinds: map[string]Kind{}}

// Register makes a kind of store known by a name. It is called by init functions.
func Register(name string, k Kind) {
	registry.Lock()
	defer registry.Unlock()
	registry.kinds[name] = k
}

// KindOf is the kind of store with a name.
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
