package output

import (
	"encoding/csv"
	"fmt"
	"strconv"
)

// WriteHistoryTable writes the flow through every opening and the pressure there
// over time as a CSV file: a row a sample, a heading with the units above the
// columns.
func WriteHistoryTable(path string, h History) error {
	if len(h.Flow) != len(h.Names) || len(h.Pressure) != len(h.Names) {
		return fmt.Errorf("output: history has %d flows and %d pressures for %d openings", len(h.Flow), len(h.Pressure), len(h.Names))
	}
	// Quantities stand first: a name may begin with what spreadsheets compute.
	heading := []string{"time_s"}
	var columns [][]float64
	for i, name := range h.Names {
		heading = append(heading, "flow_m3_per_s "+name, "pressure_pa "+name)
		columns = append(columns, h.Flow[i], h.Pressure[i])
		if len(h.Flow[i]) != len(h.Time) || len(h.Pressure[i]) != len(h.Time) {
			return fmt.Errorf("output: history has %d times, but %d flows and %d pressures of %s", len(h.Time), len(h.Flow[i]), len(h.Pressure[i]), name)
		}
	}
	number := func(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }
	return writeFile(path, func(f file) error {
		w := csv.NewWriter(f)
		err := w.Write(heading)
		for sample, time := range h.Time {
			row := []string{number(time)}
			for _, column := range columns {
				row = append(row, number(column[sample]))
			}
			if err == nil {
				err = w.Write(row)
			}
		}
		w.Flush()
		if err == nil {
			err = w.Error()
		}
		return err
	})
}
