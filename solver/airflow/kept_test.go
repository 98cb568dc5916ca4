package airflow

import (
	"context"
	"slices"
	"testing"

	"carina/solver"
	"carina/solver/transport"
)

// What is kept is the flow at that moment, whether a check has passed before or not,
// and stays so while the flow goes on and is checked.
func TestKeptFieldsStay(t *testing.T) {
	g := cave(3, [3]bool{})
	s := caveSettings(g)
	s.Workers = 2
	r := must(NewRank(solver.WholeDomain(g), s, transport.NewLocal(1)[0]))
	defer r.Close()
	advance := func(check bool) {
		for range 4 {
			if err := r.engine.Step(); err != nil {
				t.Fatal(err)
			}
		}
		if check {
			must(r.check(context.Background()))
		}
	}
	same := func(a, b *Fields) bool {
		return slices.EqualFunc(a.arrays(), b.arrays(), slices.Equal[[]float32])
	}
	if f := must(r.kernel.Kept()); f != nil {
		t.Error("fields are kept before they are asked for")
	}
	var before *Fields
	for i, check := range []bool{false, true, true, false, true, false, false} {
		advance(check)
		now := must(r.Fields())
		if before != nil && same(before, now) {
			t.Fatal("the flow rests")
		}
		for range 2 {
			if err := r.kernel.Keep(); err != nil {
				t.Fatal(err)
			}
			if !same(must(r.kernel.Kept()), now) {
				t.Errorf("round %d: what is kept is not the flow", i)
			}
		}
		advance(true)
		if !same(must(r.kernel.Kept()), now) {
			t.Errorf("round %d: what is kept changes with the flow", i)
		}
		before = now
	}
}

// Means are of the flow after a step, not of what was kept before it.
func TestMeansOfKeptFields(t *testing.T) {
	g := cave(3, [3]bool{})
	r := must(NewRank(solver.WholeDomain(g), caveSettings(g), transport.NewLocal(1)[0]))
	defer r.Close()
	if err := r.StartAverage(); err != nil {
		t.Fatal(err)
	}
	want := &average{sums: newFields(r.layout.Fluid)}
	for i := range 6 {
		for range 2 {
			if err := r.engine.Step(); err != nil {
				t.Fatal(err)
			}
		}
		if i%2 == 0 {
			must(r.check(context.Background()))
			if err := r.kernel.Keep(); err != nil {
				t.Fatal(err)
			}
		}
		if err := r.kernel.AddToAverage(); err != nil {
			t.Fatal(err)
		}
		want.add(must(r.Fields()))
	}
	got := must(r.Average())
	for k, a := range got.arrays() {
		if !slices.Equal(a, want.sums.arrays()[k]) {
			t.Errorf("the mean of field %d is another one", k)
		}
	}
}
