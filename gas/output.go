package gas

import (
	"fmt"
	"image"
	"image/color"
	"image/png"
	"io"

	"carina/internal/atomicfile"
	"carina/internal/quantity"
	"carina/internal/resultsfolder"
	"carina/solver/thermal"
)

// Names of results.
const (
	summaryFile = "summary.json"
	historyFile = "history.csv"
	profileFile = "profile.csv"
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
	list := []string{summaryFile, historyFile, profileFile}
	looks := f.c.Steps / f.c.Every
	for n := 1; n <= looks; n++ {
		if n*f.c.Pictures/looks > (n-1)*f.c.Pictures/looks {
			for _, d := range drawn {
				list = append(list, pictureName(d.name, n*f.c.Every))
			}
		}
	}
	return list
}

// draw writes pictures, one pixel a cell, from blue, the least, over white to red.
func (f *Flow) draw(step int) error {
	w, h := f.c.Size[0], f.c.Size[1]
	for _, d := range drawn {
		least, most := d.of(&f.states[0]), d.of(&f.states[0])
		for i := range f.states {
			v := d.of(&f.states[i])
			least, most = min(least, v), max(most, v)
		}
		img := image.NewRGBA(image.Rect(0, 0, w, h))
		for y := range h {
			for x := range w {
				img.SetRGBA(x, h-1-y, colourOf((d.of(f.at(x, y))-least)/max(most-least, 1e-300)))
			}
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

// conclude writes the tables and the summary.
func (f *Flow) conclude() error {
	if f.folder == nil {
		return nil
	}
	err := f.write(historyFile, func(out io.Writer) error {
		fmt.Fprintf(out, "step,mass,momentum_x,momentum_y,energy,kinetic_energy,%s\n", f.scene.figureName)
		for _, s := range f.samples {
			if _, err := fmt.Fprintf(out, "%d,%.17g,%.10g,%.10g,%.17g,%.10g,%.10g\n", s.Step, s.Mass, s.Momentum[0], s.Momentum[1], s.Energy, s.Kinetic, s.Figure); err != nil {
				return err
			}
		}
		return nil
	})
	if err == nil {
		err = f.write(profileFile, f.writeProfile)
	}
	if err == nil {
		err = atomicfile.WriteJSON(resultsfolder.Hidden(f.c.Output, summaryFile), &f.summary)
	}
	if err != nil {
		return err
	}
	f.files, err = f.folder.Commit()
	return err
}

// writeProfile writes means over rows, in a tube over columns, at the end.
func (f *Flow) writeProfile(out io.Writer) error {
	along, across, name := f.c.Size[1], f.c.Size[0], "y"
	at := func(n, m int) *thermal.State { return f.at(m, n) }
	if f.scene.periodic[1] {
		along, across, name = across, along, "x"
		at = f.at
	}
	fmt.Fprintf(out, "%s,density,velocity_x,velocity_y,temperature,pressure\n", name)
	for n := range along {
		var sums [5]float64
		for m := range across {
			s := at(n, m)
			for i, v := range [...]float64{s.Density, s.Velocity[0], s.Velocity[1], s.Temperature, s.Density * s.Temperature} {
				sums[i] += v / float64(across)
			}
		}
		if _, err := fmt.Fprintf(out, "%g,%.10g,%.10g,%.10g,%.10g,%.10g\n", float64(n)+0.5, sums[0], sums[1], sums[2], sums[3], sums[4]); err != nil {
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
