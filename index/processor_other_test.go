//go:build !unix

package index

import "time"

func processorTime() time.Duration { return 0 }
