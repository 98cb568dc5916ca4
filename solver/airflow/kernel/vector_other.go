//go:build !amd64

package kernel

// There is no assembly for this architecture.
var vectors map[vectorKey]Vector

func decodeVector([]float32, []Float16) int { return 0 }

func encodeVector([]Float16, []float32) int { return 0 }

func ditherVector([]Float16, []float32, *Dither) bool { return false }
