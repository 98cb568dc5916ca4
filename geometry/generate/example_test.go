package generate_test

import (
	"fmt"

	"carina/geometry/generate"
)

func ExampleAirway() {
	s, openings, err := generate.Airway(generate.AirwayOptions{Generations: 4})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%d ends, %.0f cm³\n", len(openings), s.Volume()*1e6)
	fmt.Printf("%s: %.1f mm²\n", openings[0].Name, openings[0].Area*1e6)
	// Output:
	// 17 ends, 52 cm³
	// inlet: 254.5 mm²
}
