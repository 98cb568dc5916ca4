package gas

import (
	"context"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"io"
	"slices"

	"carina"
	"carina/internal/atomicfile"
	"carina/internal/quantity"
	"carina/internal/resultsfolder"
	"carina/output"
	"carina/output/vtk"
	"carina/solver/thermal"
)

// Names of results.
const (
	summaryFile = "summary.json"
	historyFile = "history.csv"
	profileFile = "profile.csv"

	partitionFile            = "partition.part.json"
	looksTable, looksPicture = "balance.csv", "balance.png"
)

// drawn are the quantities of pictures.
var drawn = []struct {
	name string
	of   func(s *thermal.State) float64
}{
	{"temperature", func(s *thermal.State) float64 { return s.Temperature }},
	{"density", func(s *thermal.State) float64 { return s.Density }},
}

func pictureName(quantity string, step int) string { return fmt.Sprintf("%s-%08d.png", quantity, step) }

// fileNames are those of all results.
func (f *Flow) fileNames() []string {
	list := []string{summaryFile, historyFile, profileFile, partitionFile}
	if f.options.Rebalance.On && f.c.Ranks > 1 {
		list = append(list, looksTable, looksPicture)
	}
	for n := 1; n <= f.c.Steps/f.c.Every; n++ {
		if step := n * f.c.Every; f.drawnAt(step) {
			for _, d := range drawn {
				list = append(list, pictureName(d.name, step))
			}
		}
	}
	return list
}

// drawnAt tells whether pictures are drawn after so many steps.
func (f *Flow) drawnAt(step int) bool {
	looks, n := f.c.Steps/f.c.Every, step/f.c.Every
	return step > 0 && step%f.c.Every == 0 && n*f.c.Pictures/looks > (n-1)*f.c.Pictures/looks
}

// snapshotAt tells whether fields are written after so many steps.
func (f *Flow) snapshotAt(step int64) bool { return f.snapshots > 0 && step%f.snapshots == 0 }

// image has the states of all cells, with times in steps and lengths in cells.
func (f *Flow) image(step int64) *vtk.Image {
	m := &vtk.Image{Frame: output.Frame{Spacing: 1, Size: f.domain.Grid.Size}, Time: float64(step)}
	for _, d := range drawn {
		m.Fields = append(m.Fields, vtk.ImageField{Name: d.name, Components: 1, Value: func(cell int64, _ int) float64 { return d.of(&f.states[cell]) }})
	}
	m.Fields = append(m.Fields, vtk.ImageField{Name: "velocity", Components: 3, Value: func(cell int64, n int) float64 {
		if n == 2 {
			return 0 // a vector has three components for ParaView
		}
		return f.states[cell].Velocity[n]
	}})
	return m
}

// mostPixels is how many a picture has along a side at most; where a box has more cells, a
// pixel is the mean of several.
const mostPixels = 2048

// draw writes pictures, from blue, the least, over white to red.
func (f *Flow) draw(step int) error {
	cells := (max(f.c.Size[0], f.c.Size[1]) + mostPixels - 1) / mostPixels
	w, h := f.c.Size[0]/cells, f.c.Size[1]/cells
	values := make([]float64, w*h)
	for _, d := range drawn {
		for i := range values {
			values[i] = 0
			for n := range cells * cells {
				values[i] += d.of(f.at(i%w*cells+n%cells, i/w*cells+n/cells)) / float64(cells*cells)
			}
		}
		least, most := slices.Min(values), slices.Max(values)
		img := image.NewRGBA(image.Rect(0, 0, w, h))
		for i, v := range values {
			img.SetRGBA(i%w, h-1-i/w, colourOf((v-least)/max(most-least, 1e-300)))
		}
		err := f.write(pictureName(d.name, step), func(out io.Writer) error { return png.Encode(out, img) })
		if err != nil {
			return err
		}
	}
	return nil
}

