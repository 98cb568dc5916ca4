package balance

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"strconv"
	"strings"

	"carina/internal/atomicfile"
	"carina/internal/terminal"
	"github.com/klauspost/compress/gzip"
)

// The format and version that this package writes.
const (
	fileFormat  = "carina partition"
	fileVersion = 1
)

// cuboidColumns are the columns of the rows of cuboids in a partition file.
var cuboidColumns = []string{"min_x", "min_y", "min_z", "max_x", "max_y", "max_z", "owner", "fluid", "boundary", "opening"}

// WriteFile writes a partition file, gzipped if the name ends in .gz. It
// appears under its name only when it is complete.
func (p *Partition) WriteFile(name string) error {
	return atomicfile.Write(name, func(w io.Writer) error {
		if !strings.HasSuffix(name, ".gz") {
			return p.Write(w)
		}
		z := gzip.NewWriter(w)
		if err := p.Write(z); err != nil {
			return err
		}
		return z.Close()
	})
}

// Write writes the partition as JSON. The same partition gives the same bytes.
func (p *Partition) Write(w io.Writer) error {
	b := bufio.NewWriterSize(w, 1<<16)
	for i, section := range []struct {
		key   string
		value any
	}{
		{"format", fileFormat}, {"version", fileVersion}, {"source", p.Source}, {"grid", p.Grid}, {"cost", p.Cost},
		{"ranks", p.Ranks}, {"method", p.Method}, {"quality", p.Quality}, {"cuboid_columns", cuboidColumns},
	} {
		text, err := json.Marshal(section.value)
		if err != nil {
			return fmt.Errorf("cannot write %s of the partition: %w", section.key, err)
		}
		fmt.Fprintf(b, "%s\n %q: %s", []string{"{", ","}[min(i, 1)], section.key, terminal.Clean(string(text)))
	}
	b.WriteString(",\n \"cuboids\": [")
	var row []byte
	for i, c := range p.Cuboids {
		row = append(row[:0], []string{"\n  [", ",\n  ["}[min(i, 1)]...)
		n := p.Counts[i]
		for j, v := range [...]int64{
			int64(c.Min[0]), int64(c.Min[1]), int64(c.Min[2]), int64(c.Max[0]), int64(c.Max[1]), int64(c.Max[2]),
			int64(p.Owners[i]), n.Fluid, n.Boundary, n.Opening,
		} {
			if j > 0 {
				row = append(row, ',')
			}
			row = strconv.AppendInt(row, v, 10)
		}
		b.Write(append(row, ']'))
	}
	b.WriteString("\n ]\n}\n")
	return b.Flush()
}
