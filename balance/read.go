package balance

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"carina/cuboid"
	"carina/internal/machine"
)

// Stem is the path of a partition file without the endings that such files have, to
// name what belongs to it.
func Stem(name string) string {
	for _, ending := range []string{".gz", ".json", ".part"} {
		name = strings.TrimSuffix(name, ending)
	}
	return name
}

// ReadFile reads a partition file, gzipped or not, and checks that it is
// sound, as far as that can be seen without the grid: Segments checks the rest.
func ReadFile(name string) (*Partition, error) {
	file, err := machine.Open(name)
	if err != nil {
		return nil, fmt.Errorf("cannot read the partition file: %w", err)
	}
	defer file.Close()
	r, err := machine.Unpack(file)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	p, err := Read(r)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return p, nil
}

// fileSections are the keys of a partition file, before they are understood.
type fileSections struct {
	Format  string          `json:"format"`
	Version int             `json:"version"`
	Source  json.RawMessage `json:"source"`
	Grid    json.RawMessage `json:"grid"`
	Cost    json.RawMessage `json:"cost"`
	Ranks   json.RawMessage `json:"ranks"`
	Method  json.RawMessage `json:"method"`
	Quality json.RawMessage `json:"quality"`
	Columns json.RawMessage `json:"cuboid_columns"`
	Cuboids json.RawMessage `json:"cuboids"`
}

// byteOrderMark is what some editors begin a file with; JSON knows none.
var byteOrderMark = []byte("\ufeff")

// Read reads what Write wrote and checks that it is sound.
func Read(r io.Reader) (*Partition, error) {
	const parsed = 7 // bytes for every byte of text, which is kept meanwhile
	text, err := machine.ReadAll(r, parsed)
	var memory *machine.MemoryError
	if errors.As(err, &memory) {
		return nil, fmt.Errorf("the partition file is too large for this machine: %w", memory)
	}
	if errors.Is(err, machine.ErrSwollen) {
		return nil, err
	}
	if err != nil {
		return nil, fmt.Errorf("cannot read the partition file to its end (%w): copy it again or make it anew", err)
	}
	text = bytes.TrimPrefix(text, byteOrderMark)
	if begin := bytes.TrimLeft(text, " \t\r\n"); len(begin) > 0 && begin[0] != '{' {
		return nil, errors.New("this is no partition file: make one of the surface or the grid with carina partition")
	}
	var s fileSections
	if err := json.Unmarshal(text, &s); err != nil {
		var wrong *json.UnmarshalTypeError
		if errors.As(err, &wrong) {
			return nil, fmt.Errorf("this is no partition file (%w): make one with carina partition", err)
		}
		return nil, fmt.Errorf("the partition file is truncated or damaged (%w): copy it again or make it anew", err)
	}
	if s.Format != fileFormat {
		return nil, fmt.Errorf("this is no partition file (its format is %q, not %q): make one with carina partition", s.Format, fileFormat)
	}
	if s.Version != fileVersion {
		return nil, fmt.Errorf("the partition file has version %d, this program reads version %d: use a program that fits or make the file anew", s.Version, fileVersion)
	}
	p := &Partition{}
	if err := p.fill(&s); err != nil {
		return nil, err
	}
	return p, p.sound()
}

// fill decodes the sections.
func (p *Partition) fill(s *fileSections) error {
	var columns []string
	for _, section := range []struct {
		name  string
		text  json.RawMessage
		value any
	}{
		{"source", s.Source, &p.Source}, {"grid", s.Grid, &p.Grid}, {"cost", s.Cost, &p.Cost}, {"ranks", s.Ranks, &p.Ranks},
		{"method", s.Method, &p.Method}, {"quality", s.Quality, &p.Quality}, {"cuboid_columns", s.Columns, &columns},
	} {
		if section.text == nil {
			return fmt.Errorf("the partition file has no %q: make it anew", section.name)
		}
		if err := json.Unmarshal(section.text, section.value); err != nil {
			return fmt.Errorf("cannot understand %q of the partition file (%w): make it anew", section.name, err)
		}
	}
	if !slices.Equal(columns, cuboidColumns) {
		return fmt.Errorf("the partition file has the cuboid columns %q, not %q: make it anew", columns, cuboidColumns)
	}
	return p.parseCuboids(s.Cuboids)
}

// parseCuboids reads the rows of cuboids, already known to be sound JSON. A
// general decoder takes several times as long for a million rows.
func (p *Partition) parseCuboids(text []byte) error {
	scan := rowScanner{text: text}
	if !scan.take('[') {
		return errors.New("the partition file has no list of cuboids: make it anew")
	}
	for !scan.take(']') {
		if len(p.Cuboids) > 0 && !scan.take(',') {
			return scan.failure(len(p.Cuboids))
		}
		var v [10]int64
		if !scan.row(v[:]) {
			return scan.failure(len(p.Cuboids))
		}
		c := cuboid.Cuboid{
			Min: [3]int32{int32(v[0]), int32(v[1]), int32(v[2])},
			Max: [3]int32{int32(v[3]), int32(v[4]), int32(v[5])},
		}
		for _, x := range v[:7] {
			if x < 0 || x > maxSide {
				return fmt.Errorf("cuboid %d of the partition file has the coordinate or owner %d, out of range: make the file anew", len(p.Cuboids), x)
			}
		}
		p.Cuboids = append(p.Cuboids, c)
		p.Owners = append(p.Owners, int32(v[6]))
		p.Counts = append(p.Counts, cuboid.Counts{Fluid: v[7], Boundary: v[8], Opening: v[9], Empty: c.Cells() - v[7]})
	}
	return nil
}

// maxSide bounds the sides of a grid, so that numbers of cells cannot
// overflow 64 bits.
const maxSide = 1 << 20

// rowScanner reads lists of whole numbers.
type rowScanner struct {
	text []byte
	at   int
}

func (s *rowScanner) failure(row int) error {
	return fmt.Errorf("cannot understand row %d of the cuboids of the partition file, which must be %d whole numbers: make the file anew", row, len(cuboidColumns))
}

// take skips white space and the character c if it comes next.
func (s *rowScanner) take(c byte) bool {
	for s.at < len(s.text) && (s.text[s.at] == ' ' || s.text[s.at] == '\n' || s.text[s.at] == '\t' || s.text[s.at] == '\r') {
		s.at++
	}
	if s.at < len(s.text) && s.text[s.at] == c {
		s.at++
		return true
	}
	return false
}

// row reads exactly as many numbers as there are values.
func (s *rowScanner) row(values []int64) bool {
	if !s.take('[') {
		return false
	}
	for i := range values {
		if i > 0 && !s.take(',') {
			return false
		}
		s.take(' ') // white space only: a space never remains
		negative := s.take('-')
		from := s.at
		for s.at < len(s.text) && s.text[s.at] >= '0' && s.text[s.at] <= '9' && s.at-from < 19 {
			values[i] = 10*values[i] + int64(s.text[s.at]-'0')
			s.at++
		}
		if s.at == from || values[i] < 0 {
			return false
		}
		if negative {
			values[i] = -values[i]
		}
	}
	return s.take(']')
}
