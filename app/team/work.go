package team

import (
	"context"
	"errors"
	"time"

	"agentflow/app"
	appshare "agentflow/app/share"
	"agentflow/app/sharing"
	"agentflow/gitwatch/memref"
	"agentflow/internal/share"
	"agentflow/internal/share/exchange"
	"agentflow/internal/writeturns"
)

// refresh brings the memory of a team's server up to the remote's state.
func refresh(ctx context.Context, m *app.Memory) error {
	w := writeturns.NewWaiter(false)
	m.Team.Turns.Add(w)
	return w.Wait(ctx, w.Over)
}

// Turn does one turn for the waiting writers: memory gets the remote's state, they write, and
// their changes go to the remote. Nothing goes there without a note in the audit.
func Turn(ctx context.Context, m *app.Memory, waiting []*writeturns.Waiter) error {
	writers := writeturns.Writers(waiting)
	if len(writers) == 0 {
		return exchangeNow(ctx, m, exchange.Options{})
	}
	return m.Team.Records.Exclude(ctx, m.Team.Repository, WriteWait, func() error {
		if err := exchangeNow(ctx, m, exchange.Options{}); err != nil {
			return err
		}
		for _, w := range writers {
			close(w.Begun)
		}
		for _, w := range writers {
			<-w.Left
		}
		if err := m.Team.Audit(ctx); err != nil {
			return err
		}
		return exchangeNow(ctx, m, exchange.Options{Unmoved: true})
	})
}

// exchangeNow syncs memory with the remote, and brings the index up to date.
func exchangeNow(ctx context.Context, m *app.Memory, o exchange.Options) (err error) {
	if time.Now().Before(m.Team.Rest) {
		return memref.ErrTooMuch
	}
	defer func() {
		if errors.Is(err, memref.ErrTooMuch) {
			m.Team.Rest = time.Now().Add(FloodRest)
		}
	}()
	s, err := appshare.OpenToShare(ctx, m.Silent())
	if err != nil {
		return err
	}
	ref, err := m.Team.FindRef(ctx, s.CommonDir)
	if err != nil {
		return err
	}
	done, err := appshare.Purging(ctx, s, &sharing.Target{Remote: m.Team.Remote, Ref: ref, What: share.All}, o)
	if err == nil && len(done.Clones) > 0 {
		m.Team.Ref = ref
	}
	if err == nil || len(done.Refused) > 0 {
		m.Team.Refuse(done.Refused)
	}
	if len(done.News) > 0 || done.Adopted || done.Pushed {
		m.Team.ForAll.Store(ReindexForAll(ctx, s))
	}
	return appshare.RemoteError(err)
}
