package server

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"agentflow/app"
)

// Token is the token in a file of the user's alone. A file that is not there,
// or that others could read, gets a new one. It is an error when the file
// cannot be kept to the user.
func Token(file string) (string, error) {
	token, err := readToken(file)
	if err != nil || token != "" {
		return token, err
	}
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		return "", fmt.Errorf("keeping the token: %w", err)
	}
	temp, err := os.CreateTemp(filepath.Dir(file), ".token-*") // mode 0600
	if err != nil {
		return "", fmt.Errorf("keeping the token: %w", err)
	}
	defer os.Remove(temp.Name())
	token = rand.Text() + rand.Text()
	_, err = io.WriteString(temp, token+"\n")
	if err = errors.Join(err, temp.Sync(), temp.Close()); err != nil {
		return "", fmt.Errorf("keeping the token: %w", err)
	}
	// Of two that begin at once, one links its file and the other reads that.
	if err = os.Link(temp.Name(), file); err == nil {
		return token, nil
	}
	if there, err := readToken(file); err != nil || there != "" {
		return there, err
	}
	if err := os.Rename(temp.Name(), file); err != nil {
		return "", fmt.Errorf("keeping the token: %w", err)
	}
	return token, nil
}

// readToken is the token in a file; empty where there is none, or others could
// read it.
func readToken(file string) (string, error) {
	info, err := os.Lstat(file)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "", nil
	case err != nil:
		return "", fmt.Errorf("reading the token: %w", err)
	case !info.Mode().IsRegular():
		return "", &app.Error{Kind: app.KindRefused, Err: fmt.Errorf("reading the token: %s is no file", file), Hint: "remove it"}
	case runtime.GOOS != "windows" && info.Mode().Perm()&0o077 != 0: // there, the user's folders are the user's alone
		return "", nil
	}
	text, err := os.ReadFile(file)
	if err != nil {
		return "", fmt.Errorf("reading the token: %w", err)
	}
	if token := strings.TrimSpace(string(text)); len(token) >= minToken {
		return token, nil
	}
	return "", nil
}
