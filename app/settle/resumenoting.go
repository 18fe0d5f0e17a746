package settle

import (
	"context"
	"time"

	"agentflow/app"
	"agentflow/gitwatch/hook"
	"agentflow/gitwatch/reflog"
)

// ResumeNoting lets hooks note commits again. The commits made while memory was
// switched off get no entries; 'backfill' takes them in.
func ResumeNoting(ctx context.Context, s *app.Repo) error {
	_, marks, err := reflog.Read(s.CommonDir, reflog.LoadMarks(app.MarksFile(s.State())), time.Now())
	if err == nil {
		err = marks.Save(app.MarksFile(s.State()))
	}
	if err == nil {
		err = hook.Take(ctx, s.State(), func([]hook.Event, int) error { return nil })
	}
	if err == nil {
		err = hook.Resume(s.State())
	}
	return err
}
