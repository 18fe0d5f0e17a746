package app

import (
	"fmt"

	"agentflow/eval"
	"agentflow/internal/jsonselect"
	"agentflow/internal/plural"
)

// Object is the result as JSON; k is that of the request.
func (result EvalCochangeResult) Object(k int) jsonselect.Object {
	repositories := make([]jsonselect.Object, len(result.Histories))
	for i, h := range result.Histories {
		repositories[i] = with(jsonselect.Object{{Name: "name", Value: h.Name}, {Name: "queries", Value: h.Queries}}, h.Named(k))
	}
	return jsonselect.Object{{Name: "mean", Value: with(nil, result.Mean.Named(k))}, {Name: "repositories", Value: repositories}}
}

// Table is the result in rows for people, the first with what each column is.
func (result EvalCochangeResult) Table(k int) [][]string {
	rows := [][]string{{"repository", "queries", "hit@10paths", "path-recall@10", fmt.Sprintf("hit@%d", k),
		fmt.Sprintf("file-recall@%d", k), "MRR", "paths named"}}
	for _, h := range result.Histories {
		rows = append(rows, cochangeRow(h.Name, fmt.Sprint(h.Queries), h.CochangeFigures))
	}
	if len(result.Histories) > 1 {
		rows = append(rows, cochangeRow("mean", "", result.Mean))
	}
	return rows
}

func cochangeRow(name, queries string, f eval.CochangeFigures) []string {
	row := []string{cleanLine(name), queries}
	for _, share := range []float64{f.HitAtPaths, f.PathRecall, f.HitAtK, f.FileRecall, f.MRR} {
		row = append(row, fmt.Sprintf("%.3f", share))
	}
	return append(row, fmt.Sprintf("%.1f", f.PathsNamed))
}

// Object is the result as JSON.
func (result EvalQueriesResult) Object() jsonselect.Object {
	f := result.QueryFigures
	return jsonselect.Object{
		{Name: "answered", Value: f.Answered}, {Name: "gated", Value: with(nil, f.Gated.Named())}, {Name: "ungated", Value: with(nil, f.Ungated.Named())},
		{Name: "unanswered", Value: f.Unanswered}, {Name: "false_injection_rate", Value: f.FalseInjection}, {Name: "injected_hits", Value: f.Injected},
	}
}

// Table is the result for questions with an answer in rows for people; nil
// where there are none.
func (result EvalQueriesResult) Table() [][]string {
	f := result.QueryFigures
	if f.Answered == 0 {
		return nil
	}
	head := []string{plural.Count(f.Answered, "question") + " with an answer"}
	for _, r := range f.Gated.Recall {
		head = append(head, fmt.Sprintf("recall@%d", r.K))
	}
	return [][]string{
		append(head, "MRR", "nDCG@10"),
		figuresRow("past the gate", f.Gated.Named()),
		figuresRow("without the gate", f.Ungated.Named()),
	}
}

func figuresRow(name string, figures []eval.Figure) []string {
	row := []string{name}
	for _, f := range figures {
		row = append(row, fmt.Sprintf("%.3f", f.Value))
	}
	return row
}

// with adds figures to an object.
func with(o jsonselect.Object, figures []eval.Figure) jsonselect.Object {
	for _, f := range figures {
		o = append(o, jsonselect.Member{Name: f.Name, Value: f.Value})
	}
	return o
}
