package server

import (
	"context"
	"errors"
	"net"

	"agentflow/app"

	"golang.org/x/sys/windows"
)

func isTaken(err error) bool { return errors.Is(err, windows.WSAEADDRINUSE) }

// ListenSocket returns an error: file modes do not restrict access on Windows.
func ListenSocket(context.Context, string) (net.Listener, error) {
	return nil, &app.Error{Kind: app.KindUsage, Err: errors.New("Windows cannot restrict a socket to the user"), Hint: "--addr takes an address"}
}
