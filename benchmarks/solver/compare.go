package solverbench

import "carina/solver"

// Comparison is the speed of one result over that of another.
type Comparison struct {
	Name  string  `json:"name"`
	Case  string  `json:"case"`
	Ratio float64 `json:"ratio"`
}

// comparisons lists what is compared, by what is different from a single
// precision TRT D3Q19 row with interpolated walls and no eddy viscosity in the
// sparse layout. Each
// holds for every case in which both are measured.
var comparisons = []struct {
	name       string
	one, other func(*Row)
}{
	{"BGK against TRT", func(r *Row) { r.Collision = string(solver.BGK) }, func(*Row) {}},
	{"with against without an eddy viscosity", func(r *Row) { r.LargeEddy = true }, func(*Row) {}},
	{"the same in 16 bits", func(r *Row) { r.LargeEddy, r.Precision = true, string(solver.Half) }, func(r *Row) { r.Precision = string(solver.Half) }},
	{"interpolated against bounce-back walls", func(*Row) {}, func(r *Row) { r.Wall = string(solver.BounceBack) }},
	{"the same in 16 bits", func(r *Row) { r.Precision = string(solver.Half) },
		func(r *Row) { r.Precision, r.Wall = string(solver.Half), string(solver.BounceBack) }},
	{"16 against 32 bits", func(r *Row) { r.Precision = string(solver.Half) }, func(*Row) {}},
	{"16 against 32 bits, bounce-back walls", func(r *Row) { r.Precision, r.Wall = string(solver.Half), string(solver.BounceBack) },
		func(r *Row) { r.Wall = string(solver.BounceBack) }},
	{"64 against 32 bits", func(r *Row) { r.Precision = string(solver.Double) }, func(*Row) {}},
	{"dense against sparse layout", func(r *Row) { r.Layout = string(solver.Dense) }, func(*Row) {}},
	{"dense octree cuboids against sparse layout", func(r *Row) { r.Layout, r.Decompose = string(solver.Dense), "octree+shrink" }, func(*Row) {}},
	{"the same in 16 bits", func(r *Row) {
		r.Layout, r.Decompose, r.Precision = string(solver.Dense), "octree+shrink", string(solver.Half)
	}, func(r *Row) { r.Precision = string(solver.Half) }},
	{"dense shrunk blocks against sparse layout", func(r *Row) { r.Layout, r.Decompose = string(solver.Dense), "shrink" }, func(*Row) {}},
}

// compare fills in the comparisons.
func (r *Report) compare() {
	for _, name := range []string{"cavity", "airway"} {
		find := func(change func(*Row)) *Row {
			want := Row{Case: name, Precision: string(solver.Single), Collision: string(solver.TRT), Wall: string(solver.Interpolated), Lattice: "D3Q19", Layout: string(solver.Sparse)}
			change(&want)
			for i := range r.Results {
				got := &r.Results[i]
				if got.Case == want.Case && got.Precision == want.Precision && got.Collision == want.Collision &&
					got.Wall == want.Wall && got.Lattice == want.Lattice && got.LargeEddy == want.LargeEddy && got.Layout == want.Layout && got.Decompose == want.Decompose {
					return got
				}
			}
			return nil
		}
		for _, c := range comparisons {
			if one, other := find(c.one), find(c.other); one != nil && other != nil {
				r.Comparisons = append(r.Comparisons, Comparison{c.name, name, one.MLUPS / other.MLUPS})
			}
		}
	}
}
