package embed

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
)

// provider is one kind of embedder: the options that make it, and changes of
// them that make a different embedder.
type provider struct {
	options Options
	changes map[string]func(*Options)
}

func providers(t testing.TB) map[string]provider {
	server, other := serve(t, &modelServer{}), serve(t, &modelServer{})
	model := func(o *Options) { o.Model = "another" }
	dimensions := func(o *Options) { o.Dimensions = 32 }
	folder, folder2 := t.TempDir(), t.TempDir()
	tinyModel().write(t, folder)
	second := tinyModel()
	second.matrix[3][0] += 0.5
	second.write(t, folder2)
	return map[string]provider{
		"local":  {Options{Provider: "local"}, map[string]func(*Options){"dimensions": dimensions}},
		"static": {Options{Provider: "static", Dir: folder}, map[string]func(*Options){"dir": func(o *Options) { o.Dir = folder2 }}},
		"ollama": {Options{Provider: "ollama", BaseURL: server, Batch: 4}, map[string]func(*Options){
			"model": model, "dimensions": dimensions, "base_url": func(o *Options) { o.BaseURL = other }}},
		"openai": {Options{Provider: "openai", BaseURL: server + "/v1", Model: "m", APIKey: "k", Batch: 4}, map[string]func(*Options){
			"model": model, "dimensions": dimensions, "base_url": func(o *Options) { o.BaseURL = other + "/v1" }}},
		"glm": {Options{Provider: "glm", BaseURL: server + "/v1/", APIKey: "k"}, map[string]func(*Options){
			"model": model, "dimensions": dimensions, "base_url": func(o *Options) { o.BaseURL = other + "/v1" }}},
		"claude": {Options{Provider: "claude", Argv: []string{os.Args[0]}, Environ: claudeEnviron("honest")}, map[string]func(*Options){
			"model": model}},
	}
}

func TestContract(t *testing.T) {
	for name, p := range providers(t) {
		t.Run(name, func(t *testing.T) {
			e := mustNew(t, p.options)
			t.Run("vectors", func(t *testing.T) { checkVectors(t, e) })
			t.Run("order", func(t *testing.T) { checkOrder(t, e) })
			t.Run("nothing", func(t *testing.T) { checkNothing(t, e) })
			t.Run("identity", func(t *testing.T) { checkIdentity(t, p) })
			t.Run("cancelled", func(t *testing.T) { checkCancelled(t, e, name) })
			t.Run("concurrent", func(t *testing.T) { checkConcurrent(t, e) })
			t.Run("same", func(t *testing.T) { checkSame(t, e, p) })
		})
	}
}

func embed(t testing.TB, e Embedder, role Role, texts ...string) [][]float32 {
	t.Helper()
	vectors, err := e.Embed(t.Context(), role, texts)
	if err != nil {
		t.Fatal(err)
	}
	if len(vectors) != len(texts) {
		t.Fatalf("%d vectors for %d texts", len(vectors), len(texts))
	}
	return vectors
}

func checkUnit(t testing.TB, v []float32, dimensions int) {
	t.Helper()
	if len(v) != dimensions {
		t.Fatalf("%d dimensions, want %d", len(v), dimensions)
	}
	if length := math.Sqrt(dot(v, v)); math.Abs(length-1) > 1e-5 {
		t.Errorf("length %v", length)
	}
}

func checkVectors(t *testing.T, e Embedder) {
	texts := []string{"the test of the login", "", "an index of files", " \n\t", "?!", "登录 login \xff", strings.Repeat("login test ", 2000)}
	for _, role := range []Role{Document, Query} {
		vectors := embed(t, e, role, texts...)
		dimensions := e.Info().Dimensions
		for i, v := range vectors {
			if none := i == 1 || i == 3 || i == 4; none != (v == nil) {
				t.Fatalf("text %d: %v", i, v)
			}
			if v != nil {
				checkUnit(t, v, dimensions)
			}
		}
	}
	if i := e.Info(); i.Identity == "" || i.Batch <= 0 || i.Weight <= 0 || i.Weight > 1 {
		t.Errorf("%+v", i)
	}
}

// More texts than a batch come back complete and in order.
func checkOrder(t *testing.T, e Embedder) {
	words := []string{"login", "test", "index", "files", "the", "of", "a"}
	texts := make([]string, 2*e.Info().Batch+1)
	for i := range texts {
		for n := i + 1; n > 0; n /= 5 {
			texts[i] += words[n%5] + " "
		}
	}
	vectors := embed(t, e, Document, texts...)
	for _, i := range []int{0, 1, len(texts) / 2, len(texts) - 1} {
		if alone := embed(t, e, Document, texts[i])[0]; !slices.Equal(alone, vectors[i]) {
			t.Errorf("text %d has another vector alone", i)
		}
	}
}

func checkNothing(t *testing.T, e Embedder) {
	embed(t, e, Document)
	for _, v := range embed(t, e, Query, "", "...") {
		if v != nil {
			t.Error("a vector for nothing")
		}
	}
}

func checkIdentity(t *testing.T, p provider) {
	seen := map[string]string{}
	before := mustNew(t, p.options)
	seen[before.Info().Identity] = "unchanged"
	embed(t, before, Document, "login")
	if again := mustNew(t, p.options).Info().Identity; seen[before.Info().Identity] == "" || seen[again] == "" {
		t.Errorf("%s changes to %s and %s", "the identity", before.Info().Identity, again)
	}
	for name, change := range p.changes {
		o := p.options
		change(&o)
		id := mustNew(t, o).Info().Identity
		if seen[id] != "" {
			t.Errorf("another %s has the identity of %s: %s", name, seen[id], id)
		}
		seen[id] = name
	}
}

func checkCancelled(t *testing.T, e Embedder, name string) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := e.Embed(ctx, Query, []string{"login", "test", "files"})
	if !errors.Is(err, context.Canceled) || !strings.Contains(fmt.Sprint(err), "embed 3 texts with "+name) {
		t.Errorf("error %v", err)
	}
}

func checkConcurrent(t *testing.T, e Embedder) {
	want := embed(t, e, Document, "login test", "index of files")
	var group sync.WaitGroup
	for range 6 {
		group.Go(func() {
			have, err := e.Embed(t.Context(), Document, []string{"login test", "index of files"})
			if err != nil || !slices.Equal(have[0], want[0]) || !slices.Equal(have[1], want[1]) {
				t.Errorf("another answer beside others: %v", err)
			}
			e.Info()
		})
	}
	group.Wait()
}

// checkSame checks that an embedder that computes in this process gives the
// same bits in any instance.
func checkSame(t *testing.T, e Embedder, p provider) {
	if !e.Info().Inline {
		t.Skip("asks somebody else")
	}
	a, b := embed(t, e, Document, "login test of files")[0], embed(t, mustNew(t, p.options), Query, "login test of files")[0]
	if !slices.Equal(a, b) {
		t.Error("two instances differ")
	}
}
