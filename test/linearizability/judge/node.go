package main

import (
	"fmt"
	"strings"

	"github.com/anishathalye/porcupine"
)

// Node is a register with compare-and-set, a list that grows and a counter.
type Node struct {
	Exists  bool
	Version Version
	Token   string
	// The appended tokens, joined: states are compared by value.
	List  string
	Count int64
}

func nodeModel() porcupine.Model {
	return porcupine.Model{
		Init: func() any { return Node{} },
		Step: func(state, input, _ any) (bool, any) {
			legal, next := stepNode(state.(Node), input.(Entry))
			return legal, next
		},
		DescribeOperation: describe,
		DescribeState: func(state any) string {
			node := state.(Node)
			if !node.Exists {
				return "none"
			}
			return fmt.Sprintf("%s [%s] count %d, version %v %d",
				node.Token, node.List, node.Count, node.Version.Known, node.Version.At)
		},
	}
}

func stepNode(node Node, entry Entry) (bool, Node) {
	call, seen := entry.Call, entry.Seen
	if entry.Outcome == "refused" {
		return nodeRefused(node, entry), node
	}
	if call.Do == "read" {
		fits, version := node.Version.shows(seen.Version)
		node.Version = version
		return node.Exists && fits && nodeShows(node, seen), node
	}
	if !mayWriteNode(node, call) {
		return entry.Outcome == "unknown", node
	}
	if call.Do == "delete" {
		return true, Node{Version: Version{At: node.Version.At}}
	}
	next := nodeWritten(node, call)
	fits, version := node.Version.next(seen)
	next.Version = version
	return fits && (seen == nil || nodeShows(next, seen)), next
}

func mayWriteNode(node Node, call Call) bool {
	if call.Do == "create" {
		return !node.Exists
	}
	if call.Do == "count" && call.From != node.Count {
		return false
	}
	return node.Exists && node.Version.matches(call.Version)
}

func nodeWritten(node Node, call Call) Node {
	switch call.Do {
	case "create":
		node = Node{Exists: true, Token: call.Token, List: call.Token}
	case "put", "patch":
		node.Token = call.Token
	case "putStatus":
		node.Token, node.List = call.Token, call.Token
	case "append":
		node.List += "," + call.Token
	case "count":
		node.Token = call.Token
		node.Count++
	}
	return node
}

func nodeShows(node Node, seen *Seen) bool {
	return seen.Token == node.Token && seen.Count == node.Count && strings.Join(seen.List, ",") == node.List
}

func nodeRefused(node Node, entry Entry) bool {
	call := entry.Call
	switch entry.Why {
	case "missing":
		return !node.Exists
	case "exists":
		return node.Exists
	case "uid":
		return node.Exists && !node.Version.matches(call.Version)
	case "version":
		return node.Exists && !node.Version.matches(call.Version)
	case "modified":
		return node.Exists && (call.Version == 0 || !node.Version.matches(call.Version))
	case "invalid":
		// The test in the patch failed.
		return node.Exists && call.Do == "count" && call.From != node.Count
	case "busy":
		return true
	}
	return false
}
