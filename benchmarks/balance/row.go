package balancebench

import (
	"cmp"
	"encoding/csv"
	"fmt"
	"io"
	"strconv"

	"carina/balance"
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
	// Seconds is how long partitioning took.
	Seconds float64

	alone float64 // seconds of a step without exchange and imbalance
}

// rate returns million fluid cell updates per second and rank, the source's
// MLUP/ps, for a step time.
func (r *Row) rate(step float64) float64 {
	if step == 0 {
		return 0
	}
	return float64(r.FluidCells) / step / float64(r.Ranks) / 1e6
}

// columns of the CSV file.
var columns = []struct {
	name  string
	value func(r *Row) string
}{
	{"geometry", func(r *Row) string { return r.Geometry }},
	{"fluid_cells", func(r *Row) string { return strconv.FormatInt(r.FluidCells, 10) }},
	{"layout", func(r *Row) string { return string(r.Layout) }},
	{"decompose", func(r *Row) string { return r.Strategy.Decompose }},
	{"balance", func(r *Row) string { return r.Strategy.Balance }},
	{"heavy_cuboids_split", func(r *Row) string { return strconv.FormatBool(!r.Strategy.Plain) }},
	{"imbalance", func(r *Row) string { return figure(cmp.Or(r.Strategy.Imbalance, 0.03)) }},
	{"improved", func(r *Row) string { return strconv.FormatBool(r.Strategy.Improve) }},
	{"ranks", func(r *Row) string { return strconv.Itoa(r.Ranks) }},
	{"k", func(r *Row) string { return strconv.Itoa(r.PerRank) }},
	{"cuboids", func(r *Row) string { return strconv.Itoa(r.Cuboids) }},
	{"kept_cells", func(r *Row) string { return strconv.FormatInt(r.KeptCells, 10) }},
	{"work_max_over_mean", func(r *Row) string { return figure(r.MaxOverMean) }},
	{"bytes_total", func(r *Row) string { return strconv.FormatInt(r.Bytes, 10) }},
	{"bytes_max", func(r *Row) string { return strconv.FormatInt(r.BytesMax, 10) }},
	{"neighbours_max", func(r *Row) string { return strconv.Itoa(r.NeighboursMax) }},
	{"predicted_step_s", func(r *Row) string { return figure(r.Predicted) }},
	{"predicted_mlup_per_rank_s", func(r *Row) string { return figure(r.rate(r.Predicted)) }},
	{"measured_step_s", func(r *Row) string { return figure(r.Measured) }},
	{"measured_mlup_per_rank_s", func(r *Row) string { return figure(r.rate(r.Measured)) }},
	{"ranks_timed", func(r *Row) string { return strconv.Itoa(r.Timed) }},
	{"partition_seconds", func(r *Row) string { return fmt.Sprintf("%.3f", r.Seconds) }},
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
