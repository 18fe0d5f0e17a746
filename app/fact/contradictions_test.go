package fact_test

import (
	"fmt"
	"testing"

	"agentflow/app"
	"agentflow/app/fact"
	"agentflow/app/list"
	"agentflow/internal/testing/apptest"
)

func TestContradictions(t *testing.T) {
	m := apptest.NewRepository(t).Memory()
	for i := range 4 {
		key := "port"
		for _, text := range []string{fmt.Sprintf("The port is %d.", i), fmt.Sprintf("The host is %d.", i/2)} { // two facts state each host
			apptest.Must(fact.Remember(t.Context(), m, fact.RememberRequest{Change: fact.Change{Text: &text, Key: &key}}))(t)
			key = "host"
		}
	}
	apptest.Must(fact.Remember(t.Context(), m, fact.RememberRequest{Change: fact.Change{Text: new("The port is 9."), Key: new("port"), Namespace: new("branch/x")}}))(t)
	apptest.Must(fact.Remember(t.Context(), m, fact.RememberRequest{Change: fact.Change{Text: new("Okapis are shy.")}}))(t)
	res := apptest.Must(list.Contradictions(t.Context(), m, fact.ContradictionsRequest{Limit: 5, Most: 3}))(t)
	if res.Total != 2 || len(res.Groups) != 2 || res.Groups[0].Key != "host" || len(res.Groups[0].Facts) != 2 || res.Groups[0].More != 0 ||
		res.Groups[1].Namespace != "" || len(res.Groups[1].Facts) != 3 || res.Groups[1].More != 1 || res.Groups[1].Facts[0].Text != "The port is 3." {
		t.Errorf("%+v", res)
	}
	res = apptest.Must(list.Contradictions(t.Context(), m, fact.ContradictionsRequest{Offset: 1, Limit: 1, Most: 9}))(t)
	if res.Total != 2 || len(res.Groups) != 1 || res.Groups[0].Key != "port" || len(res.Groups[0].Facts) != 4 {
		t.Errorf("the second page: %+v", res)
	}
	_, err := list.Contradictions(t.Context(), m, fact.ContradictionsRequest{})
	apptest.WantKind(t, err, app.KindUsage)
}
