package main

import (
	"errors"
	"fmt"
	"os/exec"
	"runtime"
	"strings"

	"carina"
	"carina/internal/machine"
	"carina/internal/quantity"
	"carina/solver/cuda/device"
	"carina/solver/transport"

	"github.com/spf13/cobra"
)

// doctorResult is what `carina doctor --json` prints.
type doctorResult struct {
	machine.Description
	BandwidthBytesPerSecond float64 `json:"bandwidth_bytes_per_s"`
	MPI                     bool    `json:"mpi"`
	Mpirun                  string  `json:"mpirun"`
	CUDA                    bool    `json:"cuda"`
	// GPUs are those that this binary can use; GPUProblem says why there are
	// none although CUDA is built in.
	GPUs       []device.Description `json:"gpus"`
	GPUProblem string               `json:"gpu_problem,omitempty"`
	Advice     string               `json:"advice"`
}

func newDoctor() *cobra.Command {
	return &cobra.Command{
		Use:   "doctor",
		Short: "Say what this binary and this machine can do",
		Long: "Say what this binary and this machine can do: processor, memory, MPI and GPUs. The environment variable CARINA_SIMD,\n" +
			"AVX512, AVX2 or none, restricts the instructions that flows are computed with, to compare them.",
		Args: exactly(),
		RunE: func(command *cobra.Command, _ []string) error {
			r := examine()
			return printResult(command, &r, r.words)
		},
	}
}

// copiedBytes is how many bytes each core copies to measure the bandwidth, where there is
// memory for that.
var copiedBytes = 256 << 20

func examine() doctorResult {
	const least, repetitions = 1 << 20, 5
	perWorker := copiedBytes
	for perWorker > least && machine.Admit(int64(perWorker*runtime.NumCPU())) != nil {
		perWorker /= 2
	}
	r := doctorResult{
		Description:             machine.Describe(),
		BandwidthBytesPerSecond: machine.NewCopier(runtime.NumCPU(), perWorker).Bandwidth(repetitions),
		MPI:                     transport.MPI,
		GPUs:                    []device.Description{},
	}
	gpus, err := device.Devices()
	r.CUDA = !errors.Is(err, device.ErrNoCUDA)
	if r.CUDA && err != nil {
		r.GPUProblem = err.Error()
	}
	r.GPUs = append(r.GPUs, gpus...)
	r.Mpirun, _ = exec.LookPath("mpirun")
	var advice []string
	if !r.MPI {
		advice = append(advice, "for ranks as MPI processes build with make mpi (Debian: libopenmpi-dev, openmpi-bin)")
	}
	if r.MPI && r.Mpirun == "" {
		advice = append(advice, "there is no mpirun on the path: install openmpi-bin")
	}
	if !r.CUDA {
		advice = append(advice, "for GPUs build with make gpu")
	}
	r.Advice = strings.Join(advice, "; ")
	return r
}

func (r *doctorResult) words() string {
	const bytesPerUpdate = 152 // D3Q19, single precision: 19 values read and written
	var w strings.Builder
	fmt.Fprintf(&w, "machine: %s, %s, %s, %s, %s\n", r.Processor, quantity.Count(r.Cores, "core"), quantity.FormatBytes(r.MemoryBytes), r.System, r.GoVersion)
	fmt.Fprintf(&w, "SIMD: %s\n", strings.Join(r.SIMD, ", "))
	fmt.Fprintf(&w, "memory bandwidth: %s copying on all cores, so at most %.0f million updates of D3Q19 cells per second in single precision\n",
		quantity.Format(r.BandwidthBytesPerSecond, "B/s"), r.BandwidthBytesPerSecond/bytesPerUpdate/1e6)
	fmt.Fprintf(&w, "MPI: %s\nGPUs: %s\n", able(r.MPI), able(r.CUDA))
	for _, g := range r.GPUs {
		fmt.Fprintf(&w, "GPU %d: %s, %s of memory, %s free, %s copying\n", g.Number, g.Name,
			quantity.FormatBytes(g.MemoryBytes), quantity.FormatBytes(g.FreeBytes), quantity.Format(g.Bandwidth, "B/s"))
		for i, peer := range g.Peers {
			fmt.Fprintf(&w, "  writes to GPU %d directly, %s\n", peer, quantity.Format(g.PeerBandwidths[i], "B/s"))
		}
	}
	if r.GPUProblem != "" {
		fmt.Fprintf(&w, "no GPU can be used: %s\n", r.GPUProblem)
	}
	if r.Advice != "" {
		fmt.Fprintf(&w, "advice: %s\n", r.Advice)
	}
	return w.String()
}

func able(built bool) string {
	if built {
		return "built in"
	}
	return "not in this binary"
}

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