// colourOf is that of a share from 0 to 1.
func colourOf(share float64) color.RGBA {
	blue, white, red := [3]float64{5, 48, 97}, [3]float64{247, 247, 247}, [3]float64{103, 0, 31}
	from, to, part := blue, white, 2*share
	if share > 0.5 {
		from, to, part = white, red, 2*share-1
	}
	var c [3]uint8
	for i := range c {
		c[i] = uint8(from[i] + part*(to[i]-from[i]))
	}
	return color.RGBA{c[0], c[1], c[2], 255}
}

func (f *Flow) write(name string, fill func(out io.Writer) error) error {
	if err := atomicfile.Write(resultsfolder.Hidden(f.c.Output, name), fill); err != nil {
		return fmt.Errorf("writing %s: %w", name, err)
	}
	return nil
}

// conclude writes the tables and the summary. All processes call it.
func (f *Flow) conclude(ctx context.Context) (err error) {
	var failed error
	if f.lines != nil && f.c.Output != "" {
		failed = f.writeTables()
	}
	if f.files, err = f.course.Conclude(failed); err == nil && f.summary.Interrupted {
		err = &carina.StoppedError{Steps: int64(f.summary.Steps), Folder: f.c.Output, Cause: context.Cause(ctx)}
	}
	return err
}

func (f *Flow) writeTables() error {
	path := func(name string) string { return resultsfolder.Hidden(f.c.Output, name) }
	err := errors.Join(
		f.write(historyFile, f.writeHistory), f.write(profileFile, f.writeProfile),
		f.partition.WriteFile(path(partitionFile)), atomicfile.WriteJSON(path(summaryFile), &f.summary))
	if f.course.Looks != nil {
		err = errors.Join(err, f.course.Looks.WriteTable(path(looksTable)), f.course.Looks.WritePicture(path(looksPicture)))
	}
	return err
}

// writeHistory writes the totals over time.
func (f *Flow) writeHistory(out io.Writer) error {
	fmt.Fprintf(out, "step,mass,momentum_x,momentum_y,energy,kinetic_energy,%s\n", f.scene.figureName)
	for _, s := range f.samples {
		if _, err := fmt.Fprintf(out, "%d,%.17g,%.10g,%.10g,%.17g,%.10g,%.10g\n", s.Step, s.Mass, s.Momentum[0], s.Momentum[1], s.Energy, s.Kinetic, s.Figure); err != nil {
			return err
		}
	}
	return nil
}

// writeProfile writes means over rows, in a tube over columns, at the end.
func (f *Flow) writeProfile(out io.Writer) error {
	across := f.scene.across()
	fmt.Fprintf(out, "%s,density,velocity_x,velocity_y,temperature,pressure\n", [...]string{"x", "y"}[across])
	cells := float64(f.c.Size[1-across])
	for n := range f.lines {
		l := &f.lines[n]
		if _, err := fmt.Fprintf(out, "%g,%.10g,%.10g,%.10g,%.10g,%.10g\n", float64(n)+0.5, l.Mass/cells, l.Velocity[0]/cells, l.Velocity[1]/cells, l.Temperature/cells, l.Pressure/cells); err != nil {
			return err
		}
	}
	return nil
}

// String tells what came out.
func (s *Summary) String() string {
	words := fmt.Sprintf("%s, %d × %d cells, %s, τ = %.4g, gravity %.3g", s.Scene, s.Size[0], s.Size[1], quantity.Count(s.Steps, "step"), s.Tau, s.Gravity)
	if s.Rayleigh > 0 {
		words += fmt.Sprintf(", Rayleigh number %g", s.Rayleigh)
	}
	words += fmt.Sprintf("\n%s %.5g at the start, %.5g at the end\n", s.Figure, s.First.Figure, s.Last.Figure)
	words += fmt.Sprintf("mass %.10g, then %.10g; energy %.10g, then %.10g\n", s.First.Mass, s.Last.Mass, s.First.Energy, s.Last.Energy)
	return words + fmt.Sprintf("%.3g million cells a second on %s in %s; hash %s\n", s.Updates/1e6, quantity.Count(s.Ranks, "rank"), s.Cut, s.Hash)
}
