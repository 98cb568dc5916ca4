package balance_test

import (
	"testing"

	"carina/balance"
	"carina/cuboid"
	"carina/geometry"
	"carina/geometry/generate"

	"pgregory.net/rapid"
)

// Places without fluid and cells passed over are those of a walk through all cells.
func TestWindowsAgainstAllCells(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		size := [3]int32{rapid.Int32Range(1, 80).Draw(t, "x"), rapid.Int32Range(1, 20).Draw(t, "y"), rapid.Int32Range(1, 12).Draw(t, "z")}
		grid := generate.NoiseGrid(size, rapid.SampledFrom([]float64{0.01, 0.02, 0.05, 0.2, 0.9}).Draw(t, "share"), rapid.Uint64().Draw(t, "seed"))
		side := [3]int32{rapid.OneOf(rapid.Int32Range(1, 50), rapid.SampledFrom([]int32{16, 32, 64})).Draw(t, "side x"), rapid.Int32Range(1, 20).Draw(t, "side y"), rapid.Int32Range(1, 12).Draw(t, "side z")}
		cuboids, err := cuboid.Bricks(grid, side)
		if err != nil {
			t.Fatal(err)
		}
		segments, err := cuboid.Label(grid, cuboids)
		if err != nil {
			t.Fatal(err)
		}
		counts := make([]cuboid.Counts, len(cuboids))
		of := map[[3]int32]int32{}
		for _, s := range segments {
			counts[s.Cuboid].Fluid += int64(s.X1 - s.X0)
			for x := s.X0; x < s.X1; x++ {
				of[[3]int32{x, s.Y, s.Z}] = s.Cuboid
			}
		}
		balance.CountWindows(cuboids, segments, counts)
		parts := make([]int64, len(cuboids))
		for _, s := range segments {
			parts[s.Cuboid] += partsOf(s, cuboids, of)
		}
		for i, c := range cuboids {
			windows, computed := windowsOf(int32(i), c, of)
			if want := balance.WindowCells*(windows+parts[i]) - counts[i].Fluid; counts[i].Lanes != want {
				t.Fatalf("cuboid %d: %d places without fluid, want %d", i, counts[i].Lanes, want)
			}
			if want := c.Cells() - computed; counts[i].Passed != want {
				t.Fatalf("cuboid %d: %d cells passed over, want %d", i, counts[i].Passed, want)
			}
		}
	})
}

// partsOf counts the cells of a segment, but those that begin a window, at which the
// neighbours in some direction begin to be of another cuboid.
func partsOf(s cuboid.Segment, cuboids []cuboid.Cuboid, of map[[3]int32]int32) int64 {
	changes := map[int32]bool{}
	for _, o := range geometry.Directions[:18] {
		last := int32(-1)
		for x := s.X0; x < s.X1; x++ {
			beside, fluid := of[[3]int32{x + int32(o.X), s.Y + int32(o.Y), s.Z + int32(o.Z)}]
			if fluid && last >= 0 && beside != last && (x-cuboids[s.Cuboid].Min[0])%balance.WindowCells != 0 {
				changes[x] = true
			}
			if fluid {
				last = beside
			}
		}
	}
	return int64(len(changes))
}

// windowsOf counts the windows of a cuboid that hold fluid, and the cells from the first
// to the last of each run of windows of up to 256 cells.
func windowsOf(number int32, c cuboid.Cuboid, of map[[3]int32]int32) (windows, computed int64) {
	const longest = 256
	begin, end, at := int64(0), int64(0), int64(0)
	for z := c.Min[2]; z < c.Max[2]; z++ {
		for y := c.Min[1]; y < c.Max[1]; y++ {
			for x := c.Min[0]; x < c.Max[0]; x += balance.WindowCells {
				length := min(balance.WindowCells, c.Max[0]-x)
				holds := false
				for i := range length {
					owner, fluid := of[[3]int32{x + i, y, z}]
					holds = holds || fluid && owner == number
				}
				from, to := at, at+int64(length)
				at = to
				if !holds {
					continue
				}
				windows++
				if end == 0 || to-begin >= longest || end-begin >= longest-balance.WindowCells {
					computed += end - begin
					begin = from
				}
				end = to
			}
		}
	}
	return windows, computed + end - begin
}
