package answers

import (
	"fmt"
	"math"

	"carina/geometry"
	"carina/geometry/tree"
	"carina/solver/airflow"
)

// Monitor tells of branches and lobes while a flow is computed.
type Monitor struct {
	tree  *tree.Tree
	lobes []Lobe
	of    [][]int
	near  [][2][]int64
}

// NewMonitor prepares it for the branches of a grid.
func NewMonitor(g *geometry.Grid, t *tree.Tree, lobes []Lobe) (*Monitor, error) {
	of, err := branchesOf(t, lobes)
	if err != nil {
		return nil, err
	}
	return &Monitor{t, lobes, of, nearEnds(g, t)}, nil
}

// Cells are those of which At wants the mean pressure, by their global numbers.
func (m *Monitor) Cells() [][]int64 {
	var lists [][]int64
	for i := range m.near {
		lists = append(lists, m.near[i][0], m.near[i][1])
	}
	return lists
}

// Columns name the numbers of At.
func (m *Monitor) Columns() (branches, lobes []string) {
	for i := range m.tree.Branches {
		branches = append(branches, fmt.Sprintf("flow_m3_per_s %d", i+1), fmt.Sprintf("pressure_drop_pa %d", i+1))
	}
	for _, l := range m.lobes {
		lobes = append(lobes, "flow_m3_per_s "+l.Name, "pressure_drop_pa "+l.Name)
	}
	return branches, lobes
}

// At are flow and pressure drop of all branches and lobes, by what was read in the Cells and
// at the openings.
func (m *Monitor) At(read []airflow.Reading, openings []airflow.OpeningSummary) (branches, lobes []float64) {
	pressures := make([][2]float64, len(m.near))
	for i := range pressures {
		for end := range pressures[i] {
			pressures[i][end] = math.NaN()
			if one := read[2*i+end]; one.Cells > 0 {
				pressures[i][end] = one.Pressure
			}
		}
	}
	flows, drops := flowsOf(m.tree, openings), dropsOf(m.tree, pressures, openings)
	begin := make([]float64, len(pressures))
	for i := range pressures {
		branches = append(branches, flows[i], drops[i])
		begin[i] = pressures[i][0]
	}
	for _, list := range m.of {
		flow, drop, _ := lobeFlow(m.tree, list, begin, openings)
		lobes = append(lobes, flow, drop)
	}
	return branches, lobes
}
