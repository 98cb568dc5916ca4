package solver

import "testing"

func TestRoomForStateEndsWithWhoNeedsIt(t *testing.T) {
	const bytes = 1 << 20
	until := make(chan struct{})
	if room := roomForState(bytes, until); room == nil || len(room.Records) != bytes {
		t.Fatal("no memory for a state")
	}
	close(until)
	if room := roomForState(bytes, until); room != nil {
		t.Errorf("%d bytes of memory that nobody needs any more", len(room.Records))
	}
}
