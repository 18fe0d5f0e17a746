package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/cookiejar"
	"os"
	"path/filepath"
	"regexp"
	"strings"
)

// ask is a client of serve for scripts: ask WHERE METHOD PATH [BODY] prints the
// status and the answer. WHERE is a file with the address, or a socket; METHOD
// LINK follows the link in the file and then reads PATH as a browser does.
func ask() {
	if err := asked(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

var address = regexp.MustCompile(`http://[^\s/]+`)

func asked(args []string) error {
	if len(args) < 3 {
		return errors.New("usage: ask WHERE METHOD PATH [BODY]")
	}
	jar, err := cookiejar.New(nil)
	if err != nil {
		return err
	}
	client := &http.Client{Jar: jar}
	info, err := os.Stat(args[0])
	if err != nil {
		return err
	}
	at := "http://localhost"
	var text []byte
	if info.Mode()&os.ModeSocket != 0 {
		client.Transport = &http.Transport{DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
			return new(net.Dialer).DialContext(ctx, "unix", args[0])
		}}
	} else if text, err = os.ReadFile(args[0]); err == nil {
		at = address.FindString(string(text))
	}
	if err != nil {
		return err
	}
	method, body := args[1], strings.Join(args[3:], " ")
	if method == "LINK" {
		res, err := client.Get(strings.TrimSpace(string(text)))
		if err != nil {
			return err
		}
		res.Body.Close()
		fmt.Println("link", res.StatusCode)
		method = "GET"
	}
	r, err := http.NewRequest(method, at+args[2], strings.NewReader(body))
	if err != nil {
		return err
	}
	r.Header.Set("Content-Type", "application/json")
	if token, err := os.ReadFile(filepath.Join(os.Getenv("HOME"), ".local/state/agentflow/serve-token")); err == nil && args[1] != "LINK" {
		r.Header.Set("Authorization", "Bearer "+strings.TrimSpace(string(token)))
	}
	res, err := client.Do(r)
	if err != nil {
		return err
	}
	defer res.Body.Close()
	fmt.Println(res.StatusCode)
	_, err = io.Copy(os.Stdout, res.Body)
	return err
}
