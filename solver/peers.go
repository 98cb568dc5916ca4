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
	same, all, err := transport.Alike(r.transport, kind)
	if err != nil {
		return fmt.Errorf("asking for the kinds of devices: %w", err)
	}
	r.unlike = !all
	if !ok {
		return nil
	}
	me := r.transport.Rank()
	r.alike = func(rank int) bool { return rank != me && (all || same(rank)) }
	for rank := range r.transport.Size() {
		if r.alike(rank) {
			r.peer = peer
		}
	}
	return nil
}

// hasPeersAlone tells whether all other ranks are of this one's kind.
func (r *Rank) hasPeersAlone() bool { return r.alike != nil && !r.unlike }

// Unlike tells whether another rank's device exchanges in another way than this one's.
// All ranks get the same.
func (r *Rank) Unlike() bool { return r.unlike }

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
