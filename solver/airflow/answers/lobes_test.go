package answers_test

import (
	"bytes"
	"context"
	"encoding/csv"
	"fmt"
	"math"
	"reflect"
	"strings"
	"testing"

	"carina/geometry"
	"carina/geometry/generate"
	"carina/geometry/tree"
	"carina/solver/airflow"
	"carina/solver/airflow/answers"
)

// airway is a generated one with four ends in some cells.
func airway(t *testing.T) *geometry.Grid {
	t.Helper()
	s, _, err := generate.Airway(generate.AirwayOptions{Generations: 2})
	if err != nil {
		t.Fatal(err)
	}
	g, err := geometry.Voxelize(context.Background(), s, geometry.Options{FluidCells: 20_000, Directions: 18})
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// Lobes sum up what lies in them: by openings and by the branch that leads to these alike.
// Where the air in the lumen has one pressure, drops are those at openings.
func TestLobes(t *testing.T) {
	g := airway(t)
	found, err := tree.Find(g)
	if err != nil {
		t.Fatal(err)
	}
	const inside = 10
	f := &airflow.Fields{Pressure: make([]float32, g.Cells())}
	for a := range f.Velocity {
		f.Velocity[a] = make([]float32, g.Cells())
	}
	for i := range f.Pressure {
		f.Pressure[i] = inside
	}
	s := &airflow.Summary{Density: 1.2, KinematicViscosity: 1.5e-5}
	flows, pressures := map[int]float64{}, map[int]float64{}
	in := 0.0
	for _, o := range g.Openings {
		if o.Number != found.Inlet {
			flows[o.Number], pressures[o.Number] = float64(o.Number)*1e-5, float64(o.Number)
			in += flows[o.Number]
		}
		s.Openings = append(s.Openings, airflow.OpeningSummary{Number: o.Number, Name: o.Name, Flow: -flows[o.Number], Pressure: pressures[o.Number]})
	}
	for i := range s.Openings {
		if s.Openings[i].Number == found.Inlet {
			s.Openings[i].Flow, s.Openings[i].Pressure = in, 12
		}
	}
	left, right := found.Branches[0].Daughters[0], found.Branches[0].Daughters[1]
	var behind []int
	for _, n := range found.Behind(right) {
		if o := found.Branches[n-1].Opening; o > 0 {
			behind = append(behind, o)
		}
	}
	a, err := answers.Of(&answers.Flow{Grid: g, Fields: f, Summary: s, Lobes: []answers.Lobe{{Name: "left", Branch: left}, {Name: "right", Openings: behind}}})
	if err != nil {
		t.Fatal(err)
	}
	near := func(name string, got, want float64) {
		t.Helper()
		if math.Abs(got-want) > 1e-6*math.Abs(want) {
			t.Errorf("%s: %g, want %g", name, got, want)
		}
	}
	share := 0.0
	for _, l := range a.Lobes {
		root := left
		if l.Name == "right" {
			root = right
		}
		if list := found.Behind(root); len(list) != len(l.Branches) {
			t.Errorf("lobe %s has branches %v, want %v", l.Name, l.Branches, list)
		}
		var flow, drop, volume float64
		for _, n := range l.Branches {
			b := &found.Branches[n-1]
			volume += b.Volume
			if b.Opening > 0 {
				flow += flows[b.Opening]
				drop += flows[b.Opening] * (inside - pressures[b.Opening])
			}
		}
		share += l.Share
		near(l.Name+" flow", l.Flow, flow)
		near(l.Name+" volume", l.Volume, volume)
		near(l.Name+" drop", *l.Drop, drop/flow)
		near(l.Name+" from the inlet", l.FromInlet, drop/flow+2)
		near(l.Name+" resistance", *l.Resistance, drop/flow/flow*1e-3)
		near(l.Name+" resistance from the inlet", *l.ResistanceFromInlet, (drop/flow+2)/flow*1e-3)
	}
	near("shares", share, 1)
	for _, e := range a.Ends {
		if e.Number != found.Inlet {
			near(fmt.Sprint("end ", e.Number), *e.Drop, 12-pressures[e.Number])
			near(fmt.Sprint("resistance to ", e.Number), *e.ResistanceWater, (12-pressures[e.Number])/flows[e.Number]*1e-3/98.0665)
		}
	}
	var table bytes.Buffer
	if err := a.WriteLobes(&table); err != nil {
		t.Fatal(err)
	}
	rows, err := csv.NewReader(&table).ReadAll()
	if err != nil || len(rows) != 3 || !reflect.DeepEqual(rows[0][:4], []string{"lobe", "openings", "branches", "share"}) || rows[2][0] != "right" {
		t.Errorf("%v: %v", err, rows)
	}
}

// Lobes that are none of an airway's, or share branches, are refused.
func TestWrongLobes(t *testing.T) {
	g := airway(t)
	found, err := tree.Find(g)
	if err != nil {
		t.Fatal(err)
	}
	daughter := found.Branches[0].Daughters[0]
	for words, lobes := range map[string][]answers.Lobe{
		"there is no branch 99": {{Name: "a", Branch: 99}},
		"no branch leads":       {{Name: "a", Openings: []int{99}}},
		"share branch":          {{Name: "a", Branch: 1}, {Name: "b", Branch: daughter}},
	} {
		if err := answers.Check(found, lobes); err == nil || !strings.Contains(err.Error(), words) {
			t.Errorf("%v: %v", lobes, err)
		}
	}
}

// The pressure drop of a lobe is the mean over those of its branches of which it is known.
func TestLobeOfUnknownBeginnings(t *testing.T) {
	g := airway(t)
	found, err := tree.Find(g)
	if err != nil {
		t.Fatal(err)
	}
	// Two openings whose branches have another parent, so that each begins for itself.
	var lobe answers.Lobe
	var branches []int
	for _, b := range found.Branches {
		alone := b.Opening > 0 && b.Opening != found.Inlet
		for _, other := range branches {
			alone = alone && found.Branches[other-1].Parent != b.Parent
		}
		if alone && len(branches) < 2 {
			lobe.Openings, branches = append(lobe.Openings, b.Opening), append(branches, b.Number)
		}
	}
	if lobe.Name = "two"; len(branches) < 2 {
		t.Fatal("all openings of the airway lie behind one branch")
	}
	m, err := answers.NewMonitor(g, found, []answers.Lobe{lobe})
	if err != nil {
		t.Fatal(err)
	}
	var openings []airflow.OpeningSummary
	for _, o := range g.Openings {
		openings = append(openings, airflow.OpeningSummary{Number: o.Number, Flow: -1e-6})
	}
	read := make([]airflow.Reading, len(m.Cells()))
	for i := range read {
		read[i] = airflow.Reading{Cells: 1, Pressure: 5}
	}
	for _, unknown := range branches {
		read[2*(unknown-1)].Cells = 0
		own, got := m.At(read, openings)
		if drop := own[2*(unknown-1)+1]; !math.IsNaN(drop) {
			t.Errorf("the drop of branch %d is %g Pa, which nobody knows", unknown, drop)
		}
		if unknown == branches[1] { // that of no branch is known
			if !math.IsNaN(got[1]) {
				t.Errorf("the drop is %g Pa, which nobody knows", got[1])
			}
		} else if math.Abs(got[1]-5) > 1e-9 {
			t.Errorf("the drop is %g Pa, want 5", got[1])
		}
	}
}
