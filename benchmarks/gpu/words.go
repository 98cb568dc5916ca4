package gpu

import (
	"fmt"
	"strings"
	"text/tabwriter"
)

// Words is the report as tables: the cases, then where the time of a step
// goes.
func (r *Report) Words() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s, copy %.0f GB/s read and written\n\n", r.Device, r.BandwidthBytesPerSecond/1e9)
	if len(r.Results) > 0 {
		c := &r.Results[0]
		fmt.Fprintf(&b, "%s, collision %s, %s walls, %.0f bytes an update in single storage\n\n", c.Lattice, c.Collision, c.Wall, c.BytesPerUpdate)
	}
	for _, c := range r.Cards {
		fmt.Fprintf(&b, "GPU %d on a dense cube in single precision: %.0f MLUPS alone, %.0f while the others compute theirs\n", c.Device, c.Alone, c.Together)
	}
	if len(r.Cards) > 0 {
		b.WriteByte('\n')
	}
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(w, "case\tGPUs\texchange\tstorage\tfluid cells\tMLUPS\tof the copy\tspeed-up\tbytes per cell\ttiles full\tset-up\t")
	for _, c := range r.Results {
		fmt.Fprintf(w, "%s\t%d\t%s\t%s\t%d\t%.0f\t%.3f\t%.3f\t%.1f\t%.3f\t%.1f s\t\n",
			c.Case, c.Devices, c.Exchange, c.Precision, c.FluidCells, c.MLUPS, c.Fraction, c.SpeedUp, c.BytesPerCell, c.TileShare, c.SetupSeconds)
	}
	w.Flush()
	b.WriteString("\ntime line, in milliseconds\n")
	w = tabwriter.NewWriter(&b, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(w, "case\tGPUs\texchange\tstorage\teven step\todd step\tlook for divergence\tinterior\tborder\tfetch\ttransfer\tunpack\tmeet\t")
	for _, c := range r.Results {
		fmt.Fprintf(w, "%s\t%d\t%s\t%s\t%.3f\t%.3f\t%.3f\t", c.Case, c.Devices, c.Exchange, c.Precision, c.EvenSeconds*1e3, c.OddSeconds*1e3, c.CheckSeconds*1e3)
		p := &c.Phases
		for _, v := range []float64{p.Interior, p.Border, p.Fetch, p.Transfer, p.Unpack, p.Handshake} {
			fmt.Fprintf(w, "%.3f\t", v*1e3)
		}
		fmt.Fprintln(w)
	}
	w.Flush()
	return b.String()
}
