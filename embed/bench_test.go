package embed

import "testing"

// benchText is what a chunk of memory looks like.
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
