package main

import (
	"strconv"

	"carina/internal/quantity"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// plainValue is a flag's number, which is read as in case files: 020 is 20 and 1e6
// a whole number.
type plainValue struct{ pflag.Value }

// Set reads a number.
func (v plainValue) Set(text string) error {
	plain, err := v.plain(text)
	if err == nil {
		return v.Value.Set(plain)
	}
	// The flag's own words are those that the program puts better. What is no
	// finite number, its user refuses.
	if own := v.Value.Set(text); own != nil || v.Type() == "float64" {
		return own
	}
	return err
}

// plain is a number as the flag reads it in one way only.
func (v plainValue) plain(text string) (string, error) {
	switch v.Type() {
	case "uint64":
		n, err := quantity.Unsigned(text)
		return strconv.FormatUint(n, 10), err
	case "float64":
		x, err := quantity.Number(text)
		return strconv.FormatFloat(x, 'g', -1, 64), err
	case "duration":
		d, err := quantity.Duration(text)
		return d.String(), err
	}
	n, err := quantity.Whole(text)
	return strconv.FormatInt(n, 10), err
}

// readPlainly lets the numbers of a command and of those below it be read as in
// case files.
func readPlainly(command *cobra.Command) {
	for _, flags := range []*pflag.FlagSet{command.Flags(), command.PersistentFlags()} {
		flags.VisitAll(func(f *pflag.Flag) {
			switch f.Value.Type() {
			case "int", "int32", "int64", "uint64", "float64", "duration":
				if _, is := f.Value.(plainValue); !is {
					f.Value = plainValue{f.Value}
				}
			}
		})
	}
	for _, below := range command.Commands() {
		readPlainly(below)
	}
}
