package help

import (
	"strings"
	"testing"
	"time"

	"github.com/spf13/cobra"
)

// TestManPage: text is printed unchanged, also if it has a meaning in man(7).
func TestManPage(t *testing.T) {
	cmd := &cobra.Command{Use: "okapi", Short: "Sleep", Run: func(*cobra.Command, []string) {}, Long: "It sleeps.\n.SH is text, so is \\fB.\n\nA list:\n  one\n  two\n", Example: "  okapi --deep"}
	cmd.Flags().BoolP("deep", "d", false, "soundly")
	cmd.Flags().String("where", "", "in this `room`")
	cmd.Flags().Bool("never", false, "hidden")
	_ = cmd.Flags().MarkHidden("never")
	page := manPage(cmd, time.Date(2026, 11, 2, 0, 0, 0, 0, time.UTC))
	for _, want := range []string{
		".TH \"AGENTFLOW\" \"1\" \"Nov 2026\"", ".SH NAME\nokapi \\- Sleep\n", "\n\\&.SH is text, so is \\efB.\n", ".EX\nA list:\n  one\n  two\n.EE\n",
		".TP\n\\fB\\-d\\fP, \\fB\\-\\-deep\\fP\nsoundly\n", ".TP\n\\fB\\-\\-where\\fP \\fIroom\\fP\nin this room\n", ".EX\n  okapi \\-\\-deep\n.EE\n",
	} {
		if !strings.Contains(page, want) {
			t.Errorf("no %q in\n%s", want, page)
		}
	}
	if strings.Contains(page, "never") {
		t.Error("a hidden flag is told of")
	}
}
