package wall

import (
	"slices"
	"testing"

	"carina/solver/airflow/kernel"
)

// A list keeps its links in order, and what fills its first group corrects
// nothing and touches no slot of its own.
func TestWallStreamHoldsLinks(t *testing.T) {
	const width = 29
	var list Links
	for count := range 4*kernel.LinkGroup + 2 {
		var byDirection [26][]Link
		var want []Link
		var vectors uint32
		for i := range count {
			d, cell := 2*i/3, (37*i)%250
			link := Link{kernel.NewCorrectedLink(cell, d, i, width), 0.25 + float32(i)}
			byDirection[d] = append(byDirection[d], link)
			want = append(want, link)
			vectors |= 1 << (cell / kernel.WindowCells)
		}
		begin := len(list)
		list = list.Append(&byDirection, kernel.LinkGroup)
		own := list[begin:]
		if own.Count() != count || own[0]>>kernel.LinkCountBits != vectors {
			t.Fatalf("%d links: %d and vectors %b, not %b", count, own.Count(), own[0]>>kernel.LinkCountBits, vectors)
		}
		var got []Link
		for i := range own.Count() {
			got = append(got, own.link(i, kernel.LinkGroup))
		}
		if !slices.Equal(got, want) {
			t.Fatalf("got links %v, not %v", got, want)
		}
		if (len(own)-1)%(2*kernel.LinkGroup) != 0 {
			t.Fatalf("%d links take %d words", count, len(own))
		}
		filling := (len(own)-1)/2 - count
		for i := range filling {
			link, factor := kernel.CorrectedLink(own[1+i]), own[1+kernel.LinkGroup+i]
			if link != want[0].CorrectedLink || factor != 0 {
				t.Fatalf("%d links: number %d that fills is %v with factor %x", count, i, link, factor)
			}
		}
		if slices.ContainsFunc(byDirection[:], func(links []Link) bool { return len(links) > 0 }) {
			t.Fatal("links are still collected")
		}
	}
}
