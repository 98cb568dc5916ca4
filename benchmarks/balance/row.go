package balancebench

import (
	"cmp"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"strconv"

	"carina/balance"
	"carina/cuboid"
	"carina/geometry"
)

// Strategy is one way to decompose and balance.
type Strategy struct {
	Decompose, Balance string
	// Plain leaves heavy cuboids whole, as the source did.
	Plain bool
	// Imbalance is 0 for the default of 0.03.
	Imbalance float64
	// Improve moves cuboids afterwards.
	Improve bool
	// PerRank lists the k to try; nil leaves it to the program.
	PerRank []int
	// MostRanks, if given, is up to how many ranks it is tried: beyond them it
	// makes too many cuboids and loses.
	MostRanks int
}

// String names the strategy in tables.
func (s Strategy) String() string {
	name := s.Decompose + " + " + s.Balance
	if s.Plain {
		name += ", unsplit"
	}
	if s.Imbalance > 0 {
		name += fmt.Sprintf(", ε = %g", s.Imbalance)
	}
	if s.Improve {
		name += ", improved"
	}
	return name
}

// Row is the result of one partition.
type Row struct {
	Geometry   string
	FluidCells int64
	Layout     balance.Layout
	Strategy   Strategy
	PerRank    int // k; 0 where the program chose
	Ranks      int
	Cuboids    int
	KeptCells  int64
	// MaxOverMean is that of the work; Bytes what all ranks send in a step.
	MaxOverMean   float64
	Bytes         int64
	BytesMax      int64
	NeighboursMax int
	// Predicted is the seconds of a step by the cost model. Measured is the
	// slowest of the ranks timed alone with the exchange by the cost model
	// added, 0 if not measured; Timed says how many ranks were.
	Predicted float64
	Measured  float64
	Timed     int
	// Computing is how long the timed ranks compute, packing of the solver's
	// layouts included, as a multiple of what the cost model says; the mean.
	Computing float64
	// Disturbed is how many times as long the step of the slowest round took.
	Disturbed float64
	// Ideal is the seconds of a step if the fluid cells were shared perfectly,
	// no others were kept and messages and cuboids cost nothing: no
	// decomposition and no balancer can be faster by the cost model.
	Ideal float64
	// Lost is where a step's time goes besides.
	Lost Losses
	// Seconds is the time of the processor that partitioning took; in Scale and
	// Strict that on the clock.
	Seconds float64
	// Costs says which cost model was used.
	Costs string
	// Against is the balancer whose imbalance was the limit, see Strict.
	Against string
	// Alone is the seconds of a step without exchange and imbalance, see Scale.
	Alone float64
}

// Losses are seconds of a step, the mean of all ranks: for empty cells, for
// cuboids, lanes and rows as such and copies between those of a rank, for messages,
// and for waiting until the slowest rank is done.
type Losses struct{ Empty, Cuboids, Exchange, Waiting float64 }

// countsOf are a partition's counts with what costs something in its layout but
// is not kept in partitions.
func countsOf(g *geometry.Grid, p *balance.Partition) ([]cuboid.Counts, error) {
	if p.Cost.Layout != balance.Dense {
		return p.Counts, nil
	}
	segments, err := p.Segments(g)
	if err != nil {
		return nil, err
	}
	counts := cuboid.Count(g, p.Cuboids, segments)
	balance.CountWindows(p.Cuboids, segments, counts)
	return counts, nil
}

// ideal returns the seconds of Row.Ideal, and what is lost besides.
func ideal(p *balance.Partition, counts []cuboid.Counts) (float64, Losses) {
	sum, speed := 0.0, 0.0
	var lost Losses
	for _, n := range counts {
		all := p.Cost.Seconds(n)
		n.Empty, n.Passed = 0, 0
		full := p.Cost.Seconds(n)
		n.Lanes = 0
		fluid := p.Cost.Seconds(n) - p.Cost.Cuboid
		lost.Empty += all - full
		lost.Cuboids += full - fluid
		sum += fluid
	}
	ranks := float64(len(p.Ranks))
	for _, r := range p.Ranks {
		speed += r.Speed
	}
	lost.Empty /= speed
	lost.Cuboids /= speed
	for _, q := range p.Quality.Ranks {
		lost.Cuboids += (q.Step - q.Exchange - q.Work) / ranks
		lost.Exchange += q.Exchange / ranks
		lost.Waiting += (p.Quality.PredictedStep - q.Step) / ranks
	}
	return sum / speed, lost
}

