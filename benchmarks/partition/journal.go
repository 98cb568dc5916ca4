package partitionbench

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
)

// journal is a file of rows, one JSON object a line, in the order in which
// they were measured.
type journal struct {
	file *os.File
	rows map[journalKey]Row
}

type journalKey struct {
	Case
	tool string
}

// openJournal reads the rows of the file, if there is one, and opens it for
// more. Without a path the journal is empty and keeps nothing.
func openJournal(path string) (*journal, error) {
	j := &journal{rows: make(map[journalKey]Row)}
	if path == "" {
		return j, nil
	}
	file, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR|os.O_APPEND, 0o644)
	if err != nil {
		return nil, fmt.Errorf("opening the journal of measured rows: %w", err)
	}
	if info, err := file.Stat(); err != nil || !info.Mode().IsRegular() {
		return nil, errors.Join(err, file.Close(), fmt.Errorf("the journal %s is no file: name one", path))
	}
	j.file = file
	lines := json.NewDecoder(file)
	for {
		var row Row
		err := lines.Decode(&row)
		if errors.Is(err, io.EOF) {
			return j, nil
		}
		if err != nil {
			file.Close()
			return nil, fmt.Errorf("reading the journal %s near byte %d: %w; remove the broken line", path, lines.InputOffset(), err)
		}
		j.rows[journalKey{Case{row.Graph, row.Parts}, row.Tool}] = row
	}
}

// row returns what has been measured before.
func (j *journal) row(graph string, parts int, tool string) (Row, bool) {
	row, ok := j.rows[journalKey{Case{graph, parts}, tool}]
	return row, ok
}

func (j *journal) add(row Row) error {
	if j.file == nil {
		return nil
	}
	if err := json.NewEncoder(j.file).Encode(row); err != nil {
		return fmt.Errorf("writing the journal of measured rows: %w", err)
	}
	return nil
}

func (j *journal) close() {
	if j.file != nil {
		j.file.Close()
	}
}
