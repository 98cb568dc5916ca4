package thermalbench

import (
	"context"
	"fmt"
	"io"
	"math"
	"path/filepath"
	"runtime"
	"strings"

	"carina/internal/atomicfile"
	"carina/internal/machine"
	"carina/solver/thermal/arithmetic"
)

// Options of the suite.
type Options struct {
	// Folder is where results are written.
	Folder string
	// Quick computes small layers alone.
	Quick bool
	// Progress is told the stage and the share done.
	Progress func(stage string, done float64)
}

// Critical is the Rayleigh number at which rolls begin to grow between plates without slip
// (Reid and Harris 1958).
const Critical = 1707.762

// Row is what a layer of so many rows gives: the critical Rayleigh number, the Nusselt number at
// a Rayleigh number, or the growth of a wave where dense gas lies above thin gas.
type Row struct {
	Quantity string  `json:"quantity"`
	Rows     int32   `json:"rows"` // 0: extrapolated to infinitely many
	Tau      float64 `json:"tau,omitempty"`
	Value    float64 `json:"value"`
	Want     float64 `json:"want"`
}

// Off is how much it is off, as a part of what it should be.
func (r *Row) Off() float64 { return r.Value/r.Want - 1 }

// Result is what was computed.
type Result struct {
	Machine machine.Description `json:"machine"`
	Rows    []Row               `json:"rows"`
}

// Extrapolate adds what two layers of different height give without what falls with the
// square of their heights.
func Extrapolate(coarse, fine Row) Row {
	ratio := math.Pow(float64(fine.Rows)/float64(coarse.Rows), 2)
	return Row{Quantity: fine.Quantity, Value: fine.Value + (fine.Value-coarse.Value)/(ratio-1), Want: fine.Want}
}

// series are layers of ever more rows in which the same is computed. Their relaxation times
// leave the Rayleigh number in reach, and plates differ by so much of the temperature.
type series struct {
	rayleigh, difference float64 // 0: the critical one
	layers               []struct {
		height int32
		tau    float64
	}
}

type layers = []struct {
	height int32
	tau    float64
}

func (o *Options) series() []series {
	all := []series{
		{0, 0.1, layers{{24, 0.545}, {32, 0.56}, {48, 0.59}}},
		{2500, 0.1, layers{{32, 0.55}, {48, 0.575}}},
		{5000, 0.2, layers{{32, 0.56}, {48, 0.59}}},
		{10000, 0.2, layers{{32, 0.54}, {48, 0.56}}},
	}
	if o.Quick {
		for i := range all {
			all[i].layers = all[i].layers[:min(2, len(all[i].layers))]
		}
		return all[:2]
	}
	return all
}

// Run computes, and writes thermal.csv and thermal.md into the folder.
func Run(ctx context.Context, o Options) (*Result, error) {
	r := &Result{Machine: machine.Describe()}
	all, growing := o.series(), o.steps()
	parts := float64(len(all) + len(growing))
	for i, s := range all {
		name, want := "critical Rayleigh number", Critical
		if s.rayleigh > 0 {
			name = fmt.Sprintf("Nusselt number at Ra = %g", s.rayleigh)
			const points, modes = 20, 6
			var err error
			if want, err = Nusselt(s.rayleigh, 1, math.Pi, points, modes); err != nil {
				return nil, err
			}
		}
		for n, layer := range s.layers {
			if o.Progress != nil {
				o.Progress(fmt.Sprintf("%s, %d rows", name, layer.height), (float64(i)+float64(n)/float64(len(s.layers)))/parts)
			}
			l := Layer{Rayleigh: s.rayleigh, Width: 2 * layer.height, Height: layer.height, Tau: layer.tau, Difference: s.difference, Collision: arithmetic.Regularized, Workers: runtime.GOMAXPROCS(0)}
			compute := l.Steady
			if s.rayleigh == 0 {
				compute = l.Onset
			}
			value, err := compute(ctx)
			if err != nil {
				return nil, err
			}
			r.Rows = append(r.Rows, Row{name, layer.height, layer.tau, value, want})
		}
		last := len(r.Rows) - 1
		r.Rows = append(r.Rows, Extrapolate(r.Rows[last-1], r.Rows[last]))
	}
	for i, s := range growing {
		err := r.grow(ctx, &s, func(stage string, done float64) {
			if o.Progress != nil {
				o.Progress(stage, (float64(len(all)+i)+done)/parts)
			}
		})
		if err != nil {
			return nil, err
		}
	}
	for name, fill := range map[string]func(w io.Writer) error{"thermal.csv": r.writeTable, "thermal.md": r.writePage} {
		if err := atomicfile.Write(filepath.Join(o.Folder, name), fill); err != nil {
			return nil, err
		}
	}
	return r, calore.drawCuts(filepath.Join(o.Folder, "thermal-cuts.png"), gpuCost())
}

