package validate

import (
	"bufio"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"sort"
	"strconv"
	"strings"
)

// readColumns reads the numbers of a table of published data, line by line;
// lines of words are left out. Columns are separated by spaces or commas.
func (s *suite) readColumns(name string, columns int) ([][]float64, error) {
	path := filepath.Join(s.options.References, filepath.FromSlash(name))
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	var rows [][]float64
	lines := bufio.NewScanner(file)
	for lines.Scan() {
		fields := strings.FieldsFunc(lines.Text(), func(r rune) bool { return r == ' ' || r == '\t' || r == ',' })
		if len(fields) != columns {
			continue
		}
		row := make([]float64, columns)
		for i, f := range fields {
			if row[i], err = strconv.ParseFloat(f, 64); err != nil {
				row = nil
				break
			}
		}
		if row != nil {
			rows = append(rows, row)
		}
	}
	if err := lines.Err(); err != nil {
		return nil, fmt.Errorf("reading %s: %w", path, err)
	}
	if len(rows) == 0 {
		return nil, fmt.Errorf("%s has no line of %d numbers", path, columns)
	}
	return rows, nil
}

// absent says that a case is left out since its published data are not there.
func (s *suite) absent(name string, err error) error {
	if errors.Is(err, os.ErrNotExist) {
		s.options.Progress(fmt.Sprintf("%s is left out: no reference data in %s", name, s.options.References), 0)
		return nil
	}
	return err
}

// table is a function given by rows whose first column ascends.
type table [][]float64

// at is a column at a place, linear between rows and constant beyond them.
func (t table) at(x float64, column int) float64 {
	i := sort.Search(len(t), func(i int) bool { return t[i][0] >= x })
	switch i {
	case 0:
		return t[0][column]
	case len(t):
		return t[i-1][column]
	}
	a, b := t[i-1], t[i]
	part := (x - a[0]) / (b[0] - a[0])
	return a[column] + part*(b[column]-a[column])
}

// curve is a column as a curve for a plot.
func (t table) curve(name string, column int) Curve {
	c := Curve{Name: name}
	for _, row := range t {
		c.X, c.Y = append(c.X, row[0]), append(c.Y, row[column])
	}
	return c
}

// wallUnits are mean velocity and r.m.s. fluctuations along, away from the wall
// and across, over the distance from the wall: columns y⁺, U⁺, u⁺, v⁺, w⁺.
func (s *suite) wallUnits(pipe bool) (t table, bulk float64, err error) {
	if pipe {
		// El Khoury et al. 2013: distance, the same in wall units, U⁺, U/U_b, then
		// r.m.s. of the radial, azimuthal and axial velocity.
		rows, err := s.readColumns("turbulence/pipe-5300.dat", 9)
		if err != nil {
			return nil, 0, err
		}
		for _, r := range rows {
			t = append(t, []float64{r[1], r[2], r[6], r[4], r[5]})
		}
		sort.Slice(t, func(i, j int) bool { return t[i][0] < t[j][0] })
		return t, 1 / 6.8322301823104711e-02, nil
	}
	// Moser, Kim and Mansour 1999.
	means, err := s.readColumns("turbulence/channel-178-means.dat", 7)
	if err != nil {
		return nil, 0, err
	}
	stresses, err := s.readColumns("turbulence/channel-178-stresses.dat", 8)
	if err != nil {
		return nil, 0, err
	}
	if len(means) != len(stresses) {
		return nil, 0, fmt.Errorf("the channel's means have %d rows, its stresses %d", len(means), len(stresses))
	}
	for i, m := range means {
		q := stresses[i]
		t = append(t, []float64{m[1], m[2], math.Sqrt(q[2]), math.Sqrt(q[3]), math.Sqrt(q[4])})
	}
	for i := 1; i < len(t); i++ {
		bulk += (t[i][0] - t[i-1][0]) * (t[i][1] + t[i-1][1]) / 2
	}
	return t, bulk / t[len(t)-1][0], nil
}
