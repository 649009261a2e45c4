package main

import (
	"math"
	"strings"
	"testing"
	"time"

	"github.com/anishathalye/porcupine"
)

func text(of string) *string { return &of }

// at gives a call a tenth of a second, and the number of its place in the history.
func at(ms int64, kind string, call Call, outcome string, seen *Seen) Entry {
	return Entry{Key: "k", Kind: kind, InvokedUs: ms * 1000, ReturnedUs: (ms + 100) * 1000,
		Call: call, Outcome: outcome, Seen: seen}
}

func refused(ms int64, kind string, call Call, why string) Entry {
	entry := at(ms, kind, call, "refused", nil)
	entry.Why = why
	return entry
}

func check(t *testing.T, history []Entry) porcupine.CheckResult {
	t.Helper()
	model, err := modelOf(history[0].Kind)
	if err != nil {
		t.Fatal(err)
	}
	return porcupine.CheckOperationsTimeout(model, operations(history), time.Minute)
}

func lease(version, transitions int64, holder, token string) *Seen {
	return &Seen{Version: version, Transitions: transitions, Holder: holder, Token: token}
}

func taken(ms int64, by, token string, seen *Seen) Entry {
	return at(ms, "lease", Call{Do: "patch", Holder: text(by), Token: token}, "ok", seen)
}

func born(kind string) Entry {
	return at(0, kind, Call{Do: "create", Holder: text("a"), Token: "t0"}, "ok", lease(10, 0, "a", "t0"))
}

func read(ms int64, kind string, seen *Seen) Entry {
	return at(ms, kind, Call{Do: "read"}, "ok", seen)
}

func TestLease(t *testing.T) {
	renewal := Call{Do: "put", Version: 10, Holder: text("a"), Token: "t1"}
	deletion := Call{Do: "delete"}
	cases := []struct {
		when string
		want porcupine.CheckResult
		then []Entry
	}{
		{"it is renewed", porcupine.Ok, []Entry{
			at(200, "lease", renewal, "ok", lease(11, 0, "a", "t1")), read(400, "lease", lease(11, 0, "a", "t1"))}},
		{"a renewal that was refused is read", porcupine.Illegal, []Entry{
			refused(200, "lease", renewal, "modified"), read(400, "lease", lease(11, 0, "a", "t1"))}},
		{"a renewal was refused and its version is the stored one", porcupine.Illegal, []Entry{
			refused(200, "lease", renewal, "modified")}},
		{"a renewal without an answer is read", porcupine.Ok, []Entry{
			at(200, "lease", renewal, "unknown", nil), read(400, "lease", lease(11, 0, "a", "t1"))}},
		{"a renewal without an answer is never read", porcupine.Ok, []Entry{
			at(200, "lease", renewal, "unknown", nil), read(400, "lease", lease(10, 0, "a", "t0"))}},
		{"it is there again after a later one", porcupine.Illegal, []Entry{
			at(200, "lease", renewal, "unknown", nil), read(400, "lease", lease(11, 0, "a", "t1")),
			taken(600, "a", "t2", lease(12, 0, "a", "t2")), read(800, "lease", lease(13, 0, "a", "t1"))}},
		{"another takes it when its time is over", porcupine.Ok, []Entry{
			taken(2000, "b", "t1", lease(11, 1, "b", "t1"))}},
		{"another takes it too early", porcupine.Illegal, []Entry{
			taken(1800, "b", "t1", lease(11, 1, "b", "t1"))}},
		{"another takes it with the same number", porcupine.Illegal, []Entry{
			taken(2000, "b", "t1", lease(11, 0, "b", "t1"))}},
		{"another takes it early, and an unanswered deletion explains that", porcupine.Illegal, []Entry{
			at(200, "lease", deletion, "unknown", nil), taken(400, "b", "t1", lease(11, 1, "b", "t1"))}},
		{"another creates it early, and an unanswered deletion explains that", porcupine.Ok, []Entry{
			at(200, "lease", deletion, "unknown", nil),
			at(400, "lease", Call{Do: "create", Holder: text("b"), Token: "t1"}, "ok", lease(11, 1, "b", "t1"))}},
		{"its number starts anew after a deletion", porcupine.Illegal, []Entry{
			at(200, "lease", deletion, "ok", nil),
			at(400, "lease", Call{Do: "create", Holder: text("b"), Token: "t1"}, "ok", lease(11, 0, "b", "t1"))}},
		{"two deletions succeed", porcupine.Illegal, []Entry{
			at(200, "lease", deletion, "ok", nil), at(400, "lease", deletion, "ok", nil)}},
		{"it is refused as held by the one who asks", porcupine.Illegal, []Entry{
			refused(200, "lease", Call{Do: "patch", Holder: text("a"), Token: "t1"}, "held")}},
		{"its version falls", porcupine.Illegal, []Entry{
			taken(200, "a", "t1", lease(9, 0, "a", "t1"))}},
	}
	for _, each := range cases {
		if got := check(t, append([]Entry{born("lease")}, each.then...)); got != each.want {
			t.Errorf("when %s: %s, not %s", each.when, got, each.want)
		}
	}
}

