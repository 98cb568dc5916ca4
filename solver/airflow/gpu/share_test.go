package gpu

import (
	"math"
	"testing"

	"carina/geometry"
	"carina/geometry/generate"
	"carina/solver"
	"carina/solver/airflow"
	"carina/solver/airflow/opening"
	"carina/solver/cuda/tiling"
	"carina/solver/share"
	"carina/solver/transport"

	"gonum.org/v1/gonum/spatial/r3"
)

// hall is a wide lumen that ends at a plane of any angle, with openings whose sections
// reach far beyond their links: at discs apart that act as one, at the plane and along
// the grid, and at a disc in the middle of a wide wall.
func hall() *geometry.Grid {
	const spacing = 1e-4
	size := [3]int32{56, 88, 40}
	normal := r3.Unit(r3.Vec{X: 2, Y: 0.7, Z: -0.5})
	along := r3.Unit(r3.Cross(normal, r3.Vec{Z: 1}))
	// In cells.
	end, side, wall := r3.Vec{X: 40, Y: 44, Z: 20}, r3.Vec{Y: 44, Z: 20}, r3.Vec{X: 20, Y: 30, Z: 40}
	type disc struct {
		opening        int
		center, normal r3.Vec
		radius         float64
	}
	discs := []disc{
		{1, r3.Add(side, r3.Vec{Y: 33}), r3.Vec{X: -1}, 3}, {1, r3.Sub(side, r3.Vec{Y: 33}), r3.Vec{X: -1}, 3},
		{2, r3.Add(end, r3.Scale(31, along)), normal, 4}, {2, r3.Sub(end, r3.Scale(31, along)), normal, 4},
		{3, wall, r3.Vec{Z: 1}, 5},
	}
	openings := []geometry.Opening{
		{Number: 1, Role: geometry.Inlet, Center: r3.Scale(spacing, side), Normal: r3.Vec{X: -1}, Area: 2 * math.Pi * 9 * spacing * spacing},
		{Number: 2, Role: geometry.Outlet, Center: r3.Scale(spacing, end), Normal: normal, Area: 2 * math.Pi * 16 * spacing * spacing},
		{Number: 3, Role: geometry.Outlet, Center: r3.Scale(spacing, wall), Normal: r3.Vec{Z: 1}, Area: math.Pi * 25 * spacing * spacing},
	}
	middle := func(x, y, z int32) r3.Vec {
		return r3.Vec{X: float64(x) + 0.5, Y: float64(y) + 0.5, Z: float64(z) + 0.5}
	}
	fluid := func(x, y, z int32) bool {
		p := r3.Sub(middle(x, y, z), end)
		return r3.Dot(p, normal) < 0 && (x+2*y+3*z)%29 > 1 // with holes, which sections tell
	}
	link := func(x, y, z int32, d geometry.Offset) (fraction float64, number int) {
		p := middle(x, y, z)
		c := r3.Vec{X: float64(d.X), Y: float64(d.Y), Z: float64(d.Z)}
		for _, o := range discs {
			if to := r3.Dot(r3.Sub(o.center, p), o.normal) / r3.Dot(c, o.normal); to > 0 && to <= 1 && r3.Norm(r3.Sub(r3.Add(p, r3.Scale(to, c)), o.center)) < o.radius {
				return to, o.opening
			}
		}
		return 0.5, 0
	}
	return generate.LinkedGrid(size, spacing, [3]bool{}, fluid, link, openings)
}

