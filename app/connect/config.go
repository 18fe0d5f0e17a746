package connect

import (
	"errors"

	"agentflow/app"
	"agentflow/internal/config"
)

// PlaceOrNone is like Operation.Place, but returns no error outside a repository.
func PlaceOrNone(o *app.Operation) (config.Place, config.Dirs, error) {
	place, dirs, err := o.Place()
	if errors.Is(err, config.ErrNoPlace) {
		err = nil
	}
	return place, dirs, err
}
