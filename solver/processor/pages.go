package processor

// InHugePages copies a finished table to memory of just its size, in huge pages
// where the system has them: a step walks through the tables along with all
// populations, and the hardware's prefetching ends at every small page. Beyond
// its length there is room for more, all zero.
func InHugePages[T any](table []T, more int) []T {
	c := make([]T, len(table)+more)
	adviseHugePages(c)
	copy(c, table)
	return c[:len(table)]
}