// Every rank finds the same profiles at the openings that its cells meet from its share as
// from the whole, bit for bit, and chooses the same units.
func TestSharesHaveProfiles(t *testing.T) {
	g := hall()
	settings := caveSettings(g)
	settings.Profile = opening.Developed
	settings.Conditions = map[int]opening.Condition{}
	for _, number := range []int{2, 3} {
		settings.Conditions[number] = opening.Condition{Kind: opening.ImposedFlow, Flow: -1e-8, Profile: opening.Developed}
	}
	links := openingLinksOf(t, g)
	whole := must(airflow.NewFlow(solver.WholeDomain(g), settings))
	met := false
	for _, ranks := range []int{2, 3, 5} {
		domain := must(Divide(solver.WholeDomain(g), ranks, Single))
		for rank := range ranks {
			share := must(share.Cut(domain, rank))
			part := must(airflow.NewFlow(share, settings))
			if part.Units != whole.Units {
				t.Errorf("rank %d of %d has units %+v, of the whole are %+v", rank, ranks, part.Units, whole.Units)
			}
			differ := make([]int, len(g.Openings))
			own := map[int]bool{}
			for _, l := range openingLinksOf(t, share.Grid) {
				own[l.opening] = true
			}
			for _, l := range links {
				met = met || own[l.opening]
				if own[l.opening] && part.OpeningLink(l.x, l.y, l.z, l.direction, l.opening) != whole.OpeningLink(l.x, l.y, l.z, l.direction, l.opening) {
					differ[l.opening]++
				}
			}
			for i, n := range differ {
				if n > 0 {
					t.Errorf("rank %d of %d: %d links of opening %d are not as in the whole", rank, ranks, n, i+1)
				}
			}
		}
	}
	if !met {
		t.Error("no rank meets an opening")
	}
}

// Processors that know their shares alone compute the flow of the whole, bit for bit, and
// its force on walls.
func TestProcessorsTakeShares(t *testing.T) {
	for name, change := range map[string]func(*airflow.Settings){
		"as usual":              func(*airflow.Settings) {},
		"quadratic walls":       func(s *airflow.Settings) { s.Collision, s.Wall = airflow.TRT, airflow.Quadratic },
		"dense, in 16 bits":     func(s *airflow.Settings) { s.Precision, s.Layout = airflow.Half, airflow.Dense },
		"27 velocities, double": func(s *airflow.Settings) { s.Lattice, s.Precision = airflow.D3Q27, airflow.Double },
		"a Windkessel": func(s *airflow.Settings) {
			s.Conditions = map[int]opening.Condition{2: {Kind: opening.Windkessel, ProximalResistance: 1e5, DistalResistance: 1e6, Compliance: 1e-9}}
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			g := cave(3, [3]bool{})
			s := caveSettings(g)
			change(&s)
			// What a flow ends with on ranks that know a domain.
			end := func(ranks int, domain func(rank int) *solver.Domain) (hash uint64, force r3.Vec) {
				for rank, err := range onRanks(t, ranks, func(tr transport.Transport) error {
					r, err := airflow.NewRank(domain(tr.Rank()), s, tr)
					if err != nil {
						return err
					}
					defer r.Close()
					if err := r.Advance(t.Context(), 60, nil); err != nil {
						return err
					}
					h, err := r.Hash()
					if err != nil {
						return err
					}
					f, err := r.WallForce(func(c r3.Vec) bool { return c.Y > 10e-4 })
					if tr.Rank() == 0 {
						hash, force = h, f
					}
					return err
				}) {
					if err != nil {
						t.Errorf("rank %d of %d: %v", rank, ranks, err)
					}
				}
				return hash, force
			}
			whole := solver.WholeDomain(g)
			hash, force := end(1, func(int) *solver.Domain { return whole })
			for _, ranks := range []int{2, 3, 5} {
				divided := must(Divide(whole, ranks, Single))
				if h, f := end(ranks, func(rank int) *solver.Domain { return must(share.Cut(divided, rank)) }); h != hash || f != force {
					t.Errorf("%d ranks end with %x and %v, one with %x and %v", ranks, h, f, hash, force)
				}
			}
		})
	}
}

// place is a link through an opening of an index.
type place struct {
	x, y, z            int32
	direction, opening int
}

// openingLinksOf lists the links of a grid through openings that velocities have.
func openingLinksOf(t *testing.T, g *geometry.Grid) (list []place) {
	t.Helper()
	tiles := must(tiling.NewPositions(solver.WholeDomain(g)))
	finder := tiling.NewOpeningFinder(g.Links.Openings)
	tiling.EachBoundaryCell(tiles, g, func(tile int32, cell, i int) {
		for d := range tiling.StraightDirections {
			if g.Links.Mask[i]>>d&1 == 0 {
				continue
			}
			if o := finder.Find(g.Links.Link(i, d)); o >= 0 {
				p := tiles.Position[tile]
				list = append(list, place{p[0]*4 + int32(cell>>4), p[1]*4 + int32(cell>>2&3), p[2]*4 + int32(cell&3), d, o})
			}
		}
	})
	return list
}
