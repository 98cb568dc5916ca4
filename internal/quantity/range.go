package quantity

import "fmt"

// CheckRange refuses a number outside the range in which it can be meant, or none.
// The note says what a number at an end of the range means; it may be empty.
func CheckRange(name string, value, low, high float64, note string) error {
	if value >= low && value <= high {
		return nil
	}
	return fmt.Errorf("the %s is %g; give a number from %g to %g%s", name, value, low, high, note)
}

// CheckName refuses a name that is not in a list.
func CheckName[T ~string](what string, name T, list []T) error {
	for _, n := range list {
		if n == name {
			return nil
		}
	}
	return fmt.Errorf("there is no %s %q; choose one of %q", what, name, list)
}