func TestNodeLeaseForgetsItsNumber(t *testing.T) {
	create := Call{Do: "create", Holder: text("b"), Token: "t1"}
	again := at(400, "nodeLease", create, "ok", lease(11, 0, "b", "t1"))
	history := []Entry{born("nodeLease"), at(200, "nodeLease", Call{Do: "delete"}, "ok", nil), again}
	if got := check(t, history); got != porcupine.Ok {
		t.Error(got)
	}
}

func node(version int64, token string, count int64, list ...string) *Seen {
	return &Seen{Version: version, Token: token, Count: count, List: list}
}

func TestNode(t *testing.T) {
	created := at(0, "node", Call{Do: "create", Token: "t0"}, "ok", node(10, "t0", 0, "t0"))
	appended := Call{Do: "append", Token: "t1"}
	patched := Call{Do: "patch", Token: "t1"}
	counted := Call{Do: "count", Token: "t1", From: 0}
	cases := []struct {
		when string
		want porcupine.CheckResult
		then []Entry
	}{
		{"a patch is applied once", porcupine.Ok, []Entry{
			at(200, "node", appended, "ok", node(11, "t0", 0, "t0", "t1"))}},
		{"a patch is applied twice", porcupine.Illegal, []Entry{
			at(200, "node", appended, "ok", node(12, "t0", 0, "t0", "t1", "t1"))}},
		{"a lost patch is applied twice", porcupine.Illegal, []Entry{
			at(200, "node", appended, "unknown", nil), read(400, "node", node(12, "t0", 0, "t0", "t1", "t1"))}},
		{"a patch wins over a later one", porcupine.Illegal, []Entry{
			at(200, "node", patched, "unknown", nil), read(400, "node", node(11, "t1", 0, "t0")),
			at(600, "node", Call{Do: "patch", Token: "t2"}, "ok", node(12, "t2", 0, "t0")),
			read(800, "node", node(13, "t1", 0, "t0"))}},
		{"a write with a stale version goes through", porcupine.Illegal, []Entry{
			at(200, "node", patched, "ok", node(11, "t1", 0, "t0")),
			at(400, "node", Call{Do: "put", Version: 10, Token: "t2"}, "ok", node(12, "t2", 0, "t0"))}},
		{"the test of a patch fails with a reason", porcupine.Ok, []Entry{
			at(200, "node", counted, "ok", node(11, "t1", 1, "t0")), refused(400, "node", counted, "invalid")}},
		{"the test of a patch fails without a reason", porcupine.Illegal, []Entry{
			refused(400, "node", counted, "invalid")}},
		{"an answer is missing where there is an object", porcupine.Illegal, []Entry{
			refused(400, "node", Call{Do: "read"}, "missing")}},
		{"a reason is one that the model does not know", porcupine.Illegal, []Entry{
			refused(400, "node", patched, "other")}},
	}
	for _, each := range cases {
		if got := check(t, append([]Entry{created}, each.then...)); got != each.want {
			t.Errorf("when %s: %s, not %s", each.when, got, each.want)
		}
	}
}

func TestOpenCallsEndWhenTheirTokenShows(t *testing.T) {
	lost := at(200, "node", Call{Do: "append", Token: "t1"}, "unknown", nil)
	unseen := at(200, "node", Call{Do: "append", Token: "t2"}, "unknown", nil)
	made := operations([]Entry{lost, unseen, read(400, "node", node(11, "t0", 0, "t0", "t1"))})
	if made[0].Return != 500_000 || made[1].Return != math.MaxInt64 {
		t.Error(made[0].Return, made[1].Return)
	}
}

func TestReadHistory(t *testing.T) {
	good := `{"key":"a","call":{"do":"read"}}` + "\n\n" + `{"key":"b","call":{"do":"put","holder":""}}` + "\n"
	histories, keys, err := readHistory(strings.NewReader(good))
	if err != nil || len(keys) != 2 {
		t.Fatal(histories, keys, err)
	}
	kept, released := histories["a"][0].Call.Holder, histories["b"][0].Call.Holder
	if kept != nil || *released != "" {
		t.Error("a holder that stays is not one that is released")
	}
	_, _, err = readHistory(strings.NewReader(good + "{"))
	if err == nil || !strings.Contains(err.Error(), "line 4") {
		t.Error(err)
	}
}