// describeCosts tells cost models apart in a CSV file.
func describeCosts(c *balance.Cost) string {
	text := fmt.Sprintf("%s: %.4g/%.4g/%.4g/%.4g", c.Source, 1e9*c.Fluid, 1e9*c.Boundary, 1e9*c.Opening, 1e9*c.Empty)
	if c.Lane > 0 {
		text += fmt.Sprintf("/%.4g", 1e9*c.Lane)
	}
	return text + " ns"
}

// rate returns million fluid cell updates per second and rank, the source's
// MLUP/ps, for a step time.
func (r *Row) rate(step float64) float64 {
	if step == 0 {
		return 0
	}
	return float64(r.FluidCells) / step / float64(r.Ranks) / 1e6
}

// column is one of the CSV file; read takes back what value wrote, if given.
type column struct {
	name  string
	value func(r *Row) string
	read  func(r *Row, text string) error
}

// columns of the CSV file.
var columns = []column{
	text("geometry", func(r *Row) *string { return &r.Geometry }),
	whole("fluid_cells", func(r *Row) *int64 { return &r.FluidCells }),
	text("layout", func(r *Row) *string { return (*string)(&r.Layout) }),
	text("decompose", func(r *Row) *string { return &r.Strategy.Decompose }),
	text("balance", func(r *Row) *string { return &r.Strategy.Balance }),
	{"heavy_cuboids_split", func(r *Row) string { return strconv.FormatBool(!r.Strategy.Plain) }, func(r *Row, text string) error {
		split, err := strconv.ParseBool(text)
		r.Strategy.Plain = !split
		return err
	}},
	{"imbalance", func(r *Row) string { return figure(cmp.Or(r.Strategy.Imbalance, standardImbalance)) }, func(r *Row, text string) (err error) {
		if r.Strategy.Imbalance, err = strconv.ParseFloat(text, 64); r.Strategy.Imbalance == standardImbalance {
			r.Strategy.Imbalance = 0
		}
		return err
	}},
	{"improved", func(r *Row) string { return strconv.FormatBool(r.Strategy.Improve) }, func(r *Row, text string) (err error) {
		r.Strategy.Improve, err = strconv.ParseBool(text)
		return err
	}},
	whole("ranks", func(r *Row) *int { return &r.Ranks }),
	whole("k", func(r *Row) *int { return &r.PerRank }),
	whole("cuboids", func(r *Row) *int { return &r.Cuboids }),
	whole("kept_cells", func(r *Row) *int64 { return &r.KeptCells }),
	number("work_max_over_mean", func(r *Row) *float64 { return &r.MaxOverMean }),
	whole("bytes_total", func(r *Row) *int64 { return &r.Bytes }),
	whole("bytes_max", func(r *Row) *int64 { return &r.BytesMax }),
	whole("neighbours_max", func(r *Row) *int { return &r.NeighboursMax }),
	number("predicted_step_s", func(r *Row) *float64 { return &r.Predicted }),
	{"predicted_mlup_per_rank_s", func(r *Row) string { return figure(r.rate(r.Predicted)) }, nil},
	number("ideal_step_s", func(r *Row) *float64 { return &r.Ideal }),
	number("lost_to_empty_cells_s", func(r *Row) *float64 { return &r.Lost.Empty }),
	number("lost_to_cuboids_s", func(r *Row) *float64 { return &r.Lost.Cuboids }),
	number("lost_to_exchange_s", func(r *Row) *float64 { return &r.Lost.Exchange }),
	number("lost_to_waiting_s", func(r *Row) *float64 { return &r.Lost.Waiting }),
	number("alone_step_s", func(r *Row) *float64 { return &r.Alone }),
	number("measured_step_s", func(r *Row) *float64 { return &r.Measured }),
	{"measured_mlup_per_rank_s", func(r *Row) string { return figure(r.rate(r.Measured)) }, nil},
	whole("ranks_timed", func(r *Row) *int { return &r.Timed }),
	number("computing_measured_over_predicted", func(r *Row) *float64 { return &r.Computing }),
	number("measured_longest_over_shortest", func(r *Row) *float64 { return &r.Disturbed }),
	number("partition_seconds", func(r *Row) *float64 { return &r.Seconds }),
	text("costs", func(r *Row) *string { return &r.Costs }),
	text("against", func(r *Row) *string { return &r.Against }),
}

