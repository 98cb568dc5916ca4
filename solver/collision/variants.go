package collision

import "carina/solver/lattice"

// Variants lists all variants for which kernels are generated.
func Variants() []Variant {
	var list []Variant
	for _, name := range []string{"trt", "bgk"} {
		for _, set := range []*lattice.Set{lattice.D3Q19, lattice.D3Q27} {
			for _, force := range []bool{false, true} {
				list = append(list, Variant{Name: name, Set: set, Force: force})
			}
		}
	}
	return list
}
