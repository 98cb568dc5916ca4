package series

import (
	"bufio"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"carina/internal/quantity"
)

// Table is a CSV file that grows by a row a sample: the step, the time in seconds, and
// further columns.
type Table struct {
	file    *os.File
	heading []string
	last    int64 // step of the last row, −1 without
	row     []string
	text    strings.Builder
}

// Table opens a table of the folder with columns behind step and time_s. A computation that
// goes on after a step that is not negative goes on in what is there of it.
func (f *Folder) Table(name string, columns []string, after int64) (*Table, error) {
	t := &Table{heading: heading(columns), last: -1}
	var err error
	if t.file, err = os.OpenFile(f.Path(name), os.O_RDWR|os.O_CREATE, 0o666); err != nil {
		return nil, fmt.Errorf("the series %s: %w", name, err)
	}
	if err = t.begin(after); err != nil {
		t.file.Close()
		return nil, fmt.Errorf("the series %s: %w", f.Path(name), err)
	}
	return t, nil
}

func (t *Table) begin(after int64) error {
	info, err := t.file.Stat()
	if err != nil {
		return err
	}
	if info.Size() == 0 {
		return t.write(t.heading)
	}
	if after < 0 {
		return errors.New("somebody else has made it meanwhile: move it away")
	}
	return t.cut(after + 1)
}

// errColumns is of a table that another computation has made.
var errColumns = errors.New("it has other columns than this computation, since openings, lobes or probes are others: move it away, or name another folder for results")

// CheckColumns says why a computation could not go on in the tables of a folder, whose
// columns behind step and time_s it names.
func CheckColumns(path string, tables map[string][]string) error {
	for name, columns := range tables {
		if len(columns) == 0 {
			continue // there is no such table
		}
		data, err := os.Open(filepath.Join(path, name))
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return fmt.Errorf("the series: %w", err)
		}
		line, err := bufio.NewReader(data).ReadString('\n')
		data.Close()
		if line == "" && errors.Is(err, io.EOF) {
			continue
		}
		if !sameHeading(line, heading(columns)) {
			return fmt.Errorf("the series %s: %w", filepath.Join(path, name), errColumns)
		}
	}
	return nil
}

func heading(columns []string) []string { return append([]string{"step", "time_s"}, columns...) }

// write appends a row.
func (t *Table) write(row []string) error {
	t.text.Reset()
	writeRow(&t.text, row)
	_, err := t.file.WriteString(t.text.String())
	return err
}

func writeRow(w io.Writer, row []string) {
	table := csv.NewWriter(w)
	// A strings.Builder takes everything.
	_ = table.Write(row)
	table.Flush()
}

// Add adds a row, in which what is no number is empty. What is there from its step on goes.
func (t *Table) Add(step int64, seconds float64, values []float64) error {
	if step <= t.last {
		if err := t.cut(step); err != nil {
			return err
		}
	}
	t.row = append(t.row[:0], strconv.FormatInt(step, 10), strconv.FormatFloat(seconds, 'g', 9, 64))
	for _, v := range values {
		text := ""
		if !math.IsNaN(v) {
			text = strconv.FormatFloat(v+0, 'g', 8, 64) // no −0
		}
		t.row = append(t.row, text)
	}
	t.last = step
	return t.write(t.row)
}

// cut leaves the rows before a step, and goes to their end.
func (t *Table) cut(step int64) error {
	if _, err := t.file.Seek(0, io.SeekStart); err != nil {
		return err
	}
	lines := bufio.NewReader(t.file)
	var end int64
	t.last = -1
	for first := true; ; first = false {
		line, err := lines.ReadString('\n')
		if err != nil && !errors.Is(err, io.EOF) {
			return err
		}
		if first && !sameHeading(line, t.heading) {
			return errColumns
		}
		if !first {
			number, _, _ := strings.Cut(line, ",")
			at, failed := strconv.ParseInt(number, 10, 64)
			// The last line may be cut off.
			if err != nil || failed != nil || at >= step {
				break
			}
			t.last = at
		}
		end += int64(len(line))
	}
	if err := t.file.Truncate(end); err != nil {
		return err
	}
	_, err := t.file.Seek(end, io.SeekStart)
	return err
}

// Close ends it.
func (t *Table) Close() error { return t.file.Close() }

// Read returns the columns of a table by their names, among them step and time_s.
func Read(path string) (heading []string, columns [][]float64, err error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, nil, fmt.Errorf("reading a series: %w", err)
	}
	defer file.Close()
	rows := csv.NewReader(bufio.NewReader(file))
	rows.ReuseRecord = true
	for {
		row, err := rows.Read()
		if errors.Is(err, io.EOF) {
			return heading, columns, nil
		}
		if err != nil {
			return nil, nil, fmt.Errorf("reading the series %s: %w", path, err)
		}
		if heading == nil {
			heading, columns = append([]string{}, row...), make([][]float64, len(row))
			continue
		}
		for i, word := range row {
			v, err := quantity.Plain(word)
			if word == "" {
				v, err = math.NaN(), nil // it was not known
			}
			if err != nil {
				return nil, nil, fmt.Errorf("reading the series %s: %w", path, err)
			}
			columns[i] = append(columns[i], v)
		}
	}
}
