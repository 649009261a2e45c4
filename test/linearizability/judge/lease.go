package main

import (
	"fmt"
	"math"

	"github.com/anishathalye/porcupine"
)

// Lease is all that a lease is to its clients.
type Lease struct {
	Exists  bool
	Version Version
	Holder  string
	// The fencing number; of a lease that is gone, the number it left behind.
	Transitions int64
	// There was a lease of this name, and its number counts on.
	Marked bool
	// renewTime, which no two writes share.
	Token string
	// Nobody but the holder gets the lease before this time.
	HeldUntilUs int64
}

// Clients take leases for one second, and the server waits one more before a takeover.
const keptUs = 2_000_000

// leaseModel is the whole promise of a lease. Node leases forget their number when they are deleted.
func leaseModel(keepsMark bool) porcupine.Model {
	return porcupine.Model{
		Init: func() any { return Lease{} },
		Step: func(state, input, _ any) (bool, any) {
			legal, next := stepLease(state.(Lease), input.(Entry), keepsMark)
			return legal, next
		},
		DescribeOperation: describe,
		DescribeState: func(state any) string {
			lease := state.(Lease)
			if !lease.Exists {
				return fmt.Sprintf("none, number %d", lease.Transitions)
			}
			return fmt.Sprintf("%q number %d, %s, version %v %d",
				lease.Holder, lease.Transitions, lease.Token, lease.Version.Known, lease.Version.At)
		},
	}
}

func stepLease(lease Lease, entry Entry, keepsMark bool) (bool, Lease) {
	if entry.Outcome == "refused" {
		return leaseRefused(lease, entry), lease
	}
	switch entry.Call.Do {
	case "read":
		return leaseRead(lease, entry.Seen)
	case "delete":
		return leaseDeleted(lease, entry, keepsMark)
	}
	legal, next := leaseWritten(lease, entry)
	if legal {
		return true, next
	}
	// Without an answer it may as well have been refused.
	return entry.Outcome == "unknown", lease
}

func leaseRead(lease Lease, seen *Seen) (bool, Lease) {
	fits, version := lease.Version.shows(seen.Version)
	lease.Version = version
	return lease.Exists && fits && leaseShows(lease, seen), lease
}

func leaseShows(lease Lease, seen *Seen) bool {
	return seen.Holder == lease.Holder && seen.Transitions == lease.Transitions && seen.Token == lease.Token
}

func leaseDeleted(lease Lease, entry Entry, keepsMark bool) (bool, Lease) {
	if !lease.Exists || !lease.Version.matches(entry.Call.Version) {
		return entry.Outcome == "unknown", lease
	}
	gone := Lease{Version: Version{At: lease.Version.At}}
	if keepsMark {
		gone.Marked, gone.Transitions = true, lease.Transitions
	}
	return true, gone
}

func leaseWritten(lease Lease, entry Entry) (bool, Lease) {
	call := entry.Call
	if !mayWriteLease(lease, call) {
		return false, lease
	}
	next := lease
	next.Exists, next.Token = true, call.Token
	if call.Holder != nil {
		next.Holder = *call.Holder
	}
	isAcquired := next.Holder != "" && next.Holder != lease.Holder
	if isAcquired && lease.Holder != "" && tooEarly(lease, entry) {
		return false, lease
	}
	if isAcquired && (lease.Exists || lease.Marked) {
		next.Transitions++
	}
	if next.Holder == "" {
		next.HeldUntilUs = 0
	} else {
		next.HeldUntilUs = entry.InvokedUs + keptUs
	}
	fits, version := lease.Version.next(entry.Seen)
	next.Version = version
	return fits && (entry.Seen == nil || leaseShows(next, entry.Seen)), next
}

// mayWriteLease leaves the holder's time aside. A PUT creates what is not there.
func mayWriteLease(lease Lease, call Call) bool {
	switch {
	case call.Do == "create":
		return !lease.Exists
	case !lease.Exists:
		return call.Do == "put" && call.UID == ""
	case call.Do == "put" && call.Version == 0:
		return false
	}
	return lease.Version.matches(call.Version)
}

// tooEarly: the server looked at its clock before it answered, so the holder's time was over by
// then.
func tooEarly(lease Lease, entry Entry) bool {
	returned := entry.ReturnedUs
	if entry.Outcome == "unknown" {
		returned = math.MaxInt64
	}
	return returned < lease.HeldUntilUs
}

// leaseRefused says whether the reason that the client was given was true.
func leaseRefused(lease Lease, entry Entry) bool {
	call := entry.Call
	switch entry.Why {
	case "missing":
		return !lease.Exists
	case "exists":
		return lease.Exists
	case "held":
		wants := call.Holder != nil && *call.Holder != ""
		return lease.Exists && wants && lease.Holder != "" && lease.Holder != *call.Holder
	case "uid":
		return !lease.Exists || !lease.Version.matches(call.Version)
	case "version":
		return lease.Exists && !lease.Version.matches(call.Version)
	case "modified":
		// Without a version it says only that five races in a row were lost.
		return lease.Exists && (call.Version == 0 || !lease.Version.matches(call.Version))
	case "invalid":
		return lease.Exists && call.Do == "put" && call.Version == 0
	case "busy":
		return true
	}
	return false
}
