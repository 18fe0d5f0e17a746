package proc

import (
	"os"
	"os/exec"
	"testing"
)

// Between two programs, in the middle of an exec, the system shows neither the
// environment nor the arguments of a process.
func TestAProcessThatJustStartedShowsItsTagAndItsArguments(t *testing.T) {
	for range 300 {
		cmd := exec.Command("sleep", "4101")
		cmd.Env = append(os.Environ(), TagVar+"=begun")
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		belongs, args := tagged(cmd.Process.Pid, "begun"), string(cmdline(cmd.Process.Pid))
		cmd.Process.Kill()
		cmd.Wait()
		if !belongs || args != "sleep\x004101\x00" {
			t.Fatalf("tagged: %v, arguments: %q", belongs, args)
		}
	}
}
