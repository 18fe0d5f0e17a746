// Package detached starts a process of ours that outlives this one, and the
// terminal and the process group that this one belongs to.
package detached

import (
	"fmt"
	"os"
	"os/exec"
	"time"
)

// handOver is how long the new process is waited for to take its input; what
// fits into a pipe is handed over at once.
const handOver = time.Second

// Start starts argv in dir, which is absolute, with an environment, feeds it
// input, and does not wait for it. Its outputs go nowhere.
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
	_ = write.SetWriteDeadline(time.Now().Add(handOver)) // Windows has none
	_, err = write.Write(input)
	return err
}
