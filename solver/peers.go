package solver

import (
	"fmt"
	"slices"

	"carina/solver/transport"
)

// findPeers finds out which ranks have devices that exchange among themselves.
// All ranks call it together.
func (r *Rank) findPeers() error {
	kind := ""
	peer, ok := r.device.(Peer)
	linker, links := r.device.(Linker)
	switch {
	case ok:
		kind = peer.Kind()
	case links:
		kind = linker.Kind()
	}
	if r.transport.Size() == 1 {
		return nil
	}
	same, all, err := transport.Alike(r.transport, kind)
	if err != nil {
		return fmt.Errorf("asking for the kinds of devices: %w", err)
	}
	r.mixed = !all
	me := r.transport.Rank()
	if links {
		r.linked = func(rank int) bool { return rank != me && (all || same(rank)) }
	}
	if !ok {
		return nil
	}
	r.alike = func(rank int) bool { return rank != me && (all || same(rank)) }
	for rank := range r.transport.Size() {
		if r.alike(rank) {
			r.peer = peer
		}
	}
	return nil
}

// hasPeersAlone tells whether all other ranks are of this one's kind.
func (r *Rank) hasPeersAlone() bool { return r.alike != nil && !r.mixed }

// MixedDevices tells whether another rank's device exchanges in another way than this one's.
// All ranks get the same.
func (r *Rank) MixedDevices() bool { return r.mixed }

// isPeer tells whether what crosses to a rank is not seen to by the engine.
func (r *Rank) isPeer(rank int32) bool { return r.alike != nil && r.alike(int(rank)) }

// join makes the ways between devices of a kind. All ranks call it together.
func (r *Rank) join() error {
	var err error
	if peer, ok := r.device.(Peer); ok {
		err = peer.Join(r.transport, r.alike)
	}
	if err = transport.Agree(r.transport, err); err != nil {
		return fmt.Errorf("preparing the exchange: %w", err)
	}
	return nil
}

// link lets the device prepare the exchanges of steps. All ranks call it together.
func (r *Rank) link() error {
	var err error
	if linker, ok := r.device.(Linker); ok {
		var list []*Exchange
		use := func(more ...*Exchange) {
			for _, x := range more {
				if x.Peer == nil && !slices.Contains(list, x) {
					list = append(list, x)
				}
			}
		}
		for _, s := range r.states {
			use(s.returns)
		}
		if r.interval > 1 {
			use(append(r.refreshes, r.constants)...)
		}
		for _, phases := range r.phases {
			for i := range phases {
				if phases[i].fetch != nil {
					use(phases[i].fetch)
				}
				use(phases[i].early...)
				use(phases[i].late...)
			}
		}
		err = linker.Link(r.transport, r.linked, list)
	}
	if err = transport.Agree(r.transport, err); err != nil {
		return fmt.Errorf("preparing the exchange: %w", err)
	}
	return nil
}
