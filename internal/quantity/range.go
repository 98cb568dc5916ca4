package quantity

import (
	"fmt"
	"strings"
)

// CheckRange refuses a number outside the range in which it can be meant, or none.
// The note says what a number at an end of the range means; it may be empty.
func CheckRange(name string, value, low, high float64, note string) error {
	if value >= low && value <= high {
		return nil
	}
	return fmt.Errorf("the %s is %g; give a number from %g to %g%s", name, value, low, high, note)
}

// CheckImbalance refuses an imbalance that is not below the largest that can be
// meant: whoever writes 3 means percent.
func CheckImbalance(imbalance, largest float64) error {
	switch {
	case imbalance >= 0 && imbalance < largest:
		return nil
	case imbalance > 0 && imbalance < 100:
		return fmt.Errorf("an imbalance of %g lets a part have %g times its share: give a number from 0 to below %g; %g %% are %g", imbalance, 1+imbalance, largest, imbalance, imbalance/100)
	}
	return fmt.Errorf("the imbalance is %g: give a number from 0 to below %g, such as 0.03 (in percent, from 0 to %g)", imbalance, largest, 100*largest)
}

// CheckName refuses a name that is not in a list.
func CheckName[T ~string](what string, name T, list []T) error {
	for _, n := range list {
		if n == name {
			return nil
		}
	}
	return fmt.Errorf("there is no %s %q; choose one of %s", what, name, Either(list))
}

// Either lists names to choose from.
func Either[T ~string](names []T) string {
	var words strings.Builder
	for i, name := range names {
		switch {
		case i > 0 && i == len(names)-1:
			words.WriteString(" or ")
		case i > 0:
			words.WriteString(", ")
		}
		words.WriteString(string(name))
	}
	return words.String()
}
