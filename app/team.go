package app

import "errors"

// ErrSlow means that a wait reached one of these limits.
var ErrSlow = &Error{Kind: KindUnavailable, Err: errors.New("the remote does not answer in time, or another server writes for a long time"), Hint: "ask again"}
