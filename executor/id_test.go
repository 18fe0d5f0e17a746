package executor

import (
	"testing"

	"github.com/google/uuid"
)

func TestARunTakesTheIDItIsGiven(t *testing.T) {
	id := uuid.Must(uuid.NewV7()).String()
	if got, err := idOf(Request{ID: id}); err != nil || got != id {
		t.Errorf("%q, %v; want %q", got, err, id)
	}
	if _, err := idOf(Request{ID: "../../elsewhere"}); err == nil {
		t.Error("an id that is a path was taken")
	}
	if got, err := idOf(Request{}); err != nil || uuid.Validate(got) != nil {
		t.Errorf("a new id: %q, %v", got, err)
	}
}
