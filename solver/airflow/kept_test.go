package airflow

import (
	"context"
	"errors"
	"slices"
	"testing"

	"carina/solver"
	"carina/solver/airflow/opening"
	"carina/solver/transport"

	"gonum.org/v1/gonum/spatial/r3"
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

// Pressures relative to the ambient one are those of the flow without it, and come from
// what is kept once they have been asked for.
func TestRelativePressuresAreKept(t *testing.T) {
	g := thinFork()
	rank := func(ambient float64) *Rank {
		s := caveSettings(g)
		s.Conditions = map[int]opening.Condition{2: {Kind: opening.ImposedPressure, Pressure: ambient}, 3: {Kind: opening.ImposedPressure, Pressure: ambient}}
		s.Initial = func(r3.Vec) (float64, r3.Vec) { return ambient, r3.Vec{} }
		return must(NewRank(solver.WholeDomain(g), s, transport.NewLocal(1)[0]))
	}
	r, plain := rank(512), rank(0)
	defer r.Close()
	defer plain.Close()
	for i, check := range []bool{true, true, false, true, true} {
		for _, r := range []*Rank{r, plain} {
			if err := errors.Join(r.engine.Step(), r.engine.Step()); err != nil {
				t.Fatal(err)
			}
		}
		if check {
			must(r.check(context.Background()))
		}
		if err := r.kernel.Keep(); err != nil {
			t.Fatal(err)
		}
		got, want := must(r.kernel.Relative()), must(plain.Fields())
		if !slices.EqualFunc(got.arrays(), want.arrays(), slices.Equal[[]float32]) {
			t.Errorf("round %d: the fields are others than without the ambient pressure", i)
		}
		if kept := must(r.kernel.Kept()); i > 0 && &got.Velocity[0][0] != &kept.Velocity[0][0] {
			t.Errorf("round %d: the fields are computed anew", i)
		}
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
