package gas

import (
	"bytes"
	"compress/zlib"
	"encoding/binary"
	"encoding/xml"
	"io"
	"math"
	"os"
	"path/filepath"
	"testing"

	"carina"
)

// readImage returns the values of a snapshot by the names of its fields.
func readImage(t *testing.T, path string) map[string][]float32 {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	text, blob, _ := bytes.Cut(data, []byte("<AppendedData encoding=\"raw\">\n_"))
	var file struct {
		Fields []struct {
			Name   string `xml:"Name,attr"`
			Offset int    `xml:"offset,attr"`
		} `xml:"ImageData>Piece>CellData>DataArray"`
	}
	if err := xml.Unmarshal(append(text, "</VTKFile>"...), &file); err != nil {
		t.Fatal(err)
	}
	fields := map[string][]float32{}
	for _, f := range file.Fields {
		const header = 32 // of one block
		z, err := zlib.NewReader(bytes.NewReader(blob[f.Offset+header:]))
		if err != nil {
			t.Fatal(err)
		}
		raw, err := io.ReadAll(z)
		if err != nil {
			t.Fatal(err)
		}
		for i := 0; i < len(raw); i += 4 {
			fields[f.Name] = append(fields[f.Name], math.Float32frombits(binary.LittleEndian.Uint32(raw[i:])))
		}
	}
	return fields
}

// listed are the files of a series by their times.
func listed(t *testing.T, folder string) map[float64]string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(folder, "series", "fields.pvd"))
	var file struct {
		List []struct {
			Time float64 `xml:"timestep,attr"`
			File string  `xml:"file,attr"`
		} `xml:"Collection>DataSet"`
	}
	if err != nil || xml.Unmarshal(data, &file) != nil {
		t.Fatalf("%s: %v", data, err)
	}
	list := map[float64]string{}
	for _, m := range file.List {
		list[m.Time] = filepath.Join(folder, "series", m.File)
	}
	return list
}

// Snapshots have the mass, momentum and energy that the history has, and the wave of the scene
// where its cells are; a gas that was stopped goes on in them.
func TestSnapshots(t *testing.T) {
	const w, h = 24, 32
	c := Case{Scene: "waves", Size: [2]int{w, h}, Steps: 30, Every: 10, Snapshots: "every=15", Output: filepath.Join(t.TempDir(), "out")}
	c.Ranks, c.Cut = 4, "tiles"
	samples := computed(t, c, Options{Checkpoints: carina.Checkpoints{End: true}}).Samples()
	from, err := carina.OpenCheckpoint(c.Output)
	if err != nil {
		t.Fatal(err)
	}
	c.Steps, c.Ranks = 60, 1
	samples = append(samples, computed(t, c, Options{Restart: from}).Samples()[len(samples):]...)
	files := listed(t, c.Output)
	if len(files) != 5 {
		t.Errorf("%d moments of 60 steps: %v", len(files), files)
	}
	for _, s := range samples {
		path, is := files[float64(s.Step)]
		if is != (s.Step%15 == 0) || !is {
			continue
		}
		fields, mass, energy, amplitude := readImage(t, path), 0.0, 0.0, 0.0
		velocity := fields["velocity"]
		if len(velocity) != 3*w*h {
			t.Fatalf("%d components of velocities", len(velocity))
		}
		for i, density := range fields["density"] {
			u, v := float64(velocity[3*i]), float64(velocity[3*i+1])
			mass += float64(density)
			energy += float64(density) * ((u*u+v*v)/2 + float64(fields["temperature"][i]))
			amplitude += 2 * v * math.Sin(2*math.Pi*(float64(i%w)+0.5)/w) / (w * h)
		}
		for name, v := range map[string][2]float64{"mass": {mass, s.Mass}, "energy": {energy, s.Energy}, "amplitude": {amplitude, s.Figure}} {
			if !(math.Abs(v[0]/v[1]-1) < 1e-6) {
				t.Errorf("step %d: %s %g, in the history %g", s.Step, name, v[0], v[1])
			}
		}
	}
}
