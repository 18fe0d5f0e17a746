package embed

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"strconv"
	"time"
)

// How a request is tried again.
const (
	maxTries  = 3
	firstWait = 250 * time.Millisecond // doubles from try to try
	maxWait   = time.Minute            // a server that asks for more is given up
)

// pause waits before the next try, or returns why there is none: err itself,
// or the context's.
func pause(ctx context.Context, try int, err error) error {
	var status *statusError
	if !errors.As(err, &status) || !again(status.code) || try >= maxTries {
		return err
	}
	// Half of the wait is random, so that many clients do not come back as one.
	wait := firstWait << (try - 1)
	wait = max(status.after, wait/2+rand.N(wait/2))
	if deadline, ok := ctx.Deadline(); wait > maxWait || ok && time.Until(deadline) <= wait {
		if status.after > 0 {
			return fmt.Errorf("%w; it asks to wait %s", err, status.after.Round(time.Second))
		}
		return err
	}
	timer := time.NewTimer(wait)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return because(ctx, ctx.Err())
	}
}

// again says whether a later try may be answered otherwise.
func again(code int) bool {
	switch code {
	case http.StatusTooManyRequests, http.StatusInternalServerError, http.StatusBadGateway,
		http.StatusServiceUnavailable, http.StatusGatewayTimeout:
		return true
	}
	return false
}

// retryAfter reads the header of that name: seconds or a date (RFC 9110,
// 10.2.3). 0: nothing to be understood, or the time has come.
func retryAfter(header string) time.Duration {
	if seconds, err := strconv.ParseInt(header, 10, 64); err == nil {
		return time.Duration(min(max(seconds, 0), 1<<30)) * time.Second
	}
	if at, err := http.ParseTime(header); err == nil {
		return max(time.Until(at), 0)
	}
	return 0
}

// timeoutError is the end of a try that took too long, told apart from the
// caller's own deadline.
type timeoutError time.Duration

func (e timeoutError) Error() string {
	return fmt.Sprintf("no answer within %s; see timeout in [embed]", time.Duration(e))
}

// Unwrap lets callers ask whether it was a matter of time.
func (timeoutError) Unwrap() error { return context.DeadlineExceeded }

func withTimeout(ctx context.Context, d time.Duration) (context.Context, context.CancelFunc) {
	return context.WithTimeoutCause(ctx, d, timeoutError(d))
}

// because is why a request under ctx failed: the end of ctx where it ended,
// otherwise err.
func because(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return err
}
