package supervise

import (
	"os"
)

// Interrupt is the cause of a cancelled context, with the signal that ended the run. Any other
// cause counts as the interrupt key.
type Interrupt struct{ Signal os.Signal }

func (i Interrupt) Error() string { return "ended by signal: " + i.Signal.String() }
