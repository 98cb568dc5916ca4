package water

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"carina"
	"carina/balance"
	"carina/geometry/terrain"
	"carina/internal/race"
)

// computed is a case after Run.
func computed(t *testing.T, c Case, o Options) *Flood {
	t.Helper()
	f, err := Open(context.Background(), c, o)
	if err == nil {
		err = f.Run(context.Background())
	}
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// valley is a small case with an inflow, an open side and gauges.
func valley(folder string) (c Case) {
	c.Terrain, c.Spacing, c.Time, c.Output = "valley", "25m", "40s", folder
	c.Edges = []string{"north=open", "west=inflow:40m3/s@200..320"}
	c.Gauges = []string{"dam=230,300", "village=900,250"}
	return c
}

// same is an error where two floods differ in a bit, or their gauges.
func same(a, b *Flood) error {
	for v := range a.outcome.values {
		if !slices.Equal(a.outcome.values[v], b.outcome.values[v]) {
			return fmt.Errorf("value %d differs", v)
		}
	}
	if a.outcome.steps != b.outcome.steps || !slices.EqualFunc(a.rows, b.rows, func(x, y gaugeRow) bool { return x.Time == y.Time && slices.Equal(x.Values, y.Values) }) {
		return fmt.Errorf("%d and %d steps, or the gauges differ", a.outcome.steps, b.outcome.steps)
	}
	return nil
}

// Water that nothing tells of is looked at now and then alone.
func TestLooksAreFew(t *testing.T) {
	c, looks := valley(""), int64(0)
	c.Gauges = nil
	f := computed(t, c, Options{Progress: func(_, _, _ float64) { looks++ }})
	if most := f.outcome.steps/lookEvery + 1; looks > most {
		t.Errorf("%d looks at %d steps, want %d at most", looks, f.outcome.steps, most)
	}
}

// A flood has the same bits however its cells are shared, while they change owner, and
// where it was stopped and goes on from a checkpoint on other ranks.
func TestFloodsAreTheSameOnAnyRanks(t *testing.T) {
	for _, scheme := range race.Few(Schemes[:1], Schemes) {
		folder := t.TempDir()
		c := valley("")
		c.Scheme = scheme
		one := computed(t, c, Options{})
		for ranks, how := range map[int][2]string{2: {"bricks", "graph"}, 3: {"regular", "linear"}, 5: {"octree", "rcb"}} {
			d := c
			d.Ranks, d.Decompose, d.Balance = ranks, how[0], how[1]
			if err := same(computed(t, d, Options{Rebalance: carina.Rebalancing{On: true, Every: 100}}), one); err != nil {
				t.Errorf("%s, %d ranks, %v: %v", scheme, ranks, how, err)
			}
		}
		for _, every := range []string{"2", "5", "auto"} {
			d := c
			d.Ranks, d.ExchangeEvery = 3, every
			f := computed(t, d, Options{Rebalance: carina.Rebalancing{On: true, Every: 100}})
			if err := same(f, one); err != nil || every != "auto" && fmt.Sprint(f.Summary().ExchangeEvery) != every {
				t.Errorf("%s, exchanging every %s steps: %v", scheme, every, err)
			}
		}
		c.Output, c.Ranks = filepath.Join(folder, "out"), 2
		ctx, stop := context.WithCancel(context.Background())
		f, err := Open(ctx, c, Options{Checkpoints: carina.Checkpoints{End: true}, Progress: func(time, _, _ float64) {
			if time > 20 {
				stop()
			}
		}})
		if err != nil {
			t.Fatal(err)
		}
		var stopped *carina.StoppedError
		if err := f.Run(ctx); !errors.As(err, &stopped) || !f.Summary().Interrupted || f.Summary().Time > 39 {
			t.Fatalf("was stopped: %v", err)
		}
		from, err := carina.OpenCheckpoint(c.Output)
		if err != nil {
			t.Fatal(err)
		}
		d, err := CheckpointCase(from)
		if err != nil {
			t.Fatal(err)
		}
		d.Ranks = 3
		if err := same(computed(t, d, Options{Restart: from}), one); err != nil {
			t.Errorf("%s, from a checkpoint: %v", scheme, err)
		}
		// What has passed cannot be had back.
		d.Time = "5s"
		if f, err = Open(context.Background(), d, Options{Restart: from}); err == nil {
			err = f.Run(context.Background())
		}
		if err == nil || !strings.Contains(err.Error(), "longer --time") {
			t.Errorf("%s, to an earlier time: %v", scheme, err)
		}
	}
}

// Water is neither lost nor made: what is there is what was there and came in.
func TestBalanceOfWater(t *testing.T) {
	flood := filepath.Join(t.TempDir(), "river.csv")
	if err := os.WriteFile(flood, []byte("time_s,flow_m3_s\n0,0\n20,80\n40,10\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, precision := range Precisions {
		for _, scheme := range Schemes {
			c := valley("")
			c.Precision, c.Scheme, c.Edges = precision, scheme, []string{"west=inflow:" + flood + "@200..320"}
			s := computed(t, c, Options{}).Summary()
			if want := 20*40. + 20*45; math.Abs(s.Entered/want-1) > 1e-2 || s.MassError == nil || s.Left != nil {
				t.Errorf("%s, %s: %g m³ came in, not %g", precision, scheme, s.Entered, want)
			}
			if most := map[string]float64{"single": 1e-6, "double": 1e-12}[precision]; math.Abs(*s.MassError) > most {
				t.Errorf("%s, %s: the balance is off by %g", precision, scheme, *s.MassError)
			}
		}
	}
}

// A file of what comes in is no place for results, and where its lines have changed since a
// checkpoint, that is told.
func TestInflowsFromFiles(t *testing.T) {
	c := valley(t.TempDir())
	c.Gauges, c.Time = nil, "5s"
	river := filepath.Join(c.Output, "depth.png")
	say := func(lines string) {
		if err := os.WriteFile(river, []byte(lines), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	say("0,40\n")
	c.Edges = []string{"west=inflow:" + river + "@200..320"}
	f, err := Open(context.Background(), c, Options{})
	if err == nil {
		err = f.Run(context.Background())
	}
	if err == nil || !strings.Contains(err.Error(), river+" would be overwritten") {
		t.Errorf("results in place of the inflow: %v", err)
	}
	c.Output = filepath.Join(c.Output, "out")
	computed(t, c, Options{Checkpoints: carina.Checkpoints{End: true}})
	for _, k := range []struct {
		lines string
		told  bool
	}{{"0,40\n", false}, {"0,50\n", true}} {
		say(k.lines)
		from, err := carina.OpenCheckpoint(c.Output)
		if err != nil {
			t.Fatal(err)
		}
		var warnings []string
		computed(t, c, Options{Restart: from, Warn: func(words string) { warnings = append(warnings, words) }})
		if told := strings.Contains(strings.Join(warnings, " "), "inflow"); told != k.told {
			t.Errorf("after a restart with %q: %q", k.lines, warnings)
		}
	}
}

// The folder holds grids that can be read, of the squares of the ground, and what the gauges
// and the records say agrees with them.
func TestResults(t *testing.T) {
	c := valley(filepath.Join(t.TempDir(), "out"))
	f := computed(t, c, Options{})
	s := f.Summary()
	read := func(name string) *terrain.Raster {
		r, err := readRaster(filepath.Join(c.Output, name))
		if err != nil {
			t.Fatal(err)
		}
		if err := f.ground.heights.Fits(r); err != nil {
			t.Error(err)
		}
		return r
	}
	depth, most, arrival, speed := read(depthGrid), read(deepestGrid), read(arrivalGrid), read(speedGrid)
	flooded := 0.0
	for i, h := range most.Values {
		if h < depth.Values[i] || (h >= 0.0101) != !math.IsNaN(arrival.Values[i]) && math.Abs(h-0.01) > 1e-3 {
			t.Fatalf("square %d is %g m deep, %g m at most, flooded after %g s", i, depth.Values[i], h, arrival.Values[i])
		}
		if depth.Values[i] == 0 && speed.Values[i] != 0 {
			t.Errorf("square %d flows without water", i)
		}
		if !math.IsNaN(arrival.Values[i]) {
			flooded += 625
		}
	}
	if math.Abs(flooded/s.Flooded-1) > 1e-12 || s.Gauges[0].Arrival == nil || s.Gauges[1].Arrival != nil && *s.Gauges[1].Arrival < *s.Gauges[0].Arrival {
		t.Errorf("%g m² are flooded, not %g; gauges %+v", flooded, s.Flooded, s.Gauges)
	}
	table, err := os.ReadFile(filepath.Join(c.Output, gaugeTable))
	if err != nil || bytes.Count(table, []byte("\n")) < 100 || !bytes.HasPrefix(table, []byte("time_s,dam_depth_m,dam_level_m,")) {
		t.Errorf("the gauges say %.200s (%v)", table, err)
	}
	for _, name := range f.names() {
		if info, err := os.Stat(filepath.Join(c.Output, name)); err != nil || info.Size() < 100 {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// A lake at a level that a case gives rests on ground of another spacing.
func TestLakesOfOtherSpacingsRest(t *testing.T) {
	for _, spacing := range []string{"", "15m", "40m"} {
		c := Case{}
		c.Terrain, c.Spacing, c.Time, c.Level, c.Precision = "valley", spacing, "5s", "30m", "double"
		if spacing == "" {
			c.Spacing = "25m"
		}
		if s := computed(t, c, Options{}).Summary(); s.Fastest > 1e-9 || s.Deepest < 10 {
			t.Errorf("spacing %s: the lake, %g m deep, flows at %g m/s", spacing, s.Deepest, s.Fastest)
		}
	}
}

// What cannot be computed is refused in a sentence, before anything is written.
// Cells that do not divide the ground leave a strip of it out, and say so.
func TestStripsLeftOutAreTold(t *testing.T) {
	path := filepath.Join(t.TempDir(), "ground.asc")
	if err := os.WriteFile(path, []byte("ncols 10\nnrows 4\nxllcorner 0\nyllcorner 0\ncellsize 10\n"+strings.Repeat("0 ", 40)), 0o644); err != nil {
		t.Fatal(err)
	}
	for spacing, want := range map[string][]string{"20m": nil, "5m": nil, "30m": {"10 m of the ground in the east", "10 m of the ground in the north"}, "33m": {"1 m of the ground in the east", "7 m of the ground in the north"}} {
		var c Case
		c.Terrain, c.Spacing, c.Time = path, spacing, "1s"
		s, err := c.settings()
		if err != nil {
			t.Fatal(err)
		}
		g, err := c.makeGround(&s)
		if err != nil {
			t.Fatal(err)
		}
		if len(g.warnings) != len(want) {
			t.Errorf("%s: %q, want %q", spacing, g.warnings, want)
			continue
		}
		for i := range want {
			if !strings.Contains(g.warnings[i], want[i]) {
				t.Errorf("%s: %q, want %q", spacing, g.warnings[i], want[i])
			}
		}
	}
}

// Degrees are taken for metres, and told of, by slopes that no ground has.
func TestDegreesAreTold(t *testing.T) {
	for side, want := range map[string]bool{"0.00027777778": true, "0.0083333333": true, "30": false} {
		path := filepath.Join(t.TempDir(), "ground.asc")
		text := "ncols 10\nnrows 4\nxllcorner 7.5\nyllcorner 46.25\ncellsize " + side + "\n" + strings.Repeat("450 460.5 471 ", 13) + "480\n"
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		var c Case
		c.Terrain, c.Time = path, "1s"
		s, err := c.settings()
		if err != nil {
			t.Fatal(err)
		}
		g, err := c.makeGround(&s)
		if err != nil {
			t.Fatal(err)
		}
		if told := len(g.warnings) == 1 && strings.Contains(g.warnings[0], "gdalwarp"); told != want || !want && len(g.warnings) > 0 {
			t.Errorf("squares of %s: %q", side, g.warnings)
		}
	}
}

func TestRefusals(t *testing.T) {
	folder := t.TempDir()
	t.Chdir(folder)
	head := "ncols 3\nnrows 2\nxllcorner 0\nyllcorner 0\ncellsize 10\nNODATA_value -9999\n"
	for name, text := range map[string]string{
		"ground.asc": head + "1 2 3\n4 -9999 6\n", "nan.asc": head + "1 nan 3\n4 5 6\n", "none.asc": head + strings.Repeat("-9999 ", 6),
		"negative.asc": head + "0 0 0\n0 0 -0.5\n", "wide.asc": "ncols 2\nnrows 2\nxllcorner 0\nyllcorner 0\ncellsize 10\n1 2 3 4\n",
		"beside.asc": strings.Replace(head, "xllcorner 0", "xllcorner 5", 1) + "0 0 0 0 0 0", "over.asc": head + "0 0 0\n0 1 0\n",
		"falls.csv": "0,1\n0,2\n", "words.csv": "a,b\nc,d\n", "parted.csv": "0,1\n1,2_0\n", "below.csv": "0,-1\n",
		"void.asc": head + "1 2 3\n4 -32768 6\n", "marked.asc": "\xfe\xff\x00n",
		"hours.csv": "\ufefft [h],Q [m3/s]\n0,1\n", "litres.csv": "time,flow_L/s\n0,1\n",
	} {
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for _, bad := range []struct {
		says   string
		change func(c *Case)
	}{
		{"\"nan\"", func(c *Case) { c.Terrain = "nan.asc" }},
		{"column 2 of row 1 from the south is -32768 m, which no ground has", func(c *Case) { c.Terrain = "void.asc" }},
		{"UTF-16", func(c *Case) { c.Terrain = "marked.asc" }},
		{"no square", func(c *Case) { c.Terrain = "none.asc" }},
		{"-0.5 m deep in column 3 of row 1", func(c *Case) { c.Depth = "negative.asc" }},
		{"2 columns", func(c *Case) { c.Depth = "wide.asc" }},
		{"from 5, 0 m on", func(c *Case) { c.Depth = "beside.asc" }},
		{"ground has no height", func(c *Case) { c.Depth = "over.asc" }},
		{"no such file", func(c *Case) { c.Terrain = "absent.asc" }},
		{"--level", func(c *Case) { c.Depth, c.Level = "ground.asc", "3m" }},
		{"how long", func(c *Case) { c.Time = "" }},
		{"time", func(c *Case) { c.Time = "-3s" }},
		{"CFL", func(c *Case) { c.CFL = 0.5 }},
		{"CFL", func(c *Case) { c.CFL = math.NaN() }},
		{"scheme", func(c *Case) { c.Scheme = "leapfrog" }},
		{"precision", func(c *Case) { c.Precision = "half" }},
		{"not negative", func(c *Case) { c.Manning = -1 }},
		{"not negative", func(c *Case) { c.Chezy = math.NaN() }},
		{"one of them", func(c *Case) { c.Manning, c.Chezy = 0.03, 30 }},
		{"--manning 0.0303", func(c *Case) { c.Manning = 33 }},
		{"no coefficient of Manning's", func(c *Case) { c.Manning = math.Inf(1) }},
		{"give --manning 0.03", func(c *Case) { c.Chezy = 0.03 }},
		{"no edge", func(c *Case) { c.Edges = []string{"up=open"} }},
		{"no edge", func(c *Case) { c.Edges = []string{"west=inflow"} }},
		{"no part", func(c *Case) { c.Edges = []string{"west=open@7..3"} }},
		{"periodic at the west", func(c *Case) { c.Edges = []string{"west=periodic"} }},
		{"periodic at the north and not at the south", func(c *Case) { c.Edges = []string{"north=periodic"} }},
		{"no cell lies", func(c *Case) { c.Edges = []string{"west=inflow:1m3/s@70..90"} }},
		{"no cell lies at the east", func(c *Case) { c.Edges = []string{"east=open@1000..2000"} }},
		{"two inflows", func(c *Case) { c.Edges = []string{"west=inflow:1m3/s", "west=inflow:2m3/s"} }},
		{"negative", func(c *Case) { c.Edges = []string{"west=inflow:-1m3/s"} }},
		{"let times rise", func(c *Case) { c.Edges = []string{"west=inflow:falls.csv"} }},
		{"times are in h: write them in s", func(c *Case) { c.Edges = []string{"west=inflow:hours.csv"} }},
		{"flows are in L/s: write them in m³/s", func(c *Case) { c.Edges = []string{"west=inflow:litres.csv"} }},
		{"line 2", func(c *Case) { c.Edges = []string{"west=inflow:words.csv"} }},
		{"line 2", func(c *Case) { c.Edges = []string{"west=inflow:parted.csv"} }},
		{"line 1", func(c *Case) { c.Edges = []string{"west=inflow:below.csv"} }},
		{"no ground", func(c *Case) { c.Gauges = []string{"hole=15,5"} }},
		{"no ground", func(c *Case) { c.Gauges = []string{"far=300,5"} }},
		{"no gauge", func(c *Case) { c.Gauges = []string{"bridge"} }},
		{"no gauge", func(c *Case) { c.Gauges = []string{"bridge=1,NaN"} }},
		{"two gauges", func(c *Case) { c.Gauges = []string{"a=5,5", "a=25,5"} }},
		{"spacing", func(c *Case) { c.Spacing = "1um" }},
		{"spacing", func(c *Case) { c.Spacing = "1km" }},
		{"of memory", func(c *Case) { c.Terrain, c.Spacing = "valley", "2.5cm" }},
		{"ranks", func(c *Case) { c.Ranks = 50 }},
		{"from 1 to 64", func(c *Case) { c.ExchangeEvery = "0" }},
	} {
		c := Case{}
		c.Terrain, c.Time, c.Output = "ground.asc", "1s", "out"
		bad.change(&c)
		f, err := Open(context.Background(), c, Options{Partitioned: func(*balance.Partition) { t.Errorf("%q: a partition was told", bad.says) }})
		if err == nil {
			err = f.Run(context.Background())
		}
		if err == nil || !strings.Contains(err.Error(), bad.says) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%q: %v", bad.says, err)
		}
		if _, err := os.Stat("out"); err == nil {
			t.Fatalf("%q: a folder was made", bad.says)
		}
	}
}
