package picture

import (
	"image"
	"image/color"
	"math"
	"testing"
)

// Where one sample shows a pixel, it shows what all would: to a step of the colours' 256
// for smooth colours and those that jump, at any scale.
func TestOneSampleShowsWhatIsEven(t *testing.T) {
	l := composites(t, tube(60, 3))[0]
	r := reliefOf(l)
	owners := l.ownerColours()
	for _, scale := range []float64{evenPixels, 4.7, 11} {
		box := image.Rect(0, 0, int(math.Ceil(scale*float64(r.width))), int(math.Ceil(scale*float64(r.height))))
		img := image.NewRGBA(box)
		for name, p := range map[string]*painter{
			"depths": r.painter(img, box, scale, lighting{ambient: 0.62, shine: 0.1, fade: 0.15}, nil, func(s *sample) colour {
				return viridis.at(float64(s.mean(r.near)) / float64(l.View.Size[1]))
			}),
			"owners": r.painter(img, box, scale, lighting{ambient: 0.38, shine: 0.12, fade: 0.12}, func(a, b int) bool { return l.ownerOf(a) != l.ownerOf(b) }, func(s *sample) colour {
				return owners[s.majority(l.ownerOf)]
			}),
		} {
			full := *p
			full.steep = nil
			var s sample
			even, shown, most, sum := 0, 0, 0, 0
			for low := range box.Dy() {
				for left := range box.Dx() {
					want, there := full.shown(&s, left, low, color.RGBA{})
					got, seen := p.shown(&s, left, low, color.RGBA{})
					if seen != there {
						t.Fatalf("scale %g, %s: pixel (%d, %d) is seen: %v, want %v", scale, name, left, low, seen, there)
					}
					if !there {
						continue
					}
					shown++
					if _, is := p.middle(&s, left, low); !is {
						if got != want {
							t.Fatalf("scale %g, %s: pixel (%d, %d) is not even and differs", scale, name, left, low)
						}
						continue
					}
					even++
					for _, d := range []int{int(got.R) - int(want.R), int(got.G) - int(want.G), int(got.B) - int(want.B)} {
						most = max(most, d, -d)
						sum += max(d, -d)
					}
				}
			}
			if mean := float64(sum) / float64(3*even); most > 1 || mean > 0.05 {
				t.Errorf("scale %g, %s: %d of %d pixels are even and differ by up to %d steps, %.3g on average", scale, name, even, shown, most, mean)
			}
			if 10*even < shown || name == "depths" && 10*even < 7*shown {
				t.Errorf("scale %g, %s: only %d of %d pixels are even", scale, name, even, shown)
			}
		}
	}
}
