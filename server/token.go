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

// Token returns the token in a file that only the user can read. If the file
// does not exist, or others can read it, Token writes a new one. It returns an
// error if the file cannot be restricted to the user.
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
	// If two processes start at the same time, one links its file and the other
	// reads it.
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

// readToken returns the token in a file, or "" if the file does not exist or
// others can read it.
func readToken(file string) (string, error) {
	info, err := os.Lstat(file)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "", nil
	case err != nil:
		return "", fmt.Errorf("reading the token: %w", err)
	case !info.Mode().IsRegular():
		return "", &app.Error{Kind: app.KindRefused, Err: fmt.Errorf("reading the token: %s is no file", file), Hint: "remove it"}
	case runtime.GOOS != "windows" && info.Mode().Perm()&0o077 != 0: // on Windows, only the user can read the user's folders
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