// standardImbalance is what balance.Make uses by default.
const standardImbalance = 0.03

func text(name string, field func(r *Row) *string) column {
	return column{name, func(r *Row) string { return *field(r) }, func(r *Row, text string) error {
		*field(r) = text
		return nil
	}}
}

func whole[T int | int64](name string, field func(r *Row) *T) column {
	return column{name, func(r *Row) string { return strconv.FormatInt(int64(*field(r)), 10) }, func(r *Row, text string) error {
		n, err := strconv.ParseInt(text, 10, 64)
		*field(r) = T(n)
		return err
	}}
}

func number(name string, field func(r *Row) *float64) column {
	return column{name, func(r *Row) string { return figure(*field(r)) }, func(r *Row, text string) (err error) {
		*field(r), err = strconv.ParseFloat(text, 64)
		return err
	}}
}

func figure(x float64) string { return strconv.FormatFloat(x, 'g', 6, 64) }

// writeCSV writes all rows.
func writeCSV(w io.Writer, rows []Row) error {
	c := csv.NewWriter(w)
	line := make([]string, len(columns))
	for i := range columns {
		line[i] = columns[i].name
	}
	if err := c.Write(line); err != nil {
		return err
	}
	for r := range rows {
		for i := range columns {
			line[i] = columns[i].value(&rows[r])
		}
		if err := c.Write(line); err != nil {
			return err
		}
	}
	c.Flush()
	return c.Error()
}

// readCSV reads the rows of a file that writeCSV wrote; a file that is not
// there has none.
func readCSV(path string) ([]Row, error) {
	file, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("reading earlier results: %w", err)
	}
	defer file.Close()
	lines, err := csv.NewReader(file).ReadAll()
	if err == nil && len(lines) == 0 {
		err = errors.New("it is empty")
	}
	if err == nil && !slices.EqualFunc(lines[0], columns, func(name string, c column) bool { return name == c.name }) {
		err = errors.New("its columns are others")
	}
	var rows []Row
	for i := 1; i < len(lines) && err == nil; i++ {
		var row Row
		for k, c := range columns {
			if c.read != nil {
				err = errors.Join(err, c.read(&row, lines[i][k]))
			}
		}
		rows = append(rows, row)
	}
	if err != nil {
		return nil, fmt.Errorf("the earlier results %s cannot be added to (%w): remove them or choose another folder", path, err)
	}
	return rows, nil
}

// merged returns earlier rows and new ones. New ones replace those of the same
// layout and number of ranks, and all that were made with other costs or cells.
func merged(earlier, rows []Row) []Row {
	kept := slices.DeleteFunc(slices.Clone(earlier), func(old Row) bool {
		return slices.ContainsFunc(rows, func(r Row) bool {
			return r.Layout == old.Layout && (r.Ranks == old.Ranks || r.Costs != old.Costs || r.FluidCells != old.FluidCells)
		})
	})
	kept = append(kept, rows...)
	slices.SortStableFunc(kept, func(a, b Row) int {
		return cmp.Or(cmp.Compare(a.Layout, b.Layout), cmp.Compare(a.Ranks, b.Ranks))
	})
	return kept
}
