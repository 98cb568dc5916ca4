package partition

import "slices"

// sortUntilStopped sorts by an order without ties: in blocks, merged in pairs,
// so that it can give up in between. When stopped, it returns items in any
// order.
func sortUntilStopped[T any](items []T, compare func(a, b T) int, stop func() bool) []T {
	const block = 1 << 15
	n := len(items)
	for begin := 0; begin < n; begin += block {
		if begin > 0 && stop() {
			return items
		}
		slices.SortFunc(items[begin:min(begin+block, n)], compare)
	}
	if n <= block {
		return items
	}
	merged := make([]T, n)
	for width := block; width < n; width *= 2 {
		for begin := 0; begin < n; begin += 2 * width {
			if stop() {
				return items
			}
			middle, end := min(begin+width, n), min(begin+2*width, n)
			merge(merged[begin:end], items[begin:middle], items[middle:end], compare)
		}
		items, merged = merged, items
	}
	return items
}

// merge fills to with the items of two sorted runs.
func merge[T any](to, a, b []T, compare func(a, b T) int) {
	for i := range to {
		if len(b) == 0 || len(a) > 0 && compare(a[0], b[0]) <= 0 {
			to[i], a = a[0], a[1:]
		} else {
			to[i], b = b[0], b[1:]
		}
	}
}
