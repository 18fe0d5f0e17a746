package standing

import "fmt"

// GlobalName names the user's own memory in messages.
const GlobalName = "your own memory"

// OfGlobal adds to an error that it comes from the user's own memory.
func OfGlobal(err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("asking your own memory: %w", err)
}
