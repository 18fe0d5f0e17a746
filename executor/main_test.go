package executor

import (
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"agentflow/internal/testing/scriptedagent"
)

// asVar makes the test program be another program of a test.
const asVar = "EXECUTOR_TEST_AS"

func TestMain(m *testing.M) {
	switch as := os.Getenv(asVar); as {
	case "":
		os.Exit(m.Run())
	case "agent":
		os.Exit(scriptedagent.Main())
	case "crash":
		os.Exit(crashMain())
	default:
		fmt.Fprintf(os.Stderr, "unknown %s=%s\n", asVar, as)
		os.Exit(2)
	}
}

func epoch() time.Time { return time.Date(2026, 11, 1, 12, 0, 0, 0, time.UTC) }

// hideSecrets replaces redaction: it hides every word that starts with SECRET.
func hideSecrets(text string) string {
	var b strings.Builder
	for {
		at := strings.Index(text, "SECRET")
		if at < 0 {
			b.WriteString(text)
			return b.String()
		}
		b.WriteString(text[:at] + "***")
		end := strings.IndexAny(text[at:], " \n\"\x00")
		if end < 0 {
			return b.String()
		}
		text = text[at+end:]
	}
}
