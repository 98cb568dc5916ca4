package collision

import "carina/solver/lattice"

// Variants lists all variants for which kernels are generated, those for
// unscaled populations.
func Variants() []Variant {
	var list []Variant
	for _, operator := range []struct {
		name string
		set  *lattice.Set
	}{
		{"trt", lattice.D3Q19}, {"bgk", lattice.D3Q19}, {"regularized", lattice.D3Q19}, {"recursive", lattice.D3Q19},
		{"trt", lattice.D3Q27}, {"cumulant", lattice.D3Q27},
	} {
		for _, option := range []Variant{{}, {Force: true}, {LargeEddy: true}, {Force: true, LargeEddy: true}} {
			list = append(list, Variant{Name: operator.name, Set: operator.set, Force: option.Force, LargeEddy: option.LargeEddy})
		}
	}
	return list
}
