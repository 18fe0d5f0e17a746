package eval

import (
	"reflect"
	"testing"

	"agentflow/memory/changeset"
)

func TestTree(t *testing.T) {
	got := tree{}
	got.apply([]changeset.Change{{Status: 'A', Path: "a"}, {Status: 'A', Path: "b"}, {Status: 'M', Path: "c"}, {Status: 'A', Path: "d"}})
	got.apply([]changeset.Change{{Status: 'D', Path: "a"}, {Status: 'R', Path: "e", OldPath: "b"}, {Status: 'C', Path: "f", OldPath: "c"}})
	if want := (tree{"c": true, "d": true, "e": true, "f": true}); !reflect.DeepEqual(got, want) {
		t.Errorf("the tree holds %v, want %v", got, want)
	}
	if !got.holds("c") || got.holds("a") {
		t.Error("what is gone is held, or the reverse")
	}
}
