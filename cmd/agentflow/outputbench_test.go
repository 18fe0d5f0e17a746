package main

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"
)

// BenchmarkOutput compares a program that prints much with the same program under
// agentflow, both into a file: 500 MB of ordinary text, and 16 MB that hold only
// secrets. agent-ratio is of the time until the program itself has ended.
func BenchmarkOutput(b *testing.B) {
	if runtime.GOOS == "windows" {
		b.Skip("the program is a shell's")
	}
	for name, text := range map[string]func() []byte{"ordinary": ordinaryText, "dense": secretText} {
		b.Run(name, func(b *testing.B) {
			l := newLab(b, "")
			p := printer{b: b, dir: b.TempDir()}
			if err := os.WriteFile(p.file("in"), text(), 0o600); err != nil {
				b.Fatal(err)
			}
			var ours, theirs []float64
			sideBySide(b, func() time.Duration {
				whole, own := p.time(l.Command(append([]string{"run", "-q", "--agent", "command", "Print", "--"}, p.argv()...)...))
				ours = append(ours, own.Seconds()*1000)
				return whole
			}, func() time.Duration {
				whole, own := p.time(exec.Command(p.argv()[0], p.argv()[1:]...))
				theirs = append(theirs, own.Seconds()*1000)
				return whole
			})
			b.ReportMetric(median(ours), "agent-ms")
			b.ReportMetric(median(ours)/median(theirs), "agent-ratio")
		})
	}
}

// printer is a program that prints a file, and notes when it began and ended.
type printer struct {
	b   *testing.B
	dir string
}

func (p printer) file(name string) string { return filepath.Join(p.dir, name) }

func (p printer) argv() []string {
	return []string{"sh", "-c", `cd "$0"; touch began; cat in; touch ended`, p.dir}
}

// time runs the program, or agentflow around it, with its output in a file, and checks
// the file. It returns the time of the whole and the time of the program
// itself.
func (p printer) time(cmd *exec.Cmd) (whole, own time.Duration) {
	p.b.Helper()
	out, err := os.Create(p.file("out"))
	if err != nil {
		p.b.Fatal(err)
	}
	defer out.Close()
	cmd.Stdout = out
	start := time.Now()
	if err := cmd.Run(); err != nil {
		p.b.Fatalf("%s: %v", cmd, err)
	}
	whole = time.Since(start)
	if in := p.stat("in"); p.stat("out").Size() != in.Size() {
		p.b.Fatalf("%d bytes of %d came", p.stat("out").Size(), in.Size())
	}
	return whole, p.stat("ended").ModTime().Sub(p.stat("began").ModTime())
}

func (p printer) stat(name string) os.FileInfo {
	p.b.Helper()
	info, err := os.Stat(p.file(name))
	if err != nil {
		p.b.Fatal(err)
	}
	return info
}

// ordinaryText returns 500 MB of this program's own source.
func ordinaryText() []byte {
	var source []byte
	files, _ := filepath.Glob("../../*/*.go")
	for _, name := range files {
		text, _ := os.ReadFile(name)
		source = append(source, text...)
	}
	return bytes.Repeat(source, 500_000_000/len(source)+1)[:500_000_000]
}

// secretText returns 16 MB with a different secret in every line.
func secretText() []byte {
	random := rand.New(rand.NewPCG(1, 2))
	some := func(n int) string {
		const letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
		b := make([]byte, n)
		for i := range b {
			b[i] = letters[random.IntN(len(letters))]
		}
		return string(b)
	}
	var text bytes.Buffer
	for text.Len() < 16_000_000 {
		fmt.Fprintf(&text, "DB_PASSWORD=%s\nAPI_TOKEN=%s\nexport GITHUB_TOKEN=ghp_%s\naws_secret_access_key = %s\n{\"api_key\": \"%s\"}\nAuthorization: Bearer %s\nhttps://ada:%s@db.example.com/x\nAWS_ACCESS_KEY_ID=AKIA%s\n",
			some(12), some(32), some(36), some(40), some(40), some(48), some(14), strings.ToUpper(some(16)))
	}
	return text.Bytes()[:16_000_000]
}
