package airflow_test

import (
	"context"
	"fmt"

	"carina/geometry"
	"carina/geometry/generate"
	"carina/solver"
	"carina/solver/airflow"
	"carina/solver/airflow/opening"
)

// Air through a short pipe, on one rank of this process.
func ExampleRunInProcess() {
	surface, _, err := generate.Pipe(generate.PipeOptions{})
	if err != nil {
		fmt.Println(err)
		return
	}
	grid, err := geometry.Voxelize(context.Background(), surface, geometry.Options{FluidCells: 4000})
	if err != nil {
		fmt.Println(err)
		return
	}
	settings := airflow.DefaultSettings()
	settings.FlowRate = 2e-6 // m³/s
	settings.Profile = opening.Developed
	summary, err := airflow.RunInProcess(context.Background(), solver.WholeDomain(grid), settings,
		airflow.Plan{Steps: 20000, Tolerance: 1e-4})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%d openings, mass balance within 0.1 %%: %v\n", len(summary.Openings), summary.MassBalance < 1e-3)
	// Output: 2 openings, mass balance within 0.1 %: true
}
