// Still tells where there is nothing: of what stages write, by number, the last one that
// left in a window of cells something other than zero, and which one wrote it last.
struct Still {
	int *windows[3];
	int written[3];
	int stage, epoch; // this one's number, and what is known
	int cells;        // so many are own
	int from, to;     // the numbers of the water that is read and of what is written
};
