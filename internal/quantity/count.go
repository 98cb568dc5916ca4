package quantity

import (
	"strconv"
	"strings"
)

// whole is a number of things.
type whole interface{ ~int | ~int32 | ~int64 }

// plurals are the endings of words that do not take an s alone.
var plurals = []struct{ one, many string }{{"ex", "ices"}, {"ch", "ches"}, {"af", "aves"}, {"ss", "sses"}, {"ry", "ries"}}

// Plural is the word for n things, made of that for one.
func Plural[N whole](n N, one string) string {
	if n == 1 {
		return one
	}
	for _, ending := range plurals {
		if stem, has := strings.CutSuffix(one, ending.one); has {
			return stem + ending.many
		}
	}
	return one + "s"
}

// Count is a number of things with their word, such as 1 rank or 3 ranks.
func Count[N whole](n N, one string) string {
	return strconv.FormatInt(int64(n), 10) + " " + Plural(n, one)
}

// GroupedCount is Count of many things, with a thin space between thousands.
func GroupedCount[N whole](n N, one string) string { return Grouped(n) + " " + Plural(n, one) }

// Was is the verb for n things.
func Was[N whole](n N) string {
	if n == 1 {
		return "was"
	}
	return "were"
}

// Grouped is a whole number with a thin space between thousands.
func Grouped[N whole](n N) string {
	digits := strconv.FormatInt(int64(n), 10)
	for i := len(digits) - 3; i > 0 && digits[i-1] != '-'; i -= 3 {
		digits = digits[:i] + "\u2009" + digits[i:]
	}
	return digits
}
