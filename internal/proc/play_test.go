//go:build linux || darwin

package proc_test

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"syscall"

	"agentflow/internal/proc"
)

const (
	floodBytes = 200 << 20
	parentTag  = "PROC_TEST_TAG"
)

// play runs the program of a role and returns its exit code.
func play(role string) int {
	switch role {
	case "flood":
		return flood(os.Stdout)
	case "storm":
		return storm()
	case "parent":
		return parent()
	}
	fmt.Fprintln(os.Stderr, "no such role:", role)
	return 99
}

func flood(w io.Writer) int {
	chunk := bytes.Repeat([]byte("0123456789abcdef"), 1<<12)
	for sent := 0; sent < floodBytes; sent += len(chunk) {
		if _, err := w.Write(chunk); err != nil {
			return 1
		}
	}
	return 0
}

// storm ignores requests to end. Until it is killed it starts short-lived
// children, each in a new session.
func storm() int {
	signal.Ignore(syscall.SIGTERM)
	for i := 0; ; i++ {
		cmd := exec.Command("sh", "-c", "sleep 0.02 & exit")
		cmd.SysProcAttr = ownSession()
		if err := cmd.Run(); err != nil {
			return 1
		}
		if i == 3 {
			fmt.Println("raging")
		}
	}
}

// parent plays an agentflow that is killed during a run: it starts an agent
// with a child in another session, and waits for input for ever.
func parent() int {
	p, err := proc.Start(proc.Spec{
		Argv:   []string{"sh", "-c", `setsid sleep 1001 & echo "agent $$ child $!"; exec sleep 1002`},
		Tag:    os.Getenv(parentTag),
		Stdout: os.Stdout,
	})
	if err != nil {
		fmt.Println(err)
		return 1
	}
	defer p.Signal(os.Kill)
	bufio.NewReader(os.Stdin).ReadByte()
	return 0
}

func ownSession() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setsid: true} }
