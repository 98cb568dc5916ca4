package picture

import (
	"encoding/csv"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func TestHistoryTableIsReadAsWritten(t *testing.T) {
	path := filepath.Join(t.TempDir(), "history.csv")
	rapid.Check(t, func(t *rapid.T) {
		// Readers of CSV take a carriage return and a line feed for a line feed.
		name := rapid.StringMatching(`[a-zé=@+,;"' \n-]{0,12}`)
		h := History{Names: rapid.SliceOfN(name, 1, 4).Draw(t, "names"), Time: rapid.SliceOfN(rapid.Float64(), 0, 5).Draw(t, "times")}
		var want [][]float64
		column := rapid.SliceOfN(rapid.Float64(), len(h.Time), len(h.Time))
		for range h.Names {
			flow, pressure := column.Draw(t, "flow"), column.Draw(t, "pressure")
			h.Flow, h.Pressure = append(h.Flow, flow), append(h.Pressure, pressure)
			want = append(want, flow, pressure)
		}
		if err := WriteHistoryTable(path, h); err != nil {
			t.Fatal(err)
		}
		file, err := os.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		defer file.Close()
		rows, err := csv.NewReader(file).ReadAll()
		if err != nil {
			t.Fatal(err)
		}
		heading := []string{"time_s"}
		for _, name := range h.Names {
			heading = append(heading, "flow_m3_per_s "+name, "pressure_pa "+name)
		}
		if diff := cmp.Diff(heading, rows[0]); diff != "" || len(rows) != 1+len(h.Time) {
			t.Fatalf("%d rows, heading %s", len(rows), diff)
		}
		for sample, row := range rows[1:] {
			for i, text := range row {
				value := h.Time[sample]
				if i > 0 {
					value = want[i-1][sample]
				}
				if got, err := strconv.ParseFloat(text, 64); err != nil || got != value {
					t.Fatalf("row %d, column %d: %s of %g", sample, i, text, value)
				}
			}
		}
	})
	// Nothing flows out before the air has arrived.
	none := [][]float64{{math.Copysign(0, -1)}}
	if err := WriteHistoryTable(path, History{Names: []string{"a"}, Time: []float64{1}, Flow: none, Pressure: none}); err != nil {
		t.Fatal(err)
	}
	if text, err := os.ReadFile(path); err != nil || !strings.HasSuffix(string(text), "\n1,0,0\n") {
		t.Errorf("no flow is written as %q, %v", text, err)
	}
	if err := WriteHistoryTable(path, History{Names: []string{"a"}, Time: []float64{1}, Flow: [][]float64{{1}}, Pressure: [][]float64{nil}}); err == nil {
		t.Error("a missing pressure was accepted")
	}
}
