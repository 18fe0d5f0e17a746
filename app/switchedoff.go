package app

import (
	"agentflow/gitwatch/hook"
	"agentflow/internal/config"
	"context"
	"errors"
	"fmt"
	"path/filepath"
)

// errOff refuses an operation that needs memory while memory is switched off.
var errOff = errors.New("memory is switched off")

// IsSwitchedOff reports whether an error means that memory is switched off.
func IsSwitchedOff(err error) bool { return errors.Is(err, errOff) }

// SwitchedOff returns the error for a place where memory is switched off, by a
// settings file or an environment variable.
func SwitchedOff(o *Operation, source string, place config.Place) *Error {
	e := &Error{Kind: KindRefused, Err: fmt.Errorf("%w by %s", errOff, source), Hint: "unset it, or set it to true"}
	if filepath.IsAbs(source) {
		e.Err = fmt.Errorf("%w in %s", errOff, o.Shown(source))
		e.Hint = "'agentflow config unset memory.enabled' switches it on"
		if source == place.ConfigFile() {
			e.Hint = "'agentflow config unset --repository memory.enabled' switches it on"
		}
	}
	return e
}

// On returns nil if memory may be used. If memory is switched off, the error names the
// file that says so, and is of KindRefused. On reads only the settings, in less
// than a millisecond. Unusable settings are no error here.
func (m *Memory) On(ctx context.Context) error {
	if err := On(m.Begin(ctx)); err != nil {
		return AsError(err)
	}
	return nil
}

// On returns an error if memory is switched off.
func On(o *Operation) error {
	if o.isOn {
		return nil
	}
	place, dirs, _ := o.Place()
	return OffBy(o, place, dirs)
}

// pauseNoting makes the hooks of a place note nothing while memory is switched
// off.
func pauseNoting(o *Operation, place config.Place) {
	if place.CommonDir == "" {
		return
	}
	if err := hook.Pause(place.State()); err != nil {
		o.Warn("%v", err)
	}
}

// OffBy reads again whether memory is switched off in a place.
func OffBy(o *Operation, place config.Place, dirs config.Dirs) error {
	if source, off, _ := config.MemoryOff(o.Layers(place, dirs)); off { // errors in the settings are reported by the operations that use them
		return SwitchedOff(o, source, place)
	}
	return nil
}
