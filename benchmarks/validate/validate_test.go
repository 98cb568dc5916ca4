package validate

import (
	"context"
	"errors"
	"flag"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"carina/internal/race"
	"carina/solver/airflow"
	"carina/solver/cuda/device"

	"gonum.org/v1/gonum/spatial/r3"
)

// The cases that take seconds hold their tolerances; VALIDATE=1 computes all.
func TestSuite(t *testing.T) {
	o := Options{Quick: true, Cases: []string{"duct", "taylor-green"}, Plots: filepath.Join(t.TempDir(), "validate"), References: "../../../shared/reference-data"}
	if names, ok := os.LookupEnv("VALIDATE"); ok {
		o.Quick, o.Cases = false, strings.Fields(names)
	}
	var told []Result
	o.Found = func(r Result) { told = append(told, r) }
	r, err := Run(context.Background(), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Log("\n" + r.Words())
	if r.Failed > 0 || len(r.Results) == 0 {
		t.Errorf("%d of %d results are outside their tolerance", r.Failed, len(r.Results))
	}
	if !slices.Equal(told, r.Results) {
		t.Errorf("told of %v on the way", told)
	}
}

var whole = flag.Bool("whole", false, "make the sweeps over waves and tubes whole, and longer")

// sayLeftOut says what a sweep leaves out, as a test that is skipped.
func sayLeftOut(t *testing.T, what string) {
	t.Helper()
	t.Run("whole", func(t *testing.T) {
		if !*whole {
			t.Skip("-whole also computes " + what)
		}
	})
}

// A pipe along no direction of the grid errs at most half more than one along
// an axis; pressure outlets act on their plane and keep the flow as it is.
func TestTurnedPipe(t *testing.T) {
	race.SkipArithmetic(t)
	const n = 11
	s := &suite{options: Options{Change: func(*airflow.Settings) {}}, ctx: context.Background()}
	aligned, err := s.poiseuille(n, r3.Vec{X: 1}, airflow.Interpolated)
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range []r3.Vec{{X: 1}, {X: 1, Y: 0.42, Z: 0.23}, {X: -0.8, Y: 1, Z: 0.9}} {
		e, err := s.poiseuille(n, d, airflow.Interpolated)
		if err != nil {
			t.Fatal(err)
		}
		t.Logf("along %v: %+v", d, e)
		if e.velocity > gates[0].velocity || e.velocity > 1.5*aligned.velocity || e.pressure > gates[0].pressure/2 || e.ends > 0.025 {
			t.Errorf("along %v: errors %+v, aligned %+v", d, e, aligned)
		}
		if d.Y == 0 && e.ends > 3*e.middle || d.Y != 0 && e.ends > 1.5*e.middle {
			t.Errorf("along %v: at the ends the flow errs by %.4f, in the middle by %.4f", d, e.ends, e.middle)
		}
	}
}

func TestUnknownCase(t *testing.T) {
	if _, err := Run(context.Background(), Options{Cases: []string{"tornado"}}); err == nil || !strings.Contains(err.Error(), "tornado") {
		t.Errorf("got error %v", err)
	}
}

// The whole suite on a GPU, in all precisions.
func TestSuiteOnGPU(t *testing.T) {
	if _, err := device.Devices(); err != nil {
		if _, got := Run(context.Background(), Options{Device: GPU, Cases: []string{"duct"}}); got == nil || errors.Is(err, device.ErrNoCUDA) && !errors.Is(got, device.ErrNoCUDA) {
			t.Errorf("without a GPU: error %v, want %v", got, err)
		}
		t.Skip(err)
	}
	for _, precision := range airflow.Precisions {
		r, err := Run(context.Background(), Options{Device: GPU, References: "../../../shared/reference-data",
			Change: func(s *airflow.Settings) { s.Precision = precision }})
		if err != nil {
			t.Fatal(err)
		}
		t.Logf("%s\n%s", precision, r.Words())
		if r.Failed > 0 || len(r.Results) == 0 {
			t.Errorf("%s: %d of %d results are outside their tolerance", precision, r.Failed, len(r.Results))
		}
	}
}
