package gpu

import (
	"context"
	"errors"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"

	"carina/cuboid"
	"carina/geometry"
	"carina/geometry/generate"
	"carina/internal/quantity"
	"carina/solver"
	"carina/solver/airflow"
	"carina/solver/airflow/opening"
	"carina/solver/cuda"
	"carina/solver/cuda/device"
	"carina/solver/cuda/devicetest"
	"carina/solver/cuda/tiling"
	"carina/solver/share"
	"carina/solver/transport"
)

// onRanks calls f for all ranks at the same time, as processes would, and returns
// their errors.
func onRanks(t *testing.T, ranks int, f func(rank transport.Transport) error) []error {
	t.Helper()
	failures := make([]error, ranks)
	var all sync.WaitGroup
	for i, rank := range transport.NewLocal(ranks) {
		all.Go(func() {
			if failures[i] = f(rank); failures[i] != nil {
				var agreed transport.AgreedError
				if !errors.As(failures[i], &agreed) {
					rank.Abort(failures[i])
				}
			}
		})
	}
	all.Wait()
	return failures
}

// onOne is the backend of the one device of a rank.
func onOne(d device.Device, o Options) airflow.Backend {
	return BackendOn(func(transport.Transport) (device.Device, error) { return d, nil }, o)
}

// bricked is a grid in bricks of random owners. Bricks of six cells cut tiles.
func bricked(t *testing.T, seed uint64, ranks int, side int32) *solver.Domain {
	t.Helper()
	g := cave(seed, [3]bool{})
	bricks, err := cuboid.Bricks(g, [3]int32{side, side, side})
	if err != nil {
		t.Fatal(err)
	}
	d := &solver.Domain{Grid: g, Ranks: ranks, Owners: make([]int32, len(bricks))}
	if d.Segments, err = cuboid.Label(g, bricks); err != nil {
		t.Fatal(err)
	}
	random := rand.New(rand.NewPCG(seed, 7))
	for i := range d.Owners {
		d.Owners[i] = int32(random.IntN(ranks))
	}
	return d
}

// Ranks that know their share of a partition and exchange messages end in
// the state of one rank, bit for bit, and all of them say the same.
func TestRanksAgreeBitForBit(t *testing.T) {
	devicetest.BesideOthers(t)
	for _, c := range []struct {
		ranks int
		side  int32
	}{{2, 8}, {3, 6}} {
		d := bricked(t, 6, c.ranks, c.side)
		settings := caveSettings(d.Grid)
		settings.Profile = opening.Developed
		settings.Conditions = map[int]opening.Condition{3: {Kind: opening.FlowShare, Share: 0.3}}
		compute := func(d *solver.Domain, on device.Device, rank transport.Transport) (*airflow.Summary, *airflow.Fields, error) {
			s, err := airflow.NewRankOn(onOne(on, Options{}), d, settings, rank)
			if err != nil {
				return nil, nil, err
			}
			defer s.Close()
			if err := s.Advance(context.Background(), 52, nil); err != nil {
				return nil, nil, err
			}
			fields, err := s.Gather()
			if err != nil {
				return nil, nil, err
			}
			summary, err := s.Summary()
			return summary, fields, err
		}
		want, wantFields, err := compute(solver.WholeDomain(d.Grid), devicetest.Open(t, 1)[0], transport.NewLocal(1)[0])
		if err != nil {
			t.Fatal(err)
		}
		for rank, err := range onRanks(t, c.ranks, func(rank transport.Transport) error {
			on := devicetest.Open(t, 1)[0]
			share, err := share.Cut(d, rank.Rank())
			if err != nil {
				return err
			}
			got, fields, err := compute(share, on, rank)
			if err == nil && rank.Rank() == 0 && !reflect.DeepEqual(fields, wantFields) {
				t.Errorf("%d ranks, bricks of %d: the gathered fields differ", c.ranks, c.side)
			}
			if err == nil && (got.StateHash != want.StateHash || !slices.Equal(got.Openings, want.Openings) || got.PeakVelocity != want.PeakVelocity || len(got.Ranks) != c.ranks) {
				t.Errorf("%d ranks, bricks of %d: rank %d ends in %+v, one alone in %+v", c.ranks, c.side, rank.Rank(), got, want)
			}
			return err
		}) {
			if err != nil {
				t.Errorf("rank %d: %v", rank, err)
			}
		}
	}
}

// A rank that fails while preparing tells all others why.
func TestRanksFailTogether(t *testing.T) {
	const ranks = 3
	for rank, err := range onRanks(t, ranks, func(rank transport.Transport) error {
		if rank.Rank() == 1 {
			return transport.Agree(rank, errors.New("no memory"))
		}
		return transport.Agree(rank, nil)
	}) {
		if err == nil || !strings.Contains(err.Error(), "no memory") {
			t.Errorf("rank %d returned %v", rank, err)
		}
	}
}

