package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"carina/solver/transport"
)

// A launcher that starts several processes of a binary that cannot connect them
// would start as many whole runs into one folder.
func TestCopiesAreRefused(t *testing.T) {
	folder := t.TempDir()
	surface, part := filepath.Join(folder, "pipe.stl"), filepath.Join(folder, "pipe.part.json")
	succeed[map[string]any](t, "generate", "pipe", "--unit", "mm", "--segments", "8", "-o", surface)
	succeed[map[string]any](t, "partition", surface, "--unit", "mm", "--spacing", "3mm", "--ranks", "2", "-o", part)
	for _, launcher := range [][]string{
		{"OMPI_COMM_WORLD_SIZE=2", "OMPI_COMM_WORLD_RANK=1"},
		{"SLURM_STEP_NUM_TASKS=2", "SLURM_PROCID=0"},
		{"PMI_SIZE=2", "PMI_RANK=0"},
		{"PMIX_RANK=0"},
	} {
		t.Run(launcher[0], func(t *testing.T) {
			for _, set := range launcher {
				name, value, _ := strings.Cut(set, "=")
				t.Setenv(name, value)
			}
			out := filepath.Join(folder, "out")
			commands := [][]string{{"run", surface, "--unit", "mm", "--spacing", "3mm", "--steps", "2", "--out", out}}
			if !transport.MPI { // a binary with MPI asks the library
				commands = append(commands, []string{"solve", part, "--steps", "2", "--out", out})
			}
			for _, command := range commands {
				status, _, stderr := invoke(t, command...)
				if status != exitFailure || !strings.Contains(stderr, "start") || strings.Count(stderr, "\n") != 1 {
					t.Errorf("%v: status %d, says %q", command, status, stderr)
				}
				if _, err := os.Stat(out); err == nil {
					t.Errorf("%v wrote results", command)
				}
			}
		})
	}
}

// One process is not several, whoever started it.
func TestOneProcessOfALauncherIsNotRefused(t *testing.T) {
	t.Setenv("SLURM_STEP_NUM_TASKS", "1")
	t.Setenv("SLURM_PROCID", "0")
	succeed[map[string]any](t, "generate", "pipe", "--unit", "mm", "--segments", "8", "-o", filepath.Join(t.TempDir(), "pipe.stl"))
}
