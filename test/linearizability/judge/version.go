package main

// Version is what a model knows of a resourceVersion. A write without an answer leaves it unknown:
// larger than every version shown before, and therefore not the one that any client names.
type Version struct {
	Known bool
	// The version, or the last one that was known.
	At int64
}

// matches says whether a write that names this version may go through; 0 names none.
func (v Version) matches(named int64) bool {
	return named == 0 || (v.Known && named == v.At)
}

// shows says whether an answer may show this version, and what is known then.
func (v Version) shows(shown int64) (bool, Version) {
	if v.Known {
		return shown == v.At, v
	}
	return shown > v.At, Version{Known: true, At: shown}
}

// next is the version after a write: the one its answer shows, or unknown.
func (v Version) next(seen *Seen) (bool, Version) {
	if seen == nil {
		return true, Version{At: v.At}
	}
	return seen.Version > v.At, Version{Known: true, At: seen.Version}
}