// steps are boxes of ever more rows in which the same wave grows: the thickness is in heights,
// τ − ½ is viscous times the rows, and gravity that given over the rows.
type steps struct {
	thickness, viscous, gravity float64
	rows                        []int32
}

func (o *Options) steps() []steps {
	if o.Quick {
		return []steps{{1. / 8, 0.015 / 64, 0.128, []int32{48, 64}}}
	}
	return []steps{{1. / 8, 0.015 / 64, 0.128, []int32{64, 96, 128}}, {1. / 16, 0.005 / 96, 0.096, []int32{96, 144}}}
}

// grow lets waves grow.
func (r *Result) grow(ctx context.Context, s *steps, progress func(stage string, done float64)) error {
	for n, rows := range s.rows {
		progress(fmt.Sprintf("dense gas above thin gas, %d rows", rows), float64(n)/float64(len(s.rows)))
		high := float64(rows)
		step := Step{Width: rows / 2, Height: rows, Thickness: s.thickness * high, Tau: 0.5 + s.viscous*high, Gravity: s.gravity / high, Workers: runtime.GOMAXPROCS(0)}
		got, want, err := step.Rates(ctx)
		if err != nil {
			return err
		}
		r.Rows = append(r.Rows, Row{fmt.Sprintf("growth, step of %.3g", s.thickness), rows, step.Tau, got / step.sharp(), want / step.sharp()})
	}
	return nil
}

// calore is the box of Calore and others (2016).
var calore = Box{Width: 1024, Height: 8192}

func (r *Result) writeTable(w io.Writer) error {
	text := "quantity,rows,tau,value,want,off\n"
	for i := range r.Rows {
		row := &r.Rows[i]
		text += fmt.Sprintf("%s,%d,%g,%.6g,%.6g,%.3g\n", row.Quantity, row.Rows, row.Tau, row.Value, row.Want, row.Off())
	}
	_, err := io.WriteString(w, text)
	return err
}

func (r *Result) writePage(w io.Writer) error {
	var b strings.Builder
	fmt.Fprintf(&b, "# A thermal gas heated from below, and dense gas above thin gas\n\nWritten by `carina bench thermal` on %s.\n\n", r.Machine.Processor)
	b.WriteString("A pair of rolls in a layer twice as wide as high, Pr = 1, between plates without slip: the Rayleigh number\n" +
		"g(ΔT/H − g/c_p)H⁴/(Tνχ) at which rolls neither grow nor fade, beside 1707.762, and the Nusselt number of steady\n" +
		"rolls beside a spectral solution of the Boussinesq equations (20 Chebyshev points, 6 Fourier modes, Newton's\n" +
		"method). Extrapolated values leave out what falls with the square of the rows.\n\n" +
		"Below them the rate at which a wave of half the height grows where cold dense gas lies above warm thin gas, over\n" +
		"√(Agk), in layers whose temperature falls as tanh(y/(step·height)): beside the mean, over the same time, of the\n" +
		"eigenvalues of the profiles that the wave meets, by the compressible equations of Navier, Stokes and Fourier\n" +
		"without a bulk viscosity (72 Chebyshev points).\n\n")
	b.WriteString("| what | rows | τ | gas | should be | off |\n| --- | --- | --- | --- | --- | --- |\n")
	for i := range r.Rows {
		row := &r.Rows[i]
		rows, tau := fmt.Sprint(row.Rows), fmt.Sprintf("%.4g", row.Tau)
		if row.Rows == 0 {
			rows, tau = "extrapolated", ""
		}
		fmt.Fprintf(&b, "| %s | %s | %s | %.5g | %.5g | %+.2f %% |\n", row.Quantity, rows, tau, row.Value, row.Want, 100*row.Off())
	}
	b.WriteString(calore.cutsWords(gpuCost()))
	b.WriteString("\n![](thermal-cuts.png)\n")
	_, err := io.WriteString(w, b.String())
	return err
}

// String has a line for each row.
func (r *Result) String() string {
	var b strings.Builder
	for i := range r.Rows {
		row := &r.Rows[i]
		rows := fmt.Sprintf("%d rows", row.Rows)
		if row.Rows == 0 {
			rows = "extrapolated"
		}
		fmt.Fprintf(&b, "%-28s %-12s %8.5g, should be %8.5g: %+.2f %%\n", row.Quantity, rows, row.Value, row.Want, 100*row.Off())
	}
	return b.String()
}
