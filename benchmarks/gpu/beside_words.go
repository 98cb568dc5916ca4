package gpu

import (
	"fmt"
	"strings"
	"text/tabwriter"
)

// Words is the report as a table.
func (r *BesideReport) Words() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s beside %d cores, MLUPS; the bound is what both reach together if exchanging costs nothing, with what the GPU's memory may hold; without cores the other cells lie in the host's memory\n\n", r.Device, r.Cores)
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(w, "case\tprecision\tfluid cells\tthe GPU holds\tGPU alone\tcores alone\tbound\ton cores\treached\tof the bound\tof the GPU\tshared anyway\twithout cores\tbound\tof the bound\t")
	for i := range r.Rows {
		c := &r.Rows[i]
		anyway := ""
		if c.Why != "" {
			anyway = fmt.Sprintf("%.0f", c.Anyway)
		}
		inHost := "\t\t"
		if c.InHost > 0 {
			inHost = fmt.Sprintf("%.0f\t%.0f\t%.3f", c.InHost, c.HostBound, c.InHost/c.HostBound)
		}
		fmt.Fprintf(w, "%s\t%s\t%d\t%g\t%.0f\t%.0f\t%.0f\t%d\t%.0f\t%.3f\t%.3f\t%s\t%s\t\n",
			c.Case, c.Precision, c.FluidCells, c.Held, c.GPU, c.Cores, c.Bound, c.CoreCells, c.MLUPS, c.MLUPS/c.Bound, c.MLUPS/c.GPU, anyway, inHost)
	}
	w.Flush()
	for i := range r.Rows {
		if c := &r.Rows[i]; c.Why != "" {
			fmt.Fprintf(&b, "\n%s, %s: %s", c.Case, c.Precision, c.Why)
		}
	}
	b.WriteByte('\n')
	return b.String()
}

// Words is the report as a table.
func (r *DisturbedReport) Words() string {
	var b strings.Builder
	fmt.Fprintf(&b, "two %s, %d cells; from step %d on the second one copies memory, too\n\n", r.Device, r.FluidCells, r.From)
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(w, "step\ta step, ms\tcomputed, ms\t\tshares\t\tideal, ms\tover the ideal\tmoved\tmoving, s\t\t")
	for i := range r.Looks {
		l := &r.Looks[i]
		fmt.Fprintf(w, "%d\t%.4f\t%.4f\t%.4f\t%.4f\t%.4f\t%.4f\t%.3f\t%d\t%.2f\t%s\t\n", l.Step, 1e3*l.Seconds, 1e3*l.Busy[0], 1e3*l.Busy[1], l.Shares[0], l.Shares[1], 1e3*l.Ideal, l.Seconds/l.Ideal, l.Moved, l.Took, l.Why)
	}
	w.Flush()
	worst, settled := r.Settled()
	fmt.Fprintf(&b, "\nover the ideal: %.3f when the disturbance began, %.3f two looks later\n", worst, settled)
	return b.String()
}
