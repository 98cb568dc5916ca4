package main

import (
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// replay sets every flag of target to what was given for the same flag of
// source.
func replay(source, target *cobra.Command) error {
	var failure error
	source.Flags().Visit(func(given *pflag.Flag) {
		f := target.Flags().Lookup(given.Name)
		if f == nil || failure != nil {
			return
		}
		if list, ok := given.Value.(*openingList); ok {
			*f.Value.(*openingList) = append(openingList(nil), *list...)
			return
		}
		if list, ok := given.Value.(pflag.SliceValue); ok {
			failure = f.Value.(pflag.SliceValue).Replace(list.GetSlice())
			return
		}
		failure = target.Flags().Set(given.Name, given.Value.String())
	})
	return failure
}
