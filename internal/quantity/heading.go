package quantity

import "strings"

// Stated is the unit of the kind that the heading of a column names, such as ms in
// "time (ms)" and "time_ms", with its factor; none where it names none.
func (k Kind) Stated(heading string) (unit string, factor float64) {
	for _, word := range strings.FieldsFunc(heading, func(r rune) bool { return strings.ContainsRune(" \t\u00a0[](){}_,;:\"", r) }) {
		if factor, ok := k.factor(word); ok {
			return word, factor
		}
	}
	return "", 0
}
