package simd

import "golang.org/x/sys/cpu"

// supported lists the instruction sets of this processor, the fastest first.
func supported() []string {
	var list []string
	if cpu.X86.HasAVX512F && cpu.X86.HasAVX512BW && cpu.X86.HasAVX512VL && cpu.X86.HasBMI1 && cpu.X86.HasBMI2 {
		list = append(list, "AVX512")
	}
	if cpu.X86.HasAVX2 {
		list = append(list, "AVX2")
	}
	return list
}
