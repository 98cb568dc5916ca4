package solver

import (
	"fmt"

	"carina/solver/transport"
)

// findPeers finds out which ranks have devices that exchange among themselves.
// All ranks call it together.
func (r *Rank) findPeers() error {
	kind := ""
	peer, ok := r.device.(Peer)
	if ok {
		kind = peer.Kind()
	}
	if r.transport.Size() == 1 {
		return nil
	}
	kinds, err := transport.Collect(r.transport, kind)
	if err != nil {
		return fmt.Errorf("asking for the kinds of devices: %w", err)
	}
	for _, k := range kinds {
		r.unlike = r.unlike || k != kinds[0]
	}
	if !ok {
		return nil
	}
	r.alike = make([]bool, len(kinds))
	for rank, k := range kinds {
		if rank != r.transport.Rank() && k == kind {
			r.alike[rank], r.peer = true, peer
		}
	}
	return nil
}

// hasPeersAlone tells whether all other ranks are of this one's kind.
func (r *Rank) hasPeersAlone() bool {
	for rank := range r.transport.Size() {
		if rank != r.transport.Rank() && !r.isPeer(int32(rank)) {
			return false
		}
	}
	return r.transport.Size() > 1
}

// Unlike tells whether another rank's device exchanges in another way than this one's.
// All ranks get the same.
func (r *Rank) Unlike() bool { return r.unlike }

// isPeer tells whether what crosses to a rank is not seen to by the engine.
func (r *Rank) isPeer(rank int32) bool { return r.alike != nil && r.alike[rank] }

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
