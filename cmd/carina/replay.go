package main

import (
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// listFlag is a flag with several values, which its text may not hold exactly.
type listFlag interface {
	pflag.Value
	// copyOf replaces the values by those of another flag of the same type.
	copyOf(pflag.Value)
}

// replay sets every flag of target to what was given for the same flag of
// source.
func replay(source, target *cobra.Command) error {
	var failure error
	source.Flags().Visit(func(given *pflag.Flag) {
		f := target.Flags().Lookup(given.Name)
		if f == nil || failure != nil {
			return
		}
		if list, ok := f.Value.(listFlag); ok {
			list.copyOf(given.Value)
			return
		}
		failure = target.Flags().Set(given.Name, given.Value.String())
	})
	return failure
}