// Cells that a partition gives to another rank than their tile's are told.
func TestRoundingOfOwnersIsTold(t *testing.T) {
	devicetest.BesideOthers(t)
	for _, c := range []struct {
		side  int32
		moves bool
	}{{6, true}, {8, false}} {
		d := bricked(t, 6, 2, c.side)
		settings := caveSettings(d.Grid)
		settings.Collision, settings.Precision = airflow.TRT, airflow.Double
		want := 0
		rounded, _, err := solver.Rounded(d, tiling.Side, nil)
		if err != nil {
			t.Fatal(err)
		}
		tiles := must(tiling.NewSet(rounded, tiling.StraightDirections))
		owner := must(tiles.Owners(rounded))
		for _, segment := range d.Segments {
			for x := segment.X0; x < segment.X1; x++ {
				if d.Owners[segment.Cuboid] != owner[tiles.Find(x/4, segment.Y/4, segment.Z/4)] {
					want++
				}
			}
		}
		var warnings []string
		plan := airflow.Plan{Steps: 2, Warn: func(list []string) { warnings = list }}
		if _, err := airflow.RunInProcessOn(context.Background(), on(devicetest.Open(t, 2), Options{}), d, settings, plan); err != nil {
			t.Fatal(err)
		}
		said := slices.ContainsFunc(warnings, func(w string) bool {
			return strings.Contains(w, " computes "+quantity.Count(want, "cell")+" (") && strings.Contains(w, "tiles of 4×4×4")
		})
		if said != c.moves || (want > 0) != c.moves {
			t.Errorf("bricks of %d cells: %d cells move, and the warnings are %q", c.side, want, warnings)
		}
	}
}

// A share holds the rank's cells with their links and all cells around them, in
// the whole's order, and not much more.
func TestCut(t *testing.T) {
	devicetest.BesideOthers(t)
	const ranks = 4
	random := rand.New(rand.NewPCG(1, 2))
	g := makeGrid([3]int32{200, 16, 16}, [3]bool{}, func(x, y, z int32) bool { return (x*7+y*3+z*5)%11 > 1 }, random)
	d := slabs(t, g, ranks)
	starts := g.Starts()
	whole := cellsByPosition(g, starts)
	rounded, _, err := solver.Rounded(d, tiling.Side, nil)
	if err != nil {
		t.Fatal(err)
	}
	tiles := must(tiling.NewSet(rounded, tiling.StraightDirections))
	owner := must(tiles.Owners(rounded))
	for rank := range ranks {
		share, err := share.Cut(d, rank)
		if err != nil {
			t.Fatal(err)
		}
		if n := share.Grid.Cells(); n > g.Cells()*2/5 || share.CellCount() != g.Cells() {
			t.Errorf("the share of rank %d has %d of %d cells", rank, n, share.CellCount())
		}
		cut := cellsByPosition(share.Grid, share.Share.Starts)
		for at, number := range cut {
			if whole[at] != number {
				t.Fatalf("rank %d: cell %v is number %d, in the whole %d", rank, at, number, whole[at])
			}
		}
		local := cellsByPosition(share.Grid, share.Grid.Starts())
		for at, number := range whole {
			if owner[tiles.Find(at[0]/4, at[1]/4, at[2]/4)] != int32(rank) {
				continue
			}
			if !slices.Equal(linksOf(&g.Links, number), linksOf(&share.Grid.Links, local[at])) {
				t.Fatalf("rank %d: the links of cell %v differ", rank, at)
			}
			for _, o := range geometry.Directions {
				near := [3]int32{at[0] + int32(o.X), at[1] + int32(o.Y), at[2] + int32(o.Z)}
				if _, fluid := whole[near]; fluid != share.Grid.Contains(near[0], near[1], near[2]) {
					t.Fatalf("rank %d: the neighbour %v of a cell is missing", rank, near)
				}
			}
		}
		// All links of the openings that own cells meet, and of no others.
		meets, all, has := make([]bool, len(g.Openings)), make([]int, len(g.Openings)), make([]int, len(g.Openings))
		for at, number := range whole {
			i, found := g.Links.Search(number)
			if !found {
				continue
			}
			for link, end := g.Links.Range(i); link < end; link++ {
				if o := g.Links.Opening(link) - 1; o >= 0 {
					all[o]++
					meets[o] = meets[o] || owner[tiles.Find(at[0]/4, at[1]/4, at[2]/4)] == int32(rank)
				}
			}
		}
		for _, l := range share.Grid.Links.Openings {
			has[l.Number-1]++
		}
		for o, n := range has {
			if want := all[o]; meets[o] && n != want || !meets[o] && n != 0 {
				t.Errorf("rank %d: %d of %d links to opening %d, which its cells meet: %v", rank, n, want, o+1, meets[o])
			}
			if share.Grid.Links.Extents[o].Links != int64(all[o]) {
				t.Errorf("rank %d: opening %d has %d links, not %d", rank, o+1, share.Grid.Links.Extents[o].Links, all[o])
			}
		}
	}
}

