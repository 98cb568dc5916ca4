package carina

import (
	"testing"

	"carina/geometry/generate"
)

func TestPartitionCosts(t *testing.T) {
	g := generate.TreeGrid(20, 2)
	for _, test := range []struct {
		c                 Case
		links             int
		bytes, directions int
	}{
		{Case{}, 0, 4, 18},
		{Case{FlowCase: FlowCase{Precision: "double"}}, 18, 8, 18},
		{Case{FlowCase: FlowCase{Precision: "single"}}, 26, 4, 26},
	} {
		g.Links.Directions = test.links
		cost, err := test.c.cost(g)
		if err != nil || cost.BytesPerPopulation != test.bytes || cost.Directions != test.directions {
			t.Errorf("%+v: %+v, %v", test, cost, err)
		}
	}
	if _, err := (&Case{FlowCase: FlowCase{Precision: "triple"}}).cost(g); err == nil {
		t.Error("an unknown precision: no error")
	}
}

func TestPartitionOptionsReachTheFile(t *testing.T) {
	c, err := ReadCase(writeCase(t, "surface: a.stl\nranks: 3\nimprove: true\nkeep-heavy: true\ntime-limit: 10ms\n"))
	if err != nil {
		t.Fatal(err)
	}
	p, err := c.Partition(generate.TreeGrid(20, 2))
	if err != nil {
		t.Fatal(err)
	}
	if m := p.Method; !m.Improve || !m.KeepHeavy || m.TimeLimit != 0.01 {
		t.Errorf("method %+v", m)
	}
}
