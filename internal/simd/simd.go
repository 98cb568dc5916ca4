package simd

import (
	"fmt"
	"os"
	"slices"
	"strings"

	"carina/internal/quantity"
)

// machineVariable is the environment variable that restricts the instruction
// sets, for tests and comparisons.
const machineVariable = "CARINA_SIMD"

// Machines lists the instruction sets that the processor and the kernels have,
// the fastest first. The environment variable CARINA_SIMD, in letters of any size,
// restricts it to one; none leaves the plain Go kernels.
func Machines() []string {
	list := supported()
	if only := chosenMachine(); only != "" {
		list = slices.DeleteFunc(list, func(m string) bool { return !strings.EqualFold(m, only) })
	}
	return list
}

// chosenMachine is what CARINA_SIMD says, without the hyphen that AVX-512 is
// written with, too; empty where it says nothing.
func chosenMachine() string {
	return strings.ReplaceAll(strings.TrimSpace(os.Getenv(machineVariable)), "-", "")
}

// noMachine stands for the plain Go kernels.
const noMachine = "none"

// CheckMachines is an error where CARINA_SIMD asks for instructions that there are
// not.
func CheckMachines() error {
	if only := chosenMachine(); only == "" || strings.EqualFold(only, noMachine) || len(Machines()) > 0 {
		return nil
	}
	return fmt.Errorf("the environment variable %s is %q: this processor computes with %s, or leave it unset",
		machineVariable, os.Getenv(machineVariable), quantity.Either(append(supported(), noMachine)))
}
