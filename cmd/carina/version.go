package main

import (
	"errors"
	"fmt"
	"runtime"

	"carina"
	"carina/internal/machine"
	"carina/solver/cuda/device"
	"carina/solver/transport"

	"github.com/spf13/cobra"
)

// versionResult is what `carina version --json` prints.
type versionResult struct {
	carina.Program
	Build     string `json:"program"`
	GoVersion string `json:"go_version"`
	Platform  string `json:"platform"`
	MPI       bool   `json:"mpi"`
	CUDA      bool   `json:"cuda"`
}

func newVersion() *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "Say which version this is and what is built in",
		Args:  exactly(),
		RunE: func(command *cobra.Command, _ []string) error {
			r := versionResult{
				Program: carina.ProgramOf(), Build: machine.Build(),
				GoVersion: runtime.Version(), Platform: runtime.GOOS + "/" + runtime.GOARCH,
				MPI: transport.MPI, CUDA: !errors.Is(device.Start(), device.ErrNoCUDA),
			}
			return printResult(command, r, func() string {
				return fmt.Sprintf("%s\nMPI: %s; GPUs: %s\n", r.Words(), able(r.MPI), able(r.CUDA))
			})
		},
	}
}
