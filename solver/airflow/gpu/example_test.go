package gpu_test

import (
	"context"
	"fmt"

	"carina/geometry"
	"carina/solver"
	"carina/solver/airflow"
	"carina/solver/airflow/gpu"
)

// Without a GPU, or in a binary without GPU code, the error says what to do.
// The output depends on the machine.
func ExampleBackend() {
	grid := &geometry.Grid{Spacing: 1e-4, Size: [3]int32{8, 8, 8}, Links: geometry.Links{Directions: 18}}
	for z := range int32(8) {
		for y := range int32(8) {
			grid.Runs = append(grid.Runs, geometry.Run{X1: 8, Y: y, Z: z})
		}
	}
	domain := solver.WholeDomain(grid)
	domain.Periodic = [3]bool{true, true, true}
	summary, err := airflow.RunInProcessOn(context.Background(), gpu.Backend(gpu.Options{Storage: gpu.Half}), domain, airflow.DefaultSettings(), airflow.Plan{Steps: 2})
	if err == nil {
		fmt.Println(summary.Steps, "steps")
		return
	}
	fmt.Println(err)
}
