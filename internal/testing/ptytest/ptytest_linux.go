// Package ptytest runs a program on a pseudo-terminal, like a person: tests
// type, press Ctrl-C, and wait for text on the screen. Linux only.
package ptytest

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// Keys that make the terminal send a signal, or end the input.
const (
	Interrupt = "\x03" // Ctrl-C: SIGINT for the program
	End       = "\x04" // Ctrl-D, at the beginning of a line
)

// Terminal is a pseudo-terminal with a program. Its methods may be called from
// any goroutine, except those that fail the test.
type Terminal struct {
	tb    testing.TB
	ours  *os.File
	cmd   *exec.Cmd
	ended chan struct{} // closed after everything was read

	mu     sync.Mutex
	screen strings.Builder
	seen   int // offset in screen that Await has reached
	more   chan struct{}
}

// Start starts a command on a new terminal with this many columns. The command
// is killed when the test ends.
func Start(tb testing.TB, cmd *exec.Cmd, columns uint16) *Terminal {
	tb.Helper()
	ours, theirs, err := open(columns)
	if err != nil {
		tb.Fatal("opening a pseudo-terminal: ", err)
	}
	t := &Terminal{tb: tb, ours: ours, cmd: cmd, ended: make(chan struct{}), more: make(chan struct{}, 1)}
	cmd.Stdin, cmd.Stdout, cmd.Stderr = theirs, theirs, theirs
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	err = cmd.Start()
	_ = theirs.Close() // the command has it
	if err != nil {
		tb.Fatal(err)
	}
	go t.read()
	tb.Cleanup(func() {
		_ = cmd.Process.Kill() // it may have ended
		_ = ours.Close()
	})
	return t
}

// open opens a pseudo-terminal; see pty(7).
func open(columns uint16) (ours, theirs *os.File, err error) {
	if ours, err = os.OpenFile("/dev/ptmx", os.O_RDWR|syscall.O_NOCTTY, 0); err != nil {
		return nil, nil, err
	}
	fd := int(ours.Fd())
	number, err := unix.IoctlGetInt(fd, unix.TIOCGPTN)
	if err == nil {
		err = unix.IoctlSetPointerInt(fd, unix.TIOCSPTLCK, 0)
	}
	if err == nil {
		err = unix.IoctlSetWinsize(fd, unix.TIOCSWINSZ, &unix.Winsize{Row: 24, Col: columns})
	}
	if err == nil {
		theirs, err = os.OpenFile(fmt.Sprintf("/dev/pts/%d", number), os.O_RDWR|syscall.O_NOCTTY, 0)
	}
	if err != nil {
		_ = ours.Close()
		return nil, nil, err
	}
	return ours, theirs, nil
}

func (t *Terminal) read() {
	defer close(t.ended)
	buffer := make([]byte, 4096)
	for {
		n, err := t.ours.Read(buffer)
		t.mu.Lock()
		t.screen.Write(buffer[:n])
		t.mu.Unlock()
		select {
		case t.more <- struct{}{}:
		default:
		}
		if err != nil { // EIO: no process has the terminal open any more
			return
		}
	}
}

// Type types text; "\n" is the return key.
func (t *Terminal) Type(text string) {
	t.tb.Helper()
	if _, err := t.ours.WriteString(text); err != nil {
		t.tb.Fatal("typing: ", err)
	}
}

// Screen returns everything written to the terminal, including its echo, with
// lines that end in "\n".
func (t *Terminal) Screen() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return strings.ReplaceAll(t.screen.String(), "\r\n", "\n")
}

// Await waits until the terminal shows texts, one after the other, after the
// texts awaited before. It fails the test after 20 seconds.
func (t *Terminal) Await(texts ...string) {
	t.tb.Helper()
	deadline := time.After(20 * time.Second)
	for _, text := range texts {
		for !t.sees(text) {
			select {
			case <-t.more:
			case <-deadline:
				t.tb.Fatalf("the terminal does not show %q. It shows:\n%s", text, t.Screen())
			}
		}
	}
}

// AwaitWords is Await for a program that draws its screen: it ignores escape
// sequences and white space in the texts and on the terminal.
func (t *Terminal) AwaitWords(texts ...string) {
	t.tb.Helper()
	deadline := time.After(20 * time.Second)
	for _, text := range texts {
		for !t.draws(text) {
			select {
			case <-t.more:
			case <-deadline:
				t.tb.Fatalf("the terminal does not draw %q. It shows:\n%s", text, escapes.ReplaceAllString(t.Screen(), " "))
			}
		}
	}
}

// escapes matches the sequences that place and colour text (ECMA-48), titles
// and modes, and white space.
var escapes = regexp.MustCompile(`\x1b\[[0-?]*[ -/]*[@-~]|\x1b\][^\x07]*\x07|\x1b[()][A-Z0-9]|\x1b[=>78]|\s`)

func (t *Terminal) draws(text string) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	screen := t.screen.String()
	var plain []byte
	var places []int // for each byte of plain, the offset after it in screen
	last := min(t.seen, len(screen))
	for _, escape := range append(escapes.FindAllStringIndex(screen[last:], -1), []int{len(screen) - last, len(screen) - last}) {
		for i := last; i < t.seen+escape[0]; i++ {
			plain, places = append(plain, screen[i]), append(places, i+1)
		}
		last = t.seen + escape[1]
	}
	text = escapes.ReplaceAllString(text, "")
	at := bytes.Index(plain, []byte(text))
	if at >= 0 {
		t.seen = places[at+len(text)-1]
	}
	return at >= 0
}

func (t *Terminal) sees(text string) bool {
	screen := t.Screen()
	t.mu.Lock()
	defer t.mu.Unlock()
	at := strings.Index(screen[min(t.seen, len(screen)):], text)
	if at >= 0 {
		t.seen += at + len(text)
	}
	return at >= 0
}

// Ended waits for the end of the program and returns its exit code.
func (t *Terminal) Ended() int {
	t.tb.Helper()
	select {
	case <-t.ended:
	case <-time.After(20 * time.Second):
		t.tb.Fatalf("the program still runs. The terminal shows:\n%s", t.Screen())
	}
	_ = t.cmd.Wait() // the exit code has the result
	return t.cmd.ProcessState.ExitCode()
}
