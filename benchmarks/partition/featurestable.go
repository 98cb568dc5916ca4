package partitionbench

import (
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
	"text/tabwriter"

	"carina/partition"
)

// Ratio is the geometric mean of with over without for a feature, a preset,
// and from..to parts.
func (f *Features) Ratio(feature, preset string, from, to int) float64 {
	return f.mean(feature, preset, from, to, func(row *FeatureRow) float64 { return row.Without })
}

// RatioToMetis is the geometric mean of the cut of connected parts over that of
// gpmetis -contig.
func (f *Features) RatioToMetis(preset string, from, to int) float64 {
	return f.mean("contiguous", preset, from, to, func(row *FeatureRow) float64 { return row.Metis })
}

func (f *Features) mean(feature, preset string, from, to int, base func(*FeatureRow) float64) float64 {
	var mean ratio
	for i := range f.Rows {
		row := &f.Rows[i]
		if row.Feature == feature && row.Preset == preset && row.Parts >= from && row.Parts <= to {
			mean.add(row.With, base(row))
		}
	}
	return mean.mean()
}

// WriteTable writes all rows and the means for people to read.
func (f *Features) WriteTable(w io.Writer) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(t, "feature\tgraph\tparts\tpreset\twithout\twith\tratio\tdisconnected without\twith\tinfeasible\tCPU s without\twith\tgpmetis -contig\tunsound\tratio to it\t")
	presets := map[string]bool{}
	for _, r := range f.Rows {
		presets[r.Preset] = true
		metis, unsound, toMetis := "", "", ""
		if r.Metis > 0 {
			metis, unsound, toMetis = fmt.Sprintf("%.0f", r.Metis), strconv.Itoa(r.MetisUnsound), figure(r.With/r.Metis)
		}
		fmt.Fprintf(t, "%s\t%s\t%d\t%s\t%.0f\t%.0f\t%s\t%.1f\t%.1f\t%d\t%.2f\t%.2f\t%s\t%s\t%s\t\n", r.Feature, r.Graph, r.Parts, r.Preset, r.Without, r.With,
			figure(r.With/r.Without), r.DisconnectedWithout, r.Disconnected, r.Infeasible, r.SecondsWithout, r.SecondsWith, metis, unsound, toMetis)
	}
	for _, preset := range []partition.Preset{partition.Fast, partition.Eco, partition.Strong} {
		if name := preset.String(); presets[name] {
			for _, parts := range []struct {
				words string
				from  int
			}{{"all", 0}, {"from 8", 8}} {
				fmt.Fprintf(t, "contiguous\tmean\t%s\t%s\t\t\t%s%s%s\t\n", parts.words, name,
					figure(f.Ratio("contiguous", name, parts.from, math.MaxInt)), strings.Repeat("\t", 8), figure(f.RatioToMetis(name, parts.from, math.MaxInt)))
			}
			fmt.Fprintf(t, "mapping\tmean\t%d\t%s\t\t\t%s\t\n", machineLeaves, name, figure(f.Ratio("mapping", name, 0, math.MaxInt)))
		}
	}
	return t.Flush()
}
