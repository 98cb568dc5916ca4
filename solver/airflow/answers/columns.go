package answers

import (
	"math"

	"carina/geometry/tree"
)

// Columns are those of the flow, for tables and lines of branches; what is not known is
// no number.
func (a *Answers) Columns() []tree.Column {
	column := func(name string, value func(b *Branch) float64) tree.Column {
		return tree.Column{Name: name, Value: func(b *tree.Branch) float64 { return value(&a.Branches[b.Number-1]) }}
	}
	known := func(v *float64) float64 {
		if v == nil {
			return math.NaN()
		}
		return *v
	}
	return []tree.Column{
		column("flow_m3_per_s", func(b *Branch) float64 { return b.Flow }),
		column("pressure_drop_pa", func(b *Branch) float64 { return b.Drop }),
		column("resistance_pa_s_per_l", func(b *Branch) float64 { return known(b.Resistance) }),
		column("resistance_cmh2o_s_per_l", func(b *Branch) float64 { return known(b.ResistanceWater) }),
		column("reynolds", func(b *Branch) float64 { return b.Reynolds }),
		column("womersley", func(b *Branch) float64 { return known(b.Womersley) }),
		column("mean_wall_shear_pa", func(b *Branch) float64 {
			if b.Wall == nil {
				return math.NaN()
			}
			return b.Wall.Mean
		}),
		column("peak_wall_shear_pa", func(b *Branch) float64 {
			if b.Wall == nil {
				return math.NaN()
			}
			return b.Wall.Peak
		}),
	}
}
