package validate

import (
	"context"
	"fmt"

	"carina/solver"
	"carina/solver/airflow"
	"carina/solver/cuda"

	"gonum.org/v1/gonum/spatial/r3"
)

// The devices that compute the cases.
const (
	Processor = "cpu"
	GPU       = "gpu"
)

// computation is a flow on a processor or a GPU.
type computation interface {
	Advance(ctx context.Context, steps int64, report func(airflow.Progress)) error
	Time() float64
	OpeningSummaries() ([]airflow.OpeningSummary, error)
	WallForce(selected func(center r3.Vec) bool) (r3.Vec, error)
	fields() (*airflow.Fields, error)
	strainRate() ([6][]float32, error)
}

type onProcessor struct{ *airflow.Rank }

func (p onProcessor) fields() (*airflow.Fields, error)  { return p.Fields(), nil }
func (p onProcessor) strainRate() ([6][]float32, error) { return p.StrainRate(), nil }

type onGPU struct{ *cuda.Solver }

func (g onGPU) fields() (*airflow.Fields, error)  { return g.Fields() }
func (g onGPU) strainRate() ([6][]float32, error) { return g.StrainRate() }

var _, _ computation = onProcessor{}, onGPU{}

// run computes a domain on the device that was asked for and lets observe see
// the flow as often as the plan says and visit see the end; both may be nil.
func (s *suite) run(domain *solver.Domain, settings airflow.Settings, plan airflow.Plan, observe, visit func(computation) error) (*airflow.Summary, error) {
	switch s.options.Device {
	case "", Processor:
		on := func(f func(computation) error) func(*airflow.Rank) error {
			if f == nil {
				return nil
			}
			return func(r *airflow.Rank) error { return f(onProcessor{r}) }
		}
		plan.Observe, plan.Visit = on(observe), on(visit)
		return airflow.RunInProcess(s.ctx, domain, settings, plan)
	case GPU:
		on := func(f func(computation) error) func(*cuda.Solver) error {
			if f == nil {
				return nil
			}
			return func(g *cuda.Solver) error { return f(onGPU{g}) }
		}
		return cuda.Run(s.ctx, domain, settings, plan, cuda.Options{}, cuda.Hooks{Observe: on(observe), Visit: on(visit)})
	}
	return nil, fmt.Errorf("there is no device %q: choose %s or %s", s.options.Device, Processor, GPU)
}

// layers is how many cells a flow in two dimensions is deep: one, or on a GPU,
// whose tiles fill periodic axes, four.
func (s *suite) layers() int32 {
	if s.options.Device == GPU {
		return 4
	}
	return 1
}
