// Package detached starts a process of ours that outlives this process, its
// terminal and its process group.
package detached

import (
	"fmt"
	"os"
	"os/exec"
	"time"
)

// handOver limits the new process's time to read its input. Input that
// fits into a pipe is handed over immediately.
const handOver = time.Second

// Start starts argv in the absolute folder dir with an environment, writes
// input to its standard input, and does not wait for it. Its outputs are
// discarded.
func Start(argv []string, dir string, env []string, input []byte) error {
	if err := start(argv, dir, env, input); err != nil {
		return fmt.Errorf("starting %s in the background: %w", argv[0], err)
	}
	return nil
}

func start(argv []string, dir string, env []string, input []byte) error {
	read, write, err := os.Pipe()
	if err != nil {
		return err
	}
	defer write.Close()
	cmd := exec.Command(argv[0], argv[1:]...)
	cmd.Dir, cmd.Env, cmd.Stdin = dir, env, read
	detach(cmd)
	err = cmd.Start()
	read.Close()
	if err != nil {
		return err
	}
	go func() { _ = cmd.Wait() }()
	_ = write.SetWriteDeadline(time.Now().Add(handOver)) // Windows does not support deadlines on pipes
	_, err = write.Write(input)
	return err
}
