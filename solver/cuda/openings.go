package cuda

import "carina/solver"

// prepareOpenings uploads what the openings impose if it has changed.
func (s *Solver) prepareOpenings() error {
	if len(s.flow.Openings) == 0 {
		return nil
	}
	if s.steps > 0 && s.flow.Couples(s.steps) {
		outflow := make([]int64, len(s.flow.Openings))
		for _, p := range s.parts {
			if err := p.sumOutflow(outflow); err != nil {
				return err
			}
		}
		s.flow.Couple(outflow)
	}
	s.flow.Prepare(s.steps)
	changed := s.imposed == nil
	if changed {
		s.imposed = make([]openingRecord, len(s.flow.Openings))
	}
	for i, o := range s.flow.Openings {
		r := openingRecord{inflow: float32(o.Inflow), density: float32(o.Density)}
		if o.Velocity {
			r.velocity = 1
		}
		changed = changed || r != s.imposed[i]
		s.imposed[i] = r
	}
	if !changed {
		return nil
	}
	for _, p := range s.parts {
		if err := p.device.upload(p.wallParts.openings, bytesOf(s.imposed)); err != nil {
			return err
		}
	}
	return nil
}

// launchOutflow sums the outflow of so many links on the device.
func (p *part) launchOutflow(links int) error {
	program, run := summing(p.step[interiorSide][0].program.bits)
	threads := 32 * program.warps
	return p.device.launch(mainQueue, p.outflow, launch{
		blocks: (links + threads*run - 1) / (threads * run), threads: threads,
		arguments: append(append(words(p.wallParts.openingLinks, p.wallParts.outflow), words(links)...), words(p.sums)...),
	})
}

// sumOutflow adds what has left through the openings in the last step.
func (p *part) sumOutflow(outflow []int64) error {
	n := len(p.walls.openingLinks)
	if n == 0 {
		return nil
	}
	sums := make([]int64, len(outflow))
	if err := p.device.zero(p.sums, sizeOf(sums)); err != nil {
		return err
	}
	if err := p.launchOutflow(n); err != nil {
		return err
	}
	if err := p.device.download(bytesOf(sums), p.sums); err != nil {
		return err
	}
	for i, v := range sums {
		outflow[i] += v
	}
	return nil
}

// sumDensity adds the densities of the opening cells times the areas of their
// links, in fixed point.
func (p *part) sumDensity(sums []int64) error {
	samples := make([][4]float32, len(p.walls.openingCells))
	if err := p.device.download(bytesOf(samples), p.wallParts.samples); err != nil {
		return err
	}
	for i, c := range p.walls.openingCells {
		for k := c.firstLink; k < c.firstLink+c.links; k++ {
			sums[p.walls.openingLinks[k].opening] += solver.ToFixed(float64(samples[i][0]) * p.walls.openingAreas[k])
		}
	}
	return nil
}
