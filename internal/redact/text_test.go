package redact

import (
	"strings"
	"sync"
	"testing"

	"agentflow/internal/testing/secrettest"
)

func TestPrivateKeys(t *testing.T) {
	r := newRedactor(t, Options{})
	const begin, end = "-----BEGIN RSA PRIVATE KEY-----", "-----END RSA PRIVATE KEY-----"
	const mark = "[redacted: private-key]"
	for in, want := range map[string]string{
		"a\n" + begin + "\nMIIE\nx9==\n" + end + "\nb":                                  "a\n" + mark + "\n\n\n\nb",
		"a\n" + begin + "\nMIIE\nx9==":                                                  "a\n" + mark + "\n\n",
		"MIIE\nx9==\n" + end + "\nb":                                                    mark + "\n\n\nb",
		"x " + begin + `\nMIIE\n` + end + " y":                                          "x " + mark + " y",
		"+" + begin + "\r\n+MIIE\r\n+" + end + "\r\n.":                                  "+" + mark + "\r\n\r\n\r\n.",
		"-----BEGIN PGP PRIVATE KEY BLOCK-----\nx\n-----END PGP PRIVATE KEY BLOCK-----": mark + "\n\n",
		"--BEGIN PRIVATE KEY-----\nx\n" + end + "\n" + begin + "\ny":                    mark + "\n\n\n" + mark + "\n",
		"-----BEGIN PRIVATE KEY--":                                                      mark,
		"-----BEGIN PUBLIC KEY-----\nMIIB\n-----END PUBLIC KEY-----":                    "-----BEGIN PUBLIC KEY-----\nMIIB\n-----END PUBLIC KEY-----",
	} {
		if got := r.Text(in); got != want {
			t.Errorf("%q becomes\n%q, want\n%q", in, got, want)
		}
	}
}

func TestTooLongIsWithheld(t *testing.T) {
	r := newRedactor(t, Options{})
	if got := r.Text(strings.Repeat("a", MaxBytes+1)); got != Withheld {
		t.Errorf("%d bytes", len(got))
	}
	if got := r.Text(Withheld); got != Withheld {
		t.Errorf("%q", got)
	}
}

// A secret of the first and of the last bytes is found in a long text, and
// in a line of megabytes.
func TestLongTexts(t *testing.T) {
	r := newRedactor(t, Options{})
	const key = "AKIAQ2RFXC5NMWTL7PZB"
	for _, filler := range []string{strings.Repeat("An ordinary line.\n", 200_000), strings.Repeat("ab/", 1_000_000)} {
		in := key + " " + filler + " " + key
		got := r.Text(in)
		if strings.Contains(got, key) || strings.Count(got, markOpen) != 2 || !strings.Contains(got, filler) {
			t.Errorf("%d bytes become %d, with %d marks", len(in), len(got), strings.Count(got, markOpen))
		}
	}
	// A value longer than the scanned part is redacted as a whole.
	long := "token=" + strings.Repeat("Ab3", 5000)
	if got := r.Text(long + " rest"); strings.Contains(got, "Ab3") || !strings.HasSuffix(got, " rest") {
		t.Errorf("%q", secrettest.Tail(got))
	}
}

// Where something inside fails, nothing of the text is given out.
func TestFailureWithholds(t *testing.T) {
	r := newRedactor(t, Options{})
	r.scanner = func() (*scanner, error) { panic("broken") }
	if got := r.Text("password=hunter2x"); got != Withheld {
		t.Errorf("%q", got)
	}
}

func TestConcurrentUse(t *testing.T) {
	r := newRedactor(t, Options{})
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for range 20 {
				if got := r.Text("x DB_PASSWORD=hunter2x AKIAQ2RFXC5NMWTL7PZB y"); got != "x DB_PASSWORD=[redacted: password] [redacted: aws-access-token] y" {
					t.Errorf("%q", got)
				}
			}
		})
	}
	wg.Wait()
}

func FuzzText(f *testing.F) {
	for _, s := range []string{
		"DB_PASSWORD=hunter2x\r\nx", "-----BEGIN PRIVATE KEY-----\nabc\n", "https://u:p@h/", `{"token":"a1b2c3d4"}`, "[redacted: token]abc",
		"password=[redacted: password]hunter22", "token: token=\"abc123def\"'", "key = 'AKIAQ2RFXC5NMWTL7PZB'", "kind: Secret\ndata:\n  a: QUJDREVGR0hJSktM\n",
		"curl -u user:secretpass https://x", "pass\x1b[1mword: \x1b[32mhunter2x\x1b[0m", "ＰＡＳＳＷＯＲＤ＝ｈｕｎｔｅｒ２ｘ", `{"a":"\u001b[1mpassword=\u001b[0mhunter2x"}`,
		"docker login -p 'hunter 2x' r; mysql -u x -phunter2", "machine a.b\nlogin c\npassword hunter2x", "Cookie: a=b12345678; c=d12345678",
		"the password for x is hunter2x.", "variable \"password\" {\n default = \"hunter2x\"\n}", "123456789012345|abcdefghijklmnopqrstuvwxyz1",
		"password is [redacted: password]x1y2z3 password is", "sig=[redacted: signature]abcdefghijklmnopqrs1", "\xff\xfepassword=\xff\xff\xff\xff\xff\xff\xff", "(text withheld)", "password=(text withheld)", `secret=\"a\"b\\"cdefgh`,
	} {
		f.Add(s)
	}
	r, err := New(Options{Extra: []string{`x+y`, `(?s)a.b`}, Names: []string{"zeal"}, Env: []string{"A_TOKEN=abcdefgh1", "B_SECRET=redacted:"}})
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, s string) {
		got := r.Text(s)
		if again := r.Text(got); again != got {
			t.Fatalf("%q becomes %q, then %q", s, got, again)
		}
		if got != Withheld && strings.Count(got, "\n") != strings.Count(s, "\n") {
			t.Fatalf("%q has other line breaks in %q", s, got)
		}
	})
}
