package server

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"fmt"
	"math/big"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"agentflow/app"
	"agentflow/app/team"
)

// certify writes a certificate for the team's host and its key, and is the serial number.
func certify(t *testing.T, cert, key string, serial int64) *x509.Certificate {
	t.Helper()
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	c := &x509.Certificate{SerialNumber: big.NewInt(serial), Subject: pkix.Name{CommonName: teamHost}, DNSNames: []string{teamHost}, NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
		IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageDigitalSignature | x509.KeyUsageCertSign}
	der, err := x509.CreateCertificate(rand.Reader, c, c, &private.PublicKey, private)
	if err != nil {
		t.Fatal(err)
	}
	secret, err := x509.MarshalPKCS8PrivateKey(private)
	if err != nil {
		t.Fatal(err)
	}
	for name, block := range map[string]*pem.Block{cert: {Type: "CERTIFICATE", Bytes: der}, key: {Type: "PRIVATE KEY", Bytes: secret}} {
		next := name + ".new"
		if err := os.WriteFile(next, pem.EncodeToMemory(block), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Rename(next, name); err != nil {
			t.Fatal(err)
		}
	}
	parsed, err := x509.ParseCertificate(der)
	if err != nil {
		t.Fatal(err)
	}
	return parsed
}

// begin serves until the test ends and returns the server. stop ends it and
// returns how long that took.
func (h *hall) begin(addr string) (s *StartedTeam, stop func() time.Duration) {
	h.t.Helper()
	s, err := StartTeam(h.t.Context(), addr, h.options)
	if err != nil {
		h.t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(h.t.Context())
	over := make(chan error, 1)
	go func() { over <- s.Serve(ctx, func(string, ...any) {}) }()
	stopped := false
	stop = func() time.Duration {
		start := time.Now()
		cancel()
		if !stopped {
			stopped = true
			if err := <-over; err != nil {
				h.t.Error(err)
			}
		}
		return time.Since(start)
	}
	h.t.Cleanup(func() { stop() })
	return s, stop
}

// TestTeamTLS checks that the server speaks TLS with a certificate from files,
// loads a new one while it runs, and answers nothing in plain text.
func TestTeamTLS(t *testing.T) {
	dir := t.TempDir()
	cert, key := filepath.Join(dir, "cert.pem"), filepath.Join(dir, "key.pem")
	first := certify(t, cert, key, 1)
	h := newHall(t, fmt.Sprintf("cert = %q\nkey = %q", cert, key))
	ada := h.token(team.TokenRequest{Name: "Ada"})
	s, _ := h.begin("127.0.0.1:0")
	if !strings.HasPrefix(s.URL, "https://"+teamHost+":") {
		t.Errorf("it is at %s", s.URL)
	}
	ask := func(trusted *x509.Certificate, version uint16, scheme string) (*http.Response, error) {
		pool := x509.NewCertPool()
		pool.AddCert(trusted)
		client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true, TLSClientConfig: &tls.Config{RootCAs: pool, MaxVersion: version},
			DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
				return (&net.Dialer{}).DialContext(ctx, "tcp", s.listener.Addr().String())
			}}}
		r, _ := http.NewRequestWithContext(t.Context(), "GET", scheme+"://"+teamHost+base+"/repositories", nil)
		r.Header.Set("Authorization", "Bearer "+ada)
		res, err := client.Do(r)
		if err == nil {
			res.Body.Close()
		}
		return res, err
	}
	if res, err := ask(first, 0, "https"); err != nil || res.StatusCode != 200 || res.TLS.PeerCertificates[0].SerialNumber.Int64() != 1 {
		t.Fatalf("%v %v", res, err)
	}
	if res, err := ask(first, tls.VersionTLS11, "https"); err == nil {
		t.Errorf("an old version of TLS: %d", res.StatusCode)
	}
	if res, err := ask(first, 0, "http"); err == nil && res.StatusCode != 400 {
		t.Errorf("in the clear: %d", res.StatusCode)
	}
	second := certify(t, cert, key, 2)
	if res, err := ask(second, 0, "https"); err != nil || res.TLS.PeerCertificates[0].SerialNumber.Int64() != 2 {
		t.Errorf("with a new certificate: %v %v", res, err)
	}
	if err := os.WriteFile(cert, []byte("half"), 0o600); err != nil {
		t.Fatal(err)
	}
	if res, err := ask(second, 0, "https"); err != nil || res.StatusCode != 200 {
		t.Errorf("while it is replaced: %v %v", res, err)
	}
}

// TestTeamAddresses checks that an address that others can reach requires names
// and TLS, or a proxy that does TLS.
func TestTeamAddresses(t *testing.T) {
	for _, c := range []struct {
		addr        string
		safe, named bool
		want        string // of the error; empty: none
	}{
		{"127.0.0.1:0", false, false, ""},
		{"localhost:0", false, false, ""},
		{"[::1]:0", false, false, ""},
		{"[::ffff:127.0.0.1]:0", false, false, ""},
		{"0.0.0.0:0", false, true, "in the clear"},
		{":6767", false, true, "in the clear"},
		{"[::]:0", false, true, "in the clear"},
		{"192.0.2.1:0", false, true, "in the clear"},
		{"memory.example.com:0", false, true, "in the clear"},
		{"localhost.evil.example:0", false, true, "in the clear"},
		{"0.0.0.0:0", true, false, "by which names"},
		{"127.0.0.1:0", true, false, "by which names"},
		{"0.0.0.0:0", true, true, ""},
		{"127.0.0.1", true, true, "HOST:PORT"},
		{"", true, true, "HOST:PORT"},
	} {
		err := checkTeamAddr(c.addr, c.safe, c.named)
		if (err == nil) != (c.want == "") || err != nil && (!strings.Contains(err.Error(), c.want) || app.AsError(err).Kind != app.KindUsage) {
			t.Errorf("%s, safe %v, named %v: %v", c.addr, c.safe, c.named, err)
		}
	}
	h := newHall(t, `cert = "none.pem"`+"\n"+`key = "none.pem"`)
	if _, err := StartTeam(t.Context(), "127.0.0.1:0", h.options); err == nil || app.AsError(err).Kind != app.KindUsage {
		t.Errorf("without a certificate: %v", err)
	}
}
