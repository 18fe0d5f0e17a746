package terminal

import (
	"io"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strings"
	"sync"
)

// Pager puts a pager before a terminal, from the first byte that is written on.
// Where there is none, or it cannot be started, the terminal gets the text
// itself. A pager that ends before all is written wanted no more: Write then
// fails with EPIPE. It is safe for concurrent use.
type Pager struct {
	command string
	vars    []string  // its environment
	screen  *os.File  // the terminal
	direct  io.Writer // writes to the terminal where there is no pager

	mu      sync.Mutex
	begun   bool
	text    io.WriteCloser
	process *exec.Cmd // nil: there is none, or it ended
}

// NewPager is the pager that the environment names: AGENTFLOW_PAGER, PAGER, or
// less, with LESS=FRX where nothing else is set; on Windows only what is named.
// It is nil when the user wants none, as the first of them that is set is empty or
// "cat", and on a terminal of which nothing is known.
func NewPager(environ []string, screen *os.File, direct io.Writer) *Pager {
	vars := map[string]string{}
	for _, v := range environ {
		name, value, _ := strings.Cut(v, "=")
		vars[name] = value
	}
	command := "less"
	if runtime.GOOS == "windows" {
		command = ""
	}
	for _, name := range []string{"PAGER", "AGENTFLOW_PAGER"} {
		if value, set := vars[name]; set {
			command = value
		}
	}
	command = strings.TrimSpace(command)
	simple := vars["TERM"] == "dumb" || vars["TERM"] == "" && runtime.GOOS != "windows"
	if command == "" || command == "cat" || simple {
		return nil
	}
	p := &Pager{command: command, screen: screen, direct: direct, vars: slices.Clone(environ)}
	for _, v := range []struct{ name, value string }{{"LESS", "FRX"}, {"LV", "-c"}} { // as git sets them
		if _, set := vars[v.name]; !set {
			p.vars = append(p.vars, v.name+"="+v.value)
		}
	}
	return p
}

// Write gives text to the pager, which is started first.
func (p *Pager) Write(text []byte) (int, error) { return p.writer().Write(text) }

func (p *Pager) writer() io.Writer {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.begun {
		p.begun = true
		p.start()
	}
	if p.text == nil {
		return p.direct
	}
	return p.text
}

func (p *Pager) start() {
	argv := pagerArgv(p.command)
	if _, err := exec.LookPath(argv[0]); err != nil {
		return
	}
	process := exec.Command(argv[0], argv[1:]...)
	process.Env, process.Stdout, process.Stderr = p.vars, p.screen, os.Stderr
	text, err := process.StdinPipe()
	if err != nil {
		return
	}
	if process.Start() == nil {
		p.text, p.process = text, process
	}
}

// pagerArgv is how a pager is started: by the shell, where its name is more
// than words.
func pagerArgv(command string) []string {
	words := strings.Fields(command)
	if runtime.GOOS == "windows" || !strings.ContainsAny(command, "|&;<>()$`\\\"'*?[]#~=%{}!") {
		return words
	}
	if _, err := exec.LookPath(words[0]); err != nil && !strings.ContainsAny(words[0], "|&;<>()$`\\\"'*?[]#~=%{}!") {
		return words // that is not there: the shell would only say so
	}
	return []string{"sh", "-c", command}
}

// Beside is w, which writes to the same terminal, as long as the pager is not on.
func (p *Pager) Beside(w io.Writer) io.Writer { return besidePager{p, w} }

type besidePager struct {
	pager *Pager
	to    io.Writer
}

func (b besidePager) Write(text []byte) (int, error) {
	if b.pager.On() {
		return b.pager.Write(text)
	}
	return b.to.Write(text)
}

// On says whether the pager has the terminal: keys are for it.
func (p *Pager) On() bool {
	if p == nil {
		return false
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.process != nil
}

// Close waits until the reader has left the pager. How that ended does not
// matter.
func (p *Pager) Close() {
	p.mu.Lock()
	process := p.process
	p.mu.Unlock()
	if process == nil {
		return
	}
	_ = p.text.Close()
	_ = process.Wait()
	p.mu.Lock()
	defer p.mu.Unlock()
	p.process = nil
}

// Kill ends the pager at once.
func (p *Pager) Kill() {
	if p == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.process != nil {
		_ = p.process.Process.Kill()
	}
}
