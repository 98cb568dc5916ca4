package report

import (
	"fmt"
	"os"
	"strings"
	"time"

	"carina"
	"carina/internal/quantity"
)

// CheckpointReport is what is known of a checkpoint.
type CheckpointReport struct {
	Folder string `json:"folder"`
	Step   int64  `json:"step"`
	Ranks  int    `json:"ranks"`
	Cells  int64  `json:"fluid_cells"`
	Bytes  int64  `json:"bytes"`
	// Whole tells that all files are there with the sums that they say; Problem says
	// what is wrong otherwise.
	Whole   bool      `json:"whole"`
	Problem string    `json:"problem,omitempty"`
	Surface string    `json:"surface,omitempty"`
	Written time.Time `json:"written"`
	Fields  []string  `json:"fields"`
	size    [3]int32
	spacing float64
}

// InspectCheckpoint reads all of a checkpoint.
func InspectCheckpoint(folder string) (*CheckpointReport, error) {
	c, err := carina.OpenCheckpoint(folder)
	if err != nil {
		return nil, err
	}
	r := &CheckpointReport{Folder: folder, Step: c.Steps, Ranks: c.Ranks, Cells: c.Grid.Cells, size: c.Grid.Size, spacing: c.Grid.Spacing}
	for _, f := range c.Fields {
		r.Fields = append(r.Fields, f.String())
	}
	if k, _, err := carina.CheckpointCase(c); err == nil {
		r.Surface = k.Surface
	}
	if info, err := os.Stat(c.Path()); err == nil {
		r.Written = info.ModTime().UTC().Truncate(time.Second)
	}
	if r.Bytes, err = c.Check(); err != nil {
		r.Problem = err.Error()
	}
	r.Whole = err == nil
	return r, nil
}

// Words says the same for people.
func (r *CheckpointReport) Words() string {
	words := fmt.Sprintf("a checkpoint after step %d, written by %s on %s: %s cells of %s in a box of %d×%d×%d, %s\n",
		r.Step, quantity.Count(r.Ranks, "rank"), r.Written.Format(time.RFC3339), quantity.Grouped(r.Cells), quantity.FormatLength(r.spacing), r.size[0], r.size[1], r.size[2], strings.Join(r.Fields, ", "))
	if r.Whole {
		return words + fmt.Sprintf("whole: %s bytes with the sums that they are to have; any number of ranks goes on from it with --restart %s\n", quantity.Grouped(r.Bytes), r.Folder)
	}
	return words + r.Problem + "\n"
}
