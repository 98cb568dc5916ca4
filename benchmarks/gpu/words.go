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
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(w, "case\tGPUs\tstorage\tfluid cells\tMLUPS\tof the copy\tspeed-up\tbytes per cell\ttiles full\tset-up\t")
	for _, c := range r.Results {
		fmt.Fprintf(w, "%s\t%d\t%s\t%d\t%.0f\t%.3f\t%.2f\t%.1f\t%.3f\t%.1f s\t\n",
			c.Case, c.Devices, c.Precision, c.FluidCells, c.MLUPS, c.Fraction, c.SpeedUp, c.BytesPerCell, c.TileShare, c.SetupSeconds)
	}
	w.Flush()
	b.WriteString("\ntime line, in milliseconds\n")
	w = tabwriter.NewWriter(&b, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(w, "case\tGPUs\tstorage\teven step\todd step\tlook for divergence\t")
	for _, c := range r.Results {
		fmt.Fprintf(w, "%s\t%d\t%s\t%.3f\t%.3f\t%.3f\t\n", c.Case, c.Devices, c.Precision, c.EvenSeconds*1e3, c.OddSeconds*1e3, c.CheckSeconds*1e3)
	}
	w.Flush()
	return b.String()
}
