package embed

import (
	"fmt"
	"slices"
	"testing"
)

// benchText is a typical chunk of memory.
const benchText = `Fix the flaky login test: it raced the real clock. Expired now takes the time, and the test sets it.
Commit a1b2c3d. Changes: M auth/session.go, R auth/clock.go from auth/time.go, A auth/session_test.go.
Memories: the login test depends on retryDelay and HTTPServer.Timeout; never wait for real time. Use synctest. `

func sized(n int) string {
	text := benchText
	for len(text) < n {
		text += "Then " + text
	}
	return text[:n]
}

func benchmarkEmbed(b *testing.B, e Embedder, text string) {
	b.ReportAllocs()
	b.SetBytes(int64(len(text)))
	texts := []string{text}
	for b.Loop() {
		if _, err := e.Embed(b.Context(), Document, texts); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkLocal300(b *testing.B)  { benchmarkEmbed(b, newLocal(localDefault), sized(300)) }
func BenchmarkLocal1600(b *testing.B) { benchmarkEmbed(b, newLocal(localDefault), sized(1600)) }

// BenchmarkStatic reads a vocabulary of the size of published models.
func BenchmarkStatic300(b *testing.B)  { benchmarkEmbed(b, largeStatic(b), sized(300)) }
func BenchmarkStatic1600(b *testing.B) { benchmarkEmbed(b, largeStatic(b), sized(1600)) }

func largeStatic(b *testing.B) Embedder {
	m := tinyModel()
	for c := 'a'; c <= 'z'; c++ {
		for d := 'a'; d <= 'z'; d++ {
			for _, piece := range []string{string(c), string([]rune{c, d}), "##" + string(c), "##" + string([]rune{c, d})} {
				if _, known := m.vocab[piece]; !known {
					m.vocab[piece] = len(m.vocab)
				}
			}
		}
	}
	m.matrix = nil
	for i := range len(m.vocab) {
		m.matrix = append(m.matrix, fakeVector(string(rune(i)), 256))
	}
	return m.load(b)
}

// BenchmarkStaticLoad reads a model as large as the common ones.
func BenchmarkStaticLoad(b *testing.B) {
	m := tinyModel()
	for i := len(m.vocab); i < 30_000; i++ {
		m.vocab[fmt.Sprint("piece", i)] = i
	}
	row := fakeVector("row", 256)
	m.matrix = slices.Repeat([][]float64{row}, 30_000)
	dir := b.TempDir()
	m.write(b, dir)
	for b.Loop() {
		mustNew(b, Options{Provider: "static", Dir: dir})
	}
}
