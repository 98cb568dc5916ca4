package validate

import (
	"context"
	"os"
	"testing"

	"carina/solver/airflow"
)

// Still air stays still between walls: with the operators that are chosen at
// low viscosity, in tubes at any angle to the lattice.
func TestClosedTubesAtRest(t *testing.T) {
	for _, collision := range []airflow.Collision{airflow.Recursive, airflow.Cumulant} {
		t.Run(string(collision), func(t *testing.T) {
			for _, viscosity := range []float64{1e-5, 2.5e-4, 1e-3} {
				for _, across := range []int32{4, 5, 6, 8} {
					for _, direction := range closedDirections {
						testRest(t, restCase{collision, airflow.Interpolated, direction, across, viscosity, 1e-6, false}, 2000, 8000)
					}
				}
			}
		})
	}
}

// Neither do pressure openings move it. CARINA_REST=1 takes longer and more.
func TestOpenTubesAtRest(t *testing.T) {
	late := int64(3000)
	viscosities := []float64{1e-4}
	if everyTubeAtRest() {
		late, viscosities = 30000, []float64{1e-3, 1e-4}
	}
	for _, viscosity := range viscosities {
		for _, across := range []int32{6, 9} {
			for _, direction := range openDirections {
				testRest(t, restCase{airflow.Recursive, airflow.Interpolated, direction, across, viscosity, 5e-5, true}, 1000, late)
			}
		}
	}
}

// rounding is the part of a disturbance that is at rest.
const rounding = 1e-12

func testRest(t *testing.T, c restCase, early, late int64) {
	t.Helper()
	peaks, err := c.peaks(context.Background(), early, late)
	if err != nil {
		t.Errorf("%v: %v", c, err)
	} else if !(peaks[1] <= max(peaks[0], rounding*c.disturbance)) {
		t.Errorf("%v: the largest speed grows from %.3g to %.3g cells a step", c, peaks[0], peaks[1])
	}
}

func everyTubeAtRest() bool { return os.Getenv("CARINA_REST") != "" }