// slabs gives ranks slabs along x.
func slabs(t *testing.T, g *geometry.Grid, ranks int) *solver.Domain {
	t.Helper()
	var cuboids []cuboid.Cuboid
	d := &solver.Domain{Grid: g, Ranks: ranks}
	for rank := range int32(ranks) {
		cuboids = append(cuboids, cuboid.Cuboid{Min: [3]int32{g.Size[0] * rank / int32(ranks), 0, 0}, Max: [3]int32{g.Size[0] * (rank + 1) / int32(ranks), g.Size[1], g.Size[2]}})
		d.Owners = append(d.Owners, rank)
	}
	var err error
	if d.Segments, err = cuboid.Label(g, cuboids); err != nil {
		t.Fatal(err)
	}
	return d
}

func cellsByPosition(g *geometry.Grid, starts []int64) map[[3]int32]int64 {
	cells := map[[3]int32]int64{}
	for i, r := range g.Runs {
		for x := r.X0; x < r.X1; x++ {
			cells[[3]int32{x, r.Y, r.Z}] = starts[i] + int64(x-r.X0)
		}
	}
	return cells
}

// linksOf are the mask, the distances and the openings of a cell.
func linksOf(l *geometry.Links, cell int64) (list []int64) {
	i, found := l.Search(cell)
	if !found {
		return nil
	}
	list = append(list, int64(l.Mask[i]))
	for link, end := l.Range(i); link < end; link++ {
		list = append(list, int64(l.Distance[link]))
		for _, o := range l.Openings {
			if o.Link == link {
				list = append(list, int64(o.Number))
			}
		}
	}
	return list
}

// namedDevice is a device of a name of its own.
type namedDevice struct {
	device.Device
	called string
}

func (d namedDevice) Name() string { return d.called }

// Every rank tells the device that it computes on.
func TestRanksTellTheirOwnDevice(t *testing.T) {
	devicetest.BesideOthers(t)
	d := bricked(t, 6, 2, 8)
	settings := caveSettings(d.Grid)
	want := []string{"first", "second"}
	for rank, err := range onRanks(t, len(want), func(rank transport.Transport) error {
		on := devicetest.Open(t, 1)[0]
		share, err := share.Cut(d, rank.Rank())
		if err != nil {
			return err
		}
		s, err := airflow.NewRankOn(onOne(namedDevice{on, want[rank.Rank()]}, Options{Exchange: cuda.Host}), share, settings, rank)
		if err != nil {
			return err
		}
		defer s.Close()
		if err := s.Advance(context.Background(), 2, nil); err != nil {
			return err
		}
		summary, err := s.Summary()
		if err != nil {
			return err
		}
		for i, r := range summary.Ranks {
			if r.Device != want[i] {
				t.Errorf("rank %d says that rank %d computes on %q, not %q", rank.Rank(), i, r.Device, want[i])
			}
		}
		return nil
	}) {
		if err != nil {
			t.Errorf("rank %d: %v", rank, err)
		}
	}
}

// A device whose memory ends while a rank is made is closed, and has all of it back.
func TestFailedRanksGiveTheirDeviceBack(t *testing.T) {
	devicetest.BesideOthers(t)
	g := tube()
	settings := caveSettings(g)
	settings.Collision = airflow.TRT
	for _, pieces := range []int{0, 2, 8} {
		d := &scantyDevice{Device: devicetest.Open(t, 1)[0], pieces: pieces, held: map[device.Address]bool{}}
		_, err := airflow.NewRankOn(onOne(d, Options{}), solver.WholeDomain(g), settings, transport.NewLocal(1)[0])
		if err == nil || !strings.Contains(err.Error(), "memory ends") {
			t.Errorf("with memory for %d pieces: %v", pieces, err)
		}
		if len(d.held) > 0 || !d.closed {
			t.Errorf("with memory for %d pieces, %d are held, closed %v", pieces, len(d.held), d.closed)
		}
	}
}

// scantyDevice has memory for so many pieces, and notes what it has given out.
type scantyDevice struct {
	device.Device
	pieces int
	held   map[device.Address]bool
	closed bool
}

func (d *scantyDevice) Allocate(bytes int64) (device.Address, error) {
	if len(d.held) == d.pieces {
		return 0, errors.New("its memory ends")
	}
	a, err := d.Device.Allocate(bytes)
	d.held[a] = true
	return a, err
}

func (d *scantyDevice) Free(a device.Address) error {
	delete(d.held, a)
	return d.Device.Free(a)
}

func (d *scantyDevice) Close() error {
	d.closed = true
	return d.Device.Close()
}

// A grid that ends at walls and has no links to them is refused, one without an end is
// not.
func TestWallsWithoutLinksAreRefused(t *testing.T) {
	devicetest.BesideOthers(t)
	for name, g := range map[string]*geometry.Grid{"balls": generate.BallsGrid([3]int32{16, 16, 16}, 6, 3), "box": generate.FullGrid([3]int32{8, 8, 8})} {
		d := solver.WholeDomain(g)
		d.Periodic = [3]bool{true, true, true}
		settings := caveSettings(g)
		settings.Collision = airflow.TRT
		r, err := airflow.NewRankOn(on(devicetest.Open(t, 1), Options{}), d, settings, transport.NewLocal(1)[0])
		if err == nil {
			r.Close()
		}
		if refused := err != nil; refused != (name == "balls") || refused && !strings.Contains(err.Error(), "links") {
			t.Errorf("%s: got error %v", name, err)
		}
	}
}
