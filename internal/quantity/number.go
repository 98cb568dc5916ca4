package quantity

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
)

// What is wrong with the text of a number.
var (
	ErrFraction = errors.New("it is no whole number")
	ErrRange    = errors.New("it is out of range")
	errNumber   = errors.New("it is no number")
)

// Number reads a finite number without a unit.
func Number(text string) (float64, error) {
	value, err := strconv.ParseFloat(plainText(text), 64)
	switch {
	case errors.Is(err, strconv.ErrRange) && math.IsInf(value, 0):
		return 0, ErrRange
	case err != nil && !errors.Is(err, strconv.ErrRange), math.IsNaN(value), math.IsInf(value, 0):
		return 0, errNumber
	}
	return value, nil
}

// Plain reads a number of a file that programs write: unlike people, who may part
// thousands, they leave no underscores between digits, and what has some is no number.
// It fails as strconv.ParseFloat does.
func Plain(text string) (float64, error) {
	if strings.Contains(text, "_") {
		return 0, &strconv.NumError{Func: "ParseFloat", Num: text, Err: strconv.ErrSyntax}
	}
	return strconv.ParseFloat(text, 64)
}

// Whole reads a whole number as people write it: 3000, 1_000_000, 1e6, 0x10. Zeros
// in front change nothing. It fails with ErrFraction for 2.5 and for 3.000, which
// may mean 3 or 3000, and with ErrRange for what 64 bits do not hold.
func Whole(text string) (int64, error) {
	negative, size, err := whole64(text)
	switch {
	case err != nil:
		return 0, err
	case negative && size <= 1<<63:
		return int64(-size), nil
	case negative || size > math.MaxInt64:
		return 0, ErrRange
	}
	return int64(size), nil
}

// Unsigned is Whole for numbers from 0 to 2⁶⁴ − 1.
func Unsigned(text string) (uint64, error) {
	negative, size, err := whole64(text)
	if err == nil && negative && size > 0 {
		err = ErrRange
	}
	return size, err
}

// whole64 reads the sign and the size of a whole number.
func whole64(text string) (negative bool, size uint64, err error) {
	text = plainText(text)
	digits := strings.TrimLeft(text, "+-")
	if len(text)-len(digits) > 1 {
		return false, 0, errNumber
	}
	negative = strings.HasPrefix(text, "-")
	base := 10
	if len(digits) > 1 && digits[0] == '0' && strings.ContainsRune("xXoObB", rune(digits[1])) {
		base = 0
	}
	plain := digits
	if base == 10 && !strings.HasPrefix(digits, "_") && !strings.HasSuffix(digits, "_") && !strings.Contains(digits, "__") {
		plain = strings.ReplaceAll(digits, "_", "")
	}
	size, err = strconv.ParseUint(plain, base, 64)
	switch {
	case err == nil:
		return negative, size, nil
	case errors.Is(err, strconv.ErrRange):
		return negative, 0, ErrRange
	}
	value, err := Number(digits)
	mantissa, exponent := digits, false
	if at := strings.IndexAny(digits, "eE"); at >= 0 {
		mantissa, exponent = digits[:at], true
	}
	_, decimals, _ := strings.Cut(mantissa, ".")
	const exact = 1 << 53 // up to which a float64 is the number that is written
	switch {
	case err != nil:
		return negative, 0, err
	case value != math.Trunc(value), !exponent && len(decimals) == 3:
		return negative, 0, ErrFraction
	case value > exact:
		return negative, 0, ErrRange
	}
	return negative, uint64(value), nil
}

// Duration reads a time such as 30s, 2 min or 1m30s.
func Duration(text string) (time.Duration, error) {
	if d, err := time.ParseDuration(plainText(text)); err == nil {
		return d, nil
	}
	seconds, err := Time.Parse(text)
	if err != nil {
		return 0, err
	}
	if math.Abs(seconds) > math.MaxInt64/float64(time.Second) {
		return 0, fmt.Errorf("time %q is longer than can be counted", text)
	}
	return time.Duration(seconds * float64(time.Second)), nil
}
