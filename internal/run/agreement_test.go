package run

import (
	"fmt"
	"strings"
	"testing"

	"carina/solver/airflow"
	"carina/solver/airflow/opening"

	"github.com/google/go-cmp/cmp"
)

// Every field of the settings that a case can set is told apart.
func TestAgreementTellsSettingsApart(t *testing.T) {
	base := func() Agreement {
		s := airflow.DefaultSettings()
		s.Conditions = map[int]opening.Condition{2: {Kind: opening.ImposedPressure, Pressure: 1}}
		s.Waveform = &opening.Table{Times: []float64{0, 1}, Values: []float64{0, 1}}
		return Agreement{Program: "p", Steps: 4, Settings: s}
	}
	changes := map[string]func(a *Agreement){
		"program version":     func(a *Agreement) { a.Program = "q" },
		"instruction set":     func(a *Agreement) { a.Kernels = "AVX2" },
		"device":              func(a *Agreement) { a.Devices = "gpu" },
		"grid":                func(a *Agreement) { a.Grid = "x" },
		"partition":           func(a *Agreement) { a.Partition = "x" },
		"number of ranks":     func(a *Agreement) { a.Ranks = 3 },
		"steps":               func(a *Agreement) { a.Steps = 5 },
		"time":                func(a *Agreement) { a.Time = 1e-300 },
		"tolerance":           func(a *Agreement) { a.Tolerance = 1e-4 },
		"flow rate":           func(a *Agreement) { a.Settings.FlowRate *= 1 + 1e-15 },
		"kinematic viscosity": func(a *Agreement) { a.Settings.KinematicViscosity = 1 },
		"collision":           func(a *Agreement) { a.Settings.Collision = airflow.BGK },
		"smagorinsky":         func(a *Agreement) { a.Settings.Smagorinsky = 0.1 },
		"lattice velocity":    func(a *Agreement) { a.Settings.LatticeVelocity = 0.01 },
		"condition of opening 2 kind": func(a *Agreement) {
			a.Settings.Conditions[2] = opening.Condition{Kind: opening.MovingWall, Pressure: 1}
		},
		"condition of opening 2 share": func(a *Agreement) {
			a.Settings.Conditions[2] = opening.Condition{Kind: opening.ImposedPressure, Pressure: 1, Share: 1}
		},
		"condition of opening 3 profile": func(a *Agreement) { a.Settings.Conditions[3] = opening.Condition{Profile: opening.Plug} },
		"waveform": func(a *Agreement) {
			a.Settings.Waveform = &opening.Table{Times: []float64{0, 1}, Values: []float64{0, 1}, Periodic: true}
		},
	}
	values := func(a Agreement) map[string]string {
		m := map[string]string{}
		for _, item := range itemsOf(a) {
			if _, twice := m[item.Name]; twice {
				t.Errorf("there are two items named %q", item.Name)
			}
			m[item.Name] = item.Value
		}
		return m
	}
	plain := values(base())
	if again := values(base()); !cmp.Equal(plain, again) {
		t.Errorf("the same settings differ: %s", cmp.Diff(plain, again))
	}
	for name, change := range changes {
		a := base()
		change(&a)
		changed := values(a)
		if changed[name] == plain[name] {
			t.Errorf("a change of %s is not seen in %v", name, changed)
		}
	}
}

// Ranks that differ in several openings are always told the same: the openings
// are listed in one order.
func TestAgreementListsOpeningsInOrder(t *testing.T) {
	var s airflow.Settings
	s.Conditions = map[int]opening.Condition{}
	var want []string
	for i := range 10 {
		s.Conditions[i] = opening.Condition{Kind: opening.ImposedPressure}
		want = append(want, fmt.Sprintf("condition of opening %d kind", i))
	}
	var got []string
	for _, item := range itemsOf(s) {
		if strings.HasPrefix(item.Name, "condition of opening") && strings.HasSuffix(item.Name, "kind") {
			got = append(got, item.Name)
		}
	}
	if !cmp.Equal(got, want) {
		t.Errorf("openings are listed otherwise: %s", cmp.Diff(want, got))
	}
}
