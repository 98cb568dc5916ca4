package airflow

// Bytes that a cell takes besides its populations: tables of the layout, halo,
// fields for output. Measured on airways, rounded up; see Rank.Bytes.
const bytesBesidesPopulations = 60

// MemoryEstimate returns about how many bytes all ranks together use for so
// many fluid cells, the fields for output included.
func MemoryEstimate(cells int64, s Settings) int64 {
	return cells * (int64(s.set().Q*s.Precision.Bytes()) + bytesBesidesPopulations)
}
