package solver

// Prepared is what a rank has made of a domain beside the steps, before its cells go there:
// all of Move that needs no other rank and no device.
type Prepared struct {
	domain  *Domain // rounded, as all ranks make it
	finder  *Finder
	physics []any // by physics, what a Foreseer has made
	lists   lists
}

// Foreseer is a physics that can do a part of Bind beforehand, beside the steps of another
// kernel of it: Binding.Foreseen has what it has made.
type Foreseer interface {
	Physics
	Foresee(f *Finder) (any, error)
}

// Prepare prepares a Move to a domain: what it returns makes what that needs of this rank
// alone, and may do so beside the steps, while no cells move.
func (r *Rank) Prepare(domain *Domain, list Together) (beside func() (*Prepared, error)) {
	wait := func() {}
	if heir, ok := r.recordKernel.(Inheritor); ok {
		wait = heir.PrepareInherit()
	}
	return func() (*Prepared, error) {
		defer wait() // or a move would, between the steps
		return r.foresee(domain, list)
	}
}

func (r *Rank) foresee(domain *Domain, list Together) (p *Prepared, err error) {
	p = &Prepared{domain: domain}
	before := r.layout.Domain
	if unit := before.unit; unit > 1 && domain.unit != unit {
		if p.domain, err = (&rounding{domain: domain, unit: unit, all: true}).round(); err != nil {
			return nil, err
		}
	}
	if p.finder, err = newFinder(p.domain, int(r.layout.Rank), r.reach, r.options.Dense); err != nil {
		return nil, err
	}
	p.finder.finish()
	if p.lists.leaving, err = parts(r.layout.Ranges(), p.domain); err != nil {
		return nil, err
	}
	if p.lists.coming, err = parts(p.finder.Ranges(), before); err != nil {
		return nil, err
	}
	for _, physics := range list {
		var foreseen any
		if f, ok := physics.(Foreseer); ok {
			if foreseen, err = f.Foresee(p.finder); err != nil {
				return nil, err
			}
		}
		p.physics = append(p.physics, foreseen)
	}
	return p, nil
}

// Domain is what was prepared for, with owners as all ranks make them.
func (p *Prepared) Domain() *Domain { return p.domain }

// MovePrepared is Move to the domain that all ranks have prepared.
func (r *Rank) MovePrepared(p *Prepared, physics Together, device Device) (*Rank, error) {
	return r.move(p.domain, p, physics, device)
}
