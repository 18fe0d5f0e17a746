package bounded

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"agentflow/executor/agent"
	"agentflow/internal/redact"
	"agentflow/internal/testing/secrettest"
	"agentflow/memory"
)

// TestStreamRedactorNeverCutsASecret puts a secret at every place around a cut.
func TestStreamRedactorNeverCutsASecret(t *testing.T) {
	secret := "SECRET" + strings.Repeat("k", 300)
	for at := (window - LookAhead) - 400; at < (window-LookAhead)+400; at += 7 {
		for _, filler := range []string{"x", "line of words\n"} {
			text := strings.Repeat(filler, 2*agent.MaxMessage/len(filler))
			text = text[:at] + " " + secret + " " + text[at:]
			got, _ := sifted(text, 1000)
			if want := hideSecrets(text); got != want {
				t.Fatalf("secret at %d in %q: the pieces are not the redacted text (%d bytes, want %d)", at, filler, len(got), len(want))
			}
		}
	}
}

// TestStreamsLeakNothing puts secrets of every form at the end of a window,
// where redaction sees their beginning, and a short one that may look like a
// whole secret.
func TestStreamsLeakNothing(t *testing.T) {
	r, err := redact.New(redact.Options{})
	if err != nil {
		t.Fatal(err)
	}
	const line = "An ordinary line of words, and no more.\n"
	for _, f := range append(secrettest.Forms(), secrettest.Sample{Name: "long value", Text: "DB_PASSWORD=" + strings.Repeat("Ab3x", 500), Secrets: []string{strings.Repeat("Ab3x", 50)}}) {
		for n, share := range []int{1, 3, 5, 7, 9} { // the first window has ten of them
			first, waits := window, func() bool { return false }
			if n%2 == 1 {
				first, waits = longestWindow, func() bool { return true }
			}
			filler := strings.Repeat(line, first/len(line)+1)
			seen := len(f.Text) * share / 10
			text := filler[:first-seen-1] + "\n" + f.Text + "\n" + filler
			var out strings.Builder
			s := StreamRedactor{Redact: r.Text, Emit: func(piece string) { out.WriteString(piece) }, Waits: waits}
			s.Write(text)
			s.Flush()
			got := out.String()
			for _, secret := range f.Secrets {
				for _, half := range []string{secret[:len(secret)/2], secret[len(secret)/2:]} {
					if len(half) >= 6 && strings.Contains(got, half) {
						t.Errorf("%s: %q of %q is left when a window ends %d bytes in", f.Name, half, f.Text, seen)
					}
				}
			}
		}
	}
}

func TestStreamRedactorIsBounded(t *testing.T) {
	text := strings.Repeat("日本語 and a SECRETword\xff\n", 200_000)
	calls := 0
	s := StreamRedactor{Redact: func(window string) string {
		calls++
		if len(window) > agent.MaxMessage {
			t.Fatalf("a window of %d bytes", len(window))
		}
		return hideSecrets(window)
	}, Emit: func(piece string) {
		if len(piece) > agent.MaxMessage || !utf8.ValidString(piece) {
			t.Fatalf("a piece of %d bytes, valid %v", len(piece), utf8.ValidString(piece))
		}
	}}
	s.Write(text)
	s.Flush()
	// A window's end with many secrets is redacted once more.
	if most := 2*len(text)/(window-LookAhead) + 2; calls > most {
		t.Errorf("%d redactions of %d bytes, want at most %d", calls, len(text), most)
	}
}

// sifted writes text in pieces and returns the joined output. After two of three pieces more
// text is waiting.
func sifted(text string, size int) (string, int) {
	var out strings.Builder
	pieces, asked := 0, 0
	s := StreamRedactor{Redact: hideSecrets, Emit: func(piece string) { out.WriteString(piece); pieces++ }, Waits: func() bool { asked++; return asked%3 > 0 }}
	for len(text) > 0 {
		n := min(size, len(text))
		s.Write(text[:n])
		text = text[n:]
	}
	s.Flush()
	return out.String(), pieces
}

func FuzzStreamRedactor(f *testing.F) {
	f.Add("a SECRETb c", 3, 5000)
	f.Add("\xff\nSECRET", 1, 30000)
	f.Fuzz(func(t *testing.T, unit string, size, repeat int) {
		repeat = max(0, min(repeat, 300_000/(len(unit)+1)))
		text := strings.Repeat(unit, repeat)
		got, _ := sifted(text, max(1, size))
		// A secret longer than lookAhead may be cut. Then it is hidden in parts.
		want := strings.ToValidUTF8(hideSecrets(text), "\uFFFD")
		longest := 0
		for _, word := range strings.FieldsFunc(text, func(r rune) bool { return strings.ContainsRune(" \n\"\x00", r) }) {
			longest = max(longest, len(word))
		}
		if longest < LookAhead && utf8.ValidString(text) && got != want {
			t.Errorf("%d bytes came out, want %d", len(got), len(want))
		}
	})
}

func TestTailKeepsTheEndAndNoHalfSecret(t *testing.T) {
	const size = 2 * LookAhead
	// A secret of several lines, known only by its beginning.
	secret := "SECRET" + strings.Repeat("kk\n", 10)
	redact := func(text string) string { return strings.ReplaceAll(text, secret, "***") }
	filler := strings.Repeat("0123456789\n", size/11+2)
	for lost := range len(secret) {
		// Too little of the secret is left to recognise it.
		text := secret + filler
		text = text[:size+lost-len("the end")] + "the end"
		tl := Tail{Max: size}
		for piece := range slices.Chunk([]byte(text), 1000) {
			tl.Write(string(piece))
		}
		got := tl.Redacted(redact)
		if !strings.HasSuffix(got, "the end") || strings.Contains(got, "kk") || len(got) < size-LookAhead-len("0123456789\n")-len(secret) {
			t.Fatalf("%d: kept %q… of %d bytes", lost, got[:30], len(got))
		}
	}
	short := Tail{Max: 100}
	short.Write("all of it, SECRETs too")
	if got := short.Redacted(hideSecrets); got != "all of it, *** too" {
		t.Errorf("kept %q", got)
	}
}

func TestRedactBoundedLooksBeyondTheCut(t *testing.T) {
	text := strings.Repeat("x", 95) + " SECRETabcdef"
	if got := RedactBounded(hideSecrets, text, 100); strings.Contains(got, "SECR") || len(got) > 100 {
		t.Errorf("kept %q", got)
	}
}

func TestClipping(t *testing.T) {
	long := strings.Repeat("word ", 400)
	for name, got := range map[string]string{"head": memory.Head(long, 100), "tail": ClipTail(long, 100), "clip": agent.Clip(long, 100)} {
		if n := utf8.RuneCountInString(got); n > 100 || n < 90 {
			t.Errorf("%s: %d runes", name, n)
		}
	}
	if got := ClipTail("first line\nsecond line\nthird", 20); got != "…second line\nthird" && got != "…third" {
		t.Errorf("tail %q does not begin at a line", got)
	}
	if got := fmt.Sprint(LastLines("a\nb\nc\n", 2)); got != "b\nc" {
		t.Errorf("last lines %q", got)
	}
}

// hideSecrets replaces redaction: it hides every word that starts with SECRET.
func hideSecrets(text string) string {
	var b strings.Builder
	for {
		at := strings.Index(text, "SECRET")
		if at < 0 {
			b.WriteString(text)
			return b.String()
		}
		b.WriteString(text[:at] + "***")
		end := strings.IndexAny(text[at:], " \n\"\x00")
		if end < 0 {
			return b.String()
		}
		text = text[at+end:]
	}
}
